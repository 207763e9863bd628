//! The location of a call: the root of its project.

use std::cell::OnceCell;

use lessons_text::path;

/// The longest `.git` file that is read, in bytes: one line with a path.
pub const GIT_FILE_LIMIT: usize = 4096;

/// The part of a disk that the search for a project's root needs.
pub trait Disk {
    /// Whether a file or folder with this path exists. A link counts, wherever it leads.
    fn holds(&self, path: &str) -> bool;
    /// The text of a regular file of at most [`GIT_FILE_LIMIT`] bytes. A link is not followed.
    fn small_file(&self, path: &str) -> Option<String>;
}

/// The root folders of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRoots {
    /// The nearest folder at or above the start that contains `.git` or `.lessons`, else the start.
    pub root: String,
    /// The main work tree, if the root is a linked work tree: both are the same project.
    pub main: Option<String>,
}

impl ProjectRoots {
    /// Whether the project lies at or below `scope`. Compared by component, so that `/foo/bar` does
    /// not contain `/foo/bar-baz`.
    pub fn within(&self, scope: &str) -> bool {
        let holds = |root: &str| path::below(root, scope).is_some();
        holds(&self.root) || self.main.as_deref().is_some_and(holds)
    }
}

/// The location of a call. The disk is accessed at most once, and only if the roots are needed.
pub struct ProjectLocation<'d> {
    start: Option<(String, &'d dyn Disk)>,
    roots: OnceCell<Option<ProjectRoots>>,
}

impl<'d> ProjectLocation<'d> {
    /// The location below `start`: the folder in which the client was launched, else the working folder.
    pub fn at(start: Option<&str>, disk: &'d dyn Disk) -> Self {
        let start = start.filter(|start| path::is_absolute(start)).map(|start| (path::lexical(start), disk));
        Self { start, roots: OnceCell::new() }
    }

    /// A location with a known root, for examples and replays.
    pub fn fixed(root: &str) -> Self {
        let roots = ProjectRoots { root: root.to_owned(), main: None };
        Self { start: None, roots: OnceCell::from(Some(roots)) }
    }

    /// A location whose roots were found before, for many calls in one project.
    pub fn known(roots: Option<ProjectRoots>) -> Self {
        Self { start: None, roots: OnceCell::from(roots) }
    }

    /// The project's roots. `None` if the call does not say where it happens.
    pub fn roots(&self) -> Option<&ProjectRoots> {
        self.roots.get_or_init(|| self.start.as_ref().map(|(start, disk)| find_roots(start, *disk))).as_ref()
    }
}

/// Finds the roots of a project by walking up from `start`, an absolute path.
pub fn find_roots(start: &str, disk: &dyn Disk) -> ProjectRoots {
    let mut folder = Some(start);
    while let Some(here) = folder {
        let git = path::join(here, ".git");
        if disk.holds(&git) {
            return ProjectRoots { root: here.to_owned(), main: main_work_tree(&git, disk) };
        }
        if disk.holds(&path::join(here, ".lessons")) {
            return ProjectRoots { root: here.to_owned(), main: None };
        }
        folder = path::parent(here);
    }
    ProjectRoots { root: start.to_owned(), main: None }
}

/// The main work tree to which a `.git` file points: `gitdir: /main/.git/worktrees/name`.
///
/// A sub-module's `.git` file points into `.git/modules/` and is a project of its own.
fn main_work_tree(git: &str, disk: &dyn Disk) -> Option<String> {
    let text = disk.small_file(git)?;
    let target = path::lexical(&path::join(path::parent(git)?, text.strip_prefix("gitdir:")?.trim()));
    let worktrees = path::parent(&target)?;
    let git_folder = path::parent(worktrees)?;
    let linked = path::name(worktrees) == "worktrees" && path::name(git_folder) == ".git";
    linked.then(|| path::parent(git_folder).map(str::to_owned)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_holds_its_root_and_what_is_below_and_no_namesake() {
        let roots = |root: &str| ProjectRoots { root: root.into(), main: None };
        assert!(roots("/foo/bar").within("/foo/bar"));
        assert!(roots("/foo/bar/x").within("/foo/bar"));
        assert!(!roots("/foo/bar-baz").within("/foo/bar"));
        assert!(!roots("/foo-bar/baz").within("/foo/bar-baz"));
    }
}
