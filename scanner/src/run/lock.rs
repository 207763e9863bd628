//! The lock that allows one scanner at a time.

use std::fs::File;

use lessons_home::files::FileError;
use lessons_home::{Home, files};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

/// The lock that is held while a scan runs. The kernel releases it when the process ends, however it ends, so no
/// lock is ever stale.
#[derive(Debug)]
pub struct ScanLock {
    _held: Flock<File>,
}

impl ScanLock {
    /// Takes the lock. `None` when another scanner has it.
    ///
    /// The data folder itself is locked: that needs no further file, and is independent of the lock of the store,
    /// which a scan must not hold for seconds.
    pub fn take(home: &Home) -> Result<Option<Self>, FileError> {
        files::ensure_folder(home.root())?;
        let io = |source| FileError::Io { path: home.root().to_owned(), source };
        let folder = File::open(home.root()).map_err(io)?;
        match Flock::lock(folder, FlockArg::LockExclusiveNonblock) {
            Ok(held) => Ok(Some(Self { _held: held })),
            Err((_, Errno::EWOULDBLOCK)) => Ok(None),
            Err((_, error)) => Err(io(error.into())),
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
