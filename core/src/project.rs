//! Where a call happens: the root of its project.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::home::lexical;

/// The longest `.git` file that is read: one line with a path.
const GIT_FILE_LIMIT: u64 = 4096;

/// The roots that stand for the project of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// The nearest folder at or above the start that holds `.git` or `.lessons`, else the start.
    pub root: PathBuf,
    /// In a linked work tree: the main work tree, which is the same project.
    pub main: Option<PathBuf>,
}

impl Roots {
    /// Whether the project lies at or below `scope`. Compared by component, so that `/foo/bar` does
    /// not hold `/foo/bar-baz`.
    pub fn within(&self, scope: &Path) -> bool {
        self.root.starts_with(scope) || self.main.as_deref().is_some_and(|main| main.starts_with(scope))
    }
}

/// Where a call happens. The disk is asked at most once, and only if somebody wants to know.
#[derive(Debug)]
pub struct Place {
    start: Option<PathBuf>,
    roots: OnceCell<Option<Roots>>,
}

impl Place {
    /// Below the folder in which the client was launched, else the working folder.
    pub fn at(start: Option<&Path>) -> Self {
        Self { start: start.filter(|path| path.is_absolute()).map(lexical), roots: OnceCell::new() }
    }

    /// A root that is known beforehand, in examples and replays.
    pub fn fixed(root: &Path) -> Self {
        let roots = Roots { root: root.to_owned(), main: None };
        Self { start: None, roots: OnceCell::from(Some(roots)) }
    }

    /// The project's roots. `None` where the call says nothing of its place.
    pub fn roots(&self) -> Option<&Roots> {
        self.roots.get_or_init(|| self.start.as_deref().map(find_roots)).as_ref()
    }
}

/// Walks up from `start`.
pub fn find_roots(start: &Path) -> Roots {
    for folder in start.ancestors() {
        let git = folder.join(".git");
        if git.symlink_metadata().is_ok() {
            return Roots { root: folder.to_owned(), main: main_work_tree(&git) };
        }
        if folder.join(".lessons").symlink_metadata().is_ok() {
            return Roots { root: folder.to_owned(), main: None };
        }
    }
    Roots { root: start.to_owned(), main: None }
}

/// The main work tree that a `.git` file points to: `gitdir: /main/.git/worktrees/name`.
///
/// A sub-module's `.git` file points into `.git/modules/` and is a project of its own.
fn main_work_tree(git: &Path) -> Option<PathBuf> {
    let found = git.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > GIT_FILE_LIMIT {
        return None;
    }
    let text = std::fs::read_to_string(git).ok()?;
    let target = lexical(&git.parent()?.join(text.strip_prefix("gitdir:")?.trim()));
    let worktrees = target.parent()?;
    let git_folder = worktrees.parent()?;
    let linked = worktrees.ends_with("worktrees") && git_folder.ends_with(".git");
    linked.then(|| git_folder.parent().map(Path::to_owned)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_nearest_folder_with_git_or_lessons() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        std::fs::create_dir_all(top.join("a/.git")).unwrap();
        std::fs::create_dir_all(top.join("a/b/.lessons")).unwrap();
        std::fs::create_dir_all(top.join("a/b/c")).unwrap();
        std::fs::create_dir_all(top.join("a/d")).unwrap();
        assert_eq!(find_roots(&top.join("a/b/c")).root, top.join("a/b"));
        assert_eq!(find_roots(&top.join("a/d")).root, top.join("a"));
        assert_eq!(find_roots(Path::new("/nowhere/at/all")).root, Path::new("/nowhere/at/all"));
    }

    #[test]
    fn a_linked_work_tree_is_the_project_it_was_made_from() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::write(tree.join(".git"), "gitdir: /srv/main/.git/worktrees/tree\n").unwrap();
        let roots = find_roots(&tree);
        assert_eq!(roots.main.as_deref(), Some(Path::new("/srv/main")));
        assert!(roots.within(Path::new("/srv/main")) && roots.within(&tree));
        std::fs::write(tree.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        assert_eq!(find_roots(&tree).main, None);
    }

    #[test]
    fn a_scope_holds_its_root_and_what_is_below_and_no_namesake() {
        let roots = |root: &str| Roots { root: root.into(), main: None };
        assert!(roots("/foo/bar").within(Path::new("/foo/bar")));
        assert!(roots("/foo/bar/x").within(Path::new("/foo/bar")));
        assert!(!roots("/foo/bar-baz").within(Path::new("/foo/bar")));
        assert!(!roots("/foo-bar/baz").within(Path::new("/foo/bar-baz")));
    }
}
