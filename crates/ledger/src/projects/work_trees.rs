//! The work trees of a repository, also those whose folders are gone, as far as git's own files tell of them.

use std::fs;
use std::path::{Component, Path, PathBuf};

use lessons_text::path;

use super::read;

/// The most registered work trees that are read of one repository.
const MOST: usize = 1000;

/// What git's files at the root of a repository say. Nothing is run, and what stands there is taken for hostile.
#[derive(Debug)]
pub struct Repository {
    git: PathBuf,
    /// The folders of the registered work trees.
    trees: Vec<String>,
    packed: String,
    head: String,
}

impl Repository {
    /// The repository whose main work tree is at `root`. `None` if there is none.
    pub fn at(root: &Path) -> Option<Self> {
        let git = root.join(".git");
        if !git.is_dir() {
            return None;
        }
        let registered = fs::read_dir(git.join("worktrees")).into_iter().flatten().take(MOST).flatten();
        let tree = |folder: PathBuf| {
            let text = read(&folder.join("gitdir"))?;
            let file = path::lexical(&path::join(&folder.to_string_lossy(), text.trim()));
            path::parent(&file).map(str::to_owned)
        };
        let trees = registered.filter_map(|entry| tree(entry.path())).collect();
        let text = |name: &str| read(&git.join(name)).unwrap_or_default();
        Some(Self { trees, packed: text("packed-refs"), head: text("HEAD"), git })
    }

    /// Whether a folder is registered as one of its work trees. `git worktree remove` ends that, and `rm` does not.
    pub fn registers(&self, folder: &str) -> bool {
        self.trees.iter().any(|tree| tree == folder)
    }

    /// Whether another work tree may have been on `branch`: it is there, and not in the main work tree, since git has no
    /// branch in two at once.
    pub fn may_have_elsewhere(&self, branch: &str) -> bool {
        let name = format!("refs/heads/{branch}");
        let is_plain = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        let is_packed = || self.packed.lines().any(|line| line.split(' ').nth(1) == Some(&*name));
        let is_in_main = self.head.trim().strip_prefix("ref: ") == Some(&*name);
        is_plain && !is_in_main && (is_packed() || self.git.join(&name).is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, Repository) {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join("app/.git").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[allow(clippy::disallowed_methods, reason = "a test sets its scene")]
            fs::write(path, text).unwrap();
        }
        let repository = Repository::at(&dir.path().join("app")).unwrap();
        (dir, repository)
    }

    #[test]
    fn a_work_tree_that_was_not_pruned_is_registered_by_its_folder() {
        let (dir, repository) = repository(&[
            ("HEAD", "ref: refs/heads/main\n"),
            ("worktrees/one/gitdir", "/srv/one/.git\n"),
            ("worktrees/two/gitdir", "../../../../two/.git\n"),
            ("worktrees/odd/other", ""),
        ]);
        assert!(repository.registers("/srv/one"));
        assert!(repository.registers(&dir.path().join("two").to_string_lossy()));
        assert!(!repository.registers("/srv/on") && !repository.registers("/srv/one/.git"));
    }

    #[test]
    fn a_branch_that_is_not_checked_out_may_have_been_in_another_work_tree() {
        let (_dir, repository) = repository(&[
            ("HEAD", "ref: refs/heads/main\n"),
            ("refs/heads/main", "0\n"),
            ("refs/heads/ana/loose", "0\n"),
            ("packed-refs", "# pack-refs with: peeled\n0123 refs/heads/packed\n^4567\n"),
        ]);
        for branch in ["ana/loose", "packed"] {
            assert!(repository.may_have_elsewhere(branch), "{branch}");
        }
        for branch in ["main", "gone", "ana", "", "../../HEAD", "/etc/passwd", "with: peeled"] {
            assert!(!repository.may_have_elsewhere(branch), "{branch}");
        }
    }

    #[test]
    fn what_is_no_main_work_tree_is_no_repository() {
        assert!(Repository::at(Path::new("/nowhere")).is_none());
    }
}
