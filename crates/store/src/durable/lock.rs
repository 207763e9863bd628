//! The lock that guards `lessons.json`, `decisions.json` and publishing.
//!
//! A lock of the kernel: it ends with the process that holds it, so none is ever left behind. Who
//! needs the database too takes this one first.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use lessons_home::files::FileError;
use lessons_home::{Home, files};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::durable;

/// The time that a command waits for another one.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// An error that kept the lock from being taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The file or its folder cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process holds the lock of this data folder.
    #[error("another `lessons` is changing {0}; try again when it is done")]
    Busy(PathBuf),
}

/// The lock, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    home: Home,
    _held: Flock<std::fs::File>,
}

impl Lock {
    /// Takes the lock of `home`, which is made if it is not there, waiting at most `patience`.
    pub fn acquire(home: &Home, patience: Duration) -> Result<Self, LockError> {
        files::ensure_folder(home.root())?;
        let path = home.lock();
        let io = |source| FileError::Io { path: path.clone(), source };
        if files::open(&path)?.is_none() {
            durable::ensure(&path)?;
        }
        let file = files::open(&path)?.ok_or_else(|| io(std::io::ErrorKind::NotFound.into()))?;
        let held = wait_for(file, patience).map_err(|error| match error {
            Errno::EWOULDBLOCK => LockError::Busy(home.root().to_owned()),
            other => io(other.into()).into(),
        })?;
        Ok(Self { home: home.clone(), _held: held })
    }

    /// Returns the home that the lock guards.
    pub fn home(&self) -> &Home {
        &self.home
    }
}

/// Tries until the lock of a file is taken or the time is up. `flock` itself would wait for ever.
///
/// # Errors
/// `EWOULDBLOCK` where another process holds it.
pub fn wait_for(mut file: std::fs::File, patience: Duration) -> Result<Flock<std::fs::File>, Errno> {
    let start = Instant::now();
    loop {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(held) => return Ok(held),
            Err((_, error)) if error != Errno::EWOULDBLOCK && error != Errno::EINTR => return Err(error),
            Err((_, error)) if start.elapsed() >= patience => return Err(error),
            Err((back, _)) => file = back,
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_has_it_and_waiting_ends() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let held = Lock::acquire(&home, Duration::ZERO).unwrap();
        let error = Lock::acquire(&home, Duration::from_millis(30)).unwrap_err();
        assert!(matches!(error, LockError::Busy(_)), "{error}");
        drop(held);
        Lock::acquire(&home, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_link_in_its_place_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        files::ensure_folder(home.root()).unwrap();
        std::os::unix::fs::symlink("/etc/hosts", home.lock()).unwrap();
        assert!(matches!(Lock::acquire(&home, Duration::ZERO), Err(LockError::File(FileError::Link { .. }))));
    }
}
