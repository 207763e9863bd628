//! One scanner at a time.

use std::fs::File;
use std::path::PathBuf;

use lessons_core::files::{self, FileError};
use lessons_core::home::Home;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

/// Held while a scan runs. The kernel lets go of it when the process ends, however it ends, so that
/// no lock is ever stale.
#[derive(Debug)]
pub struct ScanLock {
    _held: Flock<File>,
}

impl ScanLock {
    /// Takes the lock. `None` when another scanner has it.
    ///
    /// What is locked is the data folder itself: that needs no file of its own, and stays clear of
    /// the lock that guards the store, which a scan must not keep for seconds.
    pub fn take(home: &Home) -> Result<Option<Self>, FileError> {
        files::ensure_folder(home.root())?;
        let io = |path: PathBuf| move |source| FileError::Io { path, source };
        let folder = File::open(home.root()).map_err(io(home.root().to_owned()))?;
        match Flock::lock(folder, FlockArg::LockExclusiveNonblock) {
            Ok(held) => Ok(Some(Self { _held: held })),
            Err((_, Errno::EWOULDBLOCK)) => Ok(None),
            Err((_, error)) => Err(io(home.root().to_owned())(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_held_once_and_free_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let first = ScanLock::take(&home).unwrap();
        assert!(first.is_some());
        assert!(ScanLock::take(&home).unwrap().is_none());
        drop(first);
        assert!(ScanLock::take(&home).unwrap().is_some());
    }
}
