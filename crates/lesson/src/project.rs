//! The location of a call: the machine, and the root of the project there.

use std::cell::OnceCell;

use crate::conditions::{Os, Shell};
use lessons_text::path;

/// The longest `.git` file that is read, in bytes: one line with a path.
pub const GIT_FILE_LIMIT: usize = 4096;
/// Where projects keep lessons in Markdown, from their roots, `/` between folders.
pub const LESSONS_FILES: [&str; 8] = [
    "tasks/lessons.md",
    "lessons.md",
    "LESSONS.md",
    "docs/lessons.md",
    ".claude/lessons.md",
    ".claude/lessons-learned.md",
    ".learnings/LEARNINGS.md",
    ".learnings/ERRORS.md",
];

/// The part of a disk that the search for a project's root needs.
pub trait Disk {
    /// Whether a file or folder with this path exists. A link counts, wherever it leads.
    fn holds(&self, path: &str) -> bool;
    /// The text of a regular file of at most [`GIT_FILE_LIMIT`] bytes. A link is not followed.
    fn small_file(&self, path: &str) -> Option<String>;
}

/// The machine on which a call is made, as far as lessons ask for it.
pub trait Machine: Disk {
    /// The operating system; `None` if it is none that a condition can name.
    fn os(&self) -> Option<Os>;
    /// The shell that runs commands; `None` if it is none that a condition can name.
    fn shell(&self) -> Option<Shell>;
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

/// The location of a call. The roots are searched at most once, and only if they are needed.
pub struct ProjectLocation<'m> {
    start: Option<String>,
    machine: Option<&'m dyn Machine>,
    roots: OnceCell<Option<ProjectRoots>>,
}

impl<'m> ProjectLocation<'m> {
    /// The location below `start`: the folder in which the client was launched, else the working folder.
    pub fn at(start: Option<&str>, machine: &'m dyn Machine) -> Self {
        let start = start.filter(|start| path::is_absolute(start)).map(path::lexical);
        Self { start, machine: Some(machine), roots: OnceCell::new() }
    }

    /// A location with a known root on no machine, for examples.
    pub fn fixed(root: &str) -> Self {
        let roots = ProjectRoots { root: root.to_owned(), main: None };
        Self { start: None, machine: None, roots: OnceCell::from(Some(roots)) }
    }

    /// A location whose roots were found before, for many calls in one project.
    pub fn known(roots: Option<ProjectRoots>, machine: &'m dyn Machine) -> Self {
        Self { start: None, machine: Some(machine), roots: OnceCell::from(roots) }
    }

    /// The project's roots. `None` if the call does not say where it happens.
    pub fn roots(&self) -> Option<&ProjectRoots> {
        let found = || Some(find_roots(self.start.as_deref()?, self.machine?));
        self.roots.get_or_init(found).as_ref()
    }

    /// The operating system, if a condition can name it. A transcript may come from another machine: then its folder is
    /// not on this one, and the folder's path says on which system it was.
    pub fn os(&self) -> Option<Os> {
        let machine = self.machine?;
        let here = machine.os();
        let elsewhere = |folder| os_of_path(folder).filter(|os| Some(*os) != here && !machine.holds(folder));
        self.folder().and_then(elsewhere).or(here)
    }

    /// The folder of the call, as far as it is known without a search.
    fn folder(&self) -> Option<&str> {
        let root = || self.roots.get()?.as_ref().map(|roots| roots.root.as_str());
        self.start.as_deref().or_else(root)
    }

    /// The shell that runs commands, if a condition can name it.
    pub fn shell(&self) -> Option<Shell> {
        self.machine?.shell()
    }

    /// Whether an absolute path is not there. In an example every state of the disk holds.
    pub fn is_missing(&self, path: &str) -> bool {
        self.machine.is_none_or(|machine| !machine.holds(path))
    }

    /// Whether an absolute path is there. In an example every state of the disk holds.
    pub fn is_there(&self, path: &str) -> bool {
        self.machine.is_none_or(|machine| machine.holds(path))
    }
}

/// The system on which the home folders are where this path leads.
fn os_of_path(path: &str) -> Option<Os> {
    [("/Users", Os::Macos), ("/home", Os::Linux)]
        .into_iter()
        .find_map(|(homes, os)| path::below(path, homes).map(|_| os))
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

    /// A machine with this system, on which only `/Users/ana/here` and `/home/ana/here` are.
    struct Known(Option<Os>);

    impl Disk for Known {
        fn holds(&self, path: &str) -> bool {
            ["/Users/ana/here", "/home/ana/here"].contains(&path)
        }
        fn small_file(&self, _: &str) -> Option<String> {
            None
        }
    }

    impl Machine for Known {
        fn os(&self) -> Option<Os> {
            self.0
        }
        fn shell(&self) -> Option<Shell> {
            None
        }
    }

    #[test]
    fn a_folder_that_is_not_here_says_the_system_on_which_it_was() {
        for (here, folder, expected) in [
            (Some(Os::Linux), "/Users/ana/here", Some(Os::Linux)),
            (Some(Os::Linux), "/Users/ana/gone", Some(Os::Macos)),
            (Some(Os::Linux), "/Usersfolder/gone", Some(Os::Linux)),
            (Some(Os::Linux), "/srv/gone", Some(Os::Linux)),
            (Some(Os::Macos), "/home/ana/here", Some(Os::Macos)),
            (Some(Os::Macos), "/home/ana/gone", Some(Os::Linux)),
            (None, "/home/ana/gone", Some(Os::Linux)),
            (None, "/srv/gone", None),
        ] {
            let machine = Known(here);
            assert_eq!(ProjectLocation::at(Some(folder), &machine).os(), expected, "{here:?} {folder}");
            let roots = ProjectRoots { root: folder.into(), main: None };
            assert_eq!(ProjectLocation::known(Some(roots), &machine).os(), expected, "{here:?} {folder}");
        }
        assert_eq!(ProjectLocation::at(None, &Known(Some(Os::Linux))).os(), Some(Os::Linux));
        assert_eq!(ProjectLocation::fixed("/home/ana/gone").os(), None);
    }
}
