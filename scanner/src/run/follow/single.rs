//! The lock that allows one follower at a time, and the record of who holds it.
//!
//! `log/follower` names the process and its start, and is locked while it runs. The kernel releases the lock when the
//! process ends, however it ends, so the record counts only while the file is locked.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_store::durable::lock::wait_for;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::transcript::timestamp::Timestamp;

/// Who merely looks holds the lock for a moment too.
const PATIENCE: Duration = Duration::from_millis(100);
/// The most that is read of the file, in bytes.
const LIMIT: u64 = 4096;

/// A follower that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Its process.
    pub process: u32,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
}

/// The lock that the one follower holds.
#[derive(Debug)]
pub struct Single {
    _held: Flock<File>,
}

impl Single {
    /// Becomes the one follower, from `since` on. `None` where there is one.
    pub fn take(home: &Home, since: Timestamp) -> Result<Option<Self>, FileError> {
        files::ensure_folder(&home.log())?;
        let path = path(home);
        let io = |source: io::Error| FileError::Io { path: path.clone(), source };
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = files::open_by(&mut options, &path).map_err(io)?;
        // Judged as every file of ours is.
        files::open(&path)?;
        match wait_for(file, PATIENCE) {
            Ok(held) => {
                let running = Running { process: std::process::id(), since: since.millis() };
                write(&held, &running).map_err(io)?;
                Ok(Some(Self { _held: held }))
            }
            Err(Errno::EWOULDBLOCK) => Ok(None),
            Err(error) => Err(io(error.into())),
        }
    }
}

/// The follower that runs, if there is one.
pub fn running(home: &Home) -> Result<Option<Running>, FileError> {
    let path = path(home);
    let io = |source: io::Error| FileError::Io { path: path.clone(), source };
    if !home.log().exists() {
        return Ok(None);
    }
    let Some(file) = files::open(&path)? else { return Ok(None) };
    match Flock::lock(file, FlockArg::LockSharedNonblock) {
        Ok(_) => Ok(None),
        Err((file, Errno::EWOULDBLOCK)) => {
            let mut bytes = Vec::new();
            file.take(LIMIT).read_to_end(&mut bytes).map_err(io)?;
            // It may be about to write: then it runs since just now, and the next look says so.
            Ok(serde_json::from_slice(&bytes).ok())
        }
        Err((_, error)) => Err(io(error.into())),
    }
}

fn path(home: &Home) -> PathBuf {
    home.log().join("follower")
}

fn write(mut file: &File, running: &Running) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(serde_json::to_string(running)?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_and_it_is_known_since_when() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        assert_eq!(running(&home).unwrap(), None);
        let since = Timestamp::from_millis(1_795_176_000_000);
        let single = Single::take(&home, since).unwrap();
        assert!(single.is_some());
        assert!(Single::take(&home, Timestamp::from_millis(5)).unwrap().is_none());
        let expected = Running { process: std::process::id(), since: 1_795_176_000_000 };
        assert_eq!(running(&home).unwrap(), Some(expected));
        drop(single);
        assert_eq!(running(&home).unwrap(), None, "what it has written is no sign of life");
        assert!(Single::take(&home, since).unwrap().is_some());
    }

    #[test]
    fn a_link_in_its_place_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        files::ensure_folder(&home.log()).unwrap();
        std::os::unix::fs::symlink("/etc/hosts", path(&home)).unwrap();
        assert!(Single::take(&home, Timestamp::from_millis(5)).is_err());
        assert!(running(&home).is_err());
    }
}
