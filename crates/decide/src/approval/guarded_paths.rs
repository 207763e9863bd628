//! The paths that decide what is guarded.

/// The paths that decide what is guarded on this machine. The name `.lessons` is the same everywhere.
#[derive(Debug, Clone, Copy)]
pub struct GuardedPaths<'a> {
    /// The data folder, absolute.
    pub home: &'a str,
    /// The user's home folder, which `~` and `$HOME` stand for.
    pub user_home: Option<&'a str>,
}
