//! The files and folders that are guarded: those in which a person's approval is kept.

/// The paths that decide what is guarded on this machine. All other guarded names are the same everywhere.
#[derive(Debug, Clone, Copy)]
pub struct GuardedPaths<'a> {
    /// The data folder, absolute.
    pub home: &'a str,
    /// The user's home folder, which `~` and `$HOME` stand for.
    pub user_home: Option<&'a str>,
}

/// A guarded file or folder that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardedFile {
    /// The data folder, or something in it.
    Home,
    /// The `.lessons` folder of a project, or something in it.
    ProjectFolder,
    /// A list of trusted project stores.
    Trust,
    /// A grant, or a file that switches a lesson off for a session.
    Grant,
}

impl GuardedFile {
    /// A description that completes "This names …".
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Home => "the folder in which Lessons keeps what you have approved",
            Self::ProjectFolder => "a `.lessons` folder, whose lessons guide every session of a project",
            Self::Trust => "a `trust.json`, in which Lessons keeps what you trust",
            Self::Grant => "a file by which Lessons knows what you have allowed in a session",
        }
    }
}
