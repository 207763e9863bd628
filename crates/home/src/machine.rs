//! This machine, as lessons ask for it: its disk, its system and its shell.

use std::io::Read;
use std::path::Path;

use crate::files;
use lessons_lesson::project::{Disk, GIT_FILE_LIMIT, Machine};
use lessons_lesson::{Os, Shell};

/// This machine.
#[derive(Debug, Clone, Copy)]
pub struct ThisMachine;

/// The variables that name the client's shell, the one that counts first. Each is the path of a program.
const SHELL_VARIABLES: [&str; 2] = ["CLAUDE_CODE_SHELL", "SHELL"];

impl Machine for ThisMachine {
    fn os(&self) -> Option<Os> {
        Os::named(std::env::consts::OS)
    }

    fn shell(&self) -> Option<Shell> {
        let named = |variable: &&str| {
            let path = std::env::var_os(variable)?;
            Shell::named(Path::new(&path).file_name()?.to_str()?)
        };
        SHELL_VARIABLES.iter().find_map(named)
    }
}

impl Disk for ThisMachine {
    fn holds(&self, path: &str) -> bool {
        Path::new(path).symlink_metadata().is_ok()
    }

    fn small_file(&self, path: &str) -> Option<String> {
        let file = files::open_unfollowed(Path::new(path)).ok()?;
        let limit = u64::try_from(GIT_FILE_LIMIT).ok()?;
        let found = file.metadata().ok()?;
        if !found.is_file() || found.len() > limit {
            return None;
        }
        let mut text = String::new();
        file.take(limit).read_to_string(&mut text).ok()?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lessons_lesson::project::{ProjectRoots, find_roots};

    fn roots_of(folder: &std::path::Path) -> ProjectRoots {
        find_roots(folder.to_str().unwrap(), &ThisMachine)
    }

    #[test]
    fn the_root_is_the_nearest_folder_with_git_or_lessons() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        std::fs::create_dir_all(top.join("a/.git")).unwrap();
        std::fs::create_dir_all(top.join("a/b/.lessons")).unwrap();
        std::fs::create_dir_all(top.join("a/b/c")).unwrap();
        std::fs::create_dir_all(top.join("a/d")).unwrap();
        assert_eq!(roots_of(&top.join("a/b/c")).root, top.join("a/b").to_str().unwrap());
        assert_eq!(roots_of(&top.join("a/d")).root, top.join("a").to_str().unwrap());
        assert_eq!(find_roots("/nowhere/at/all", &ThisMachine).root, "/nowhere/at/all");
    }

    #[test]
    fn a_linked_work_tree_is_the_project_it_was_made_from() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::write(tree.join(".git"), "gitdir: /srv/main/.git/worktrees/tree\n").unwrap();
        let roots = roots_of(&tree);
        assert_eq!(roots.main.as_deref(), Some("/srv/main"));
        assert!(roots.within("/srv/main") && roots.within(tree.to_str().unwrap()));
        std::fs::write(tree.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        assert_eq!(roots_of(&tree).main, None);
    }
}
