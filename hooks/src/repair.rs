//! An index that cannot be used is made anew by `lessons index`, which a hook starts and gives a moment.
//!
//! One file decides between parallel hooks, and remembers a failure. Its lock is held by who looks, and then, as its
//! standard input, by the program that was started: so it lasts exactly as long as that runs, whoever else ends. It is
//! not empty from when a program is started, whose success removes it; so one that is there, not empty and of the last
//! minute tells of a failure.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use lessons_core::files;
use lessons_core::home::{Environment, Home};
use lessons_core::index::file::IndexFile;
use lessons_core::index::header::Identity;
use nix::fcntl::OFlag;

use crate::background;

/// How long a call waits for an index.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a waiting hook sleeps between two looks.
const PAUSE: Duration = Duration::from_millis(5);
/// After a failure nobody tries again for so long.
const REST: Duration = Duration::from_mins(1);

/// Has the index of a data folder made anew, and opens it. `unusable` is the one that is there, if it could be opened.
///
/// `None` where that cannot be begun, has just failed, or takes too long. It goes on by itself.
pub(crate) fn renewed(
    home: &Home,
    environment: &Environment,
    unusable: Option<Identity>,
) -> Option<IndexFile> {
    let usable = || IndexFile::open(home).filter(|index| Some(index.identity()) != unusable);
    let path = home.index_attempt();
    let until = Instant::now() + PATIENCE;
    begin(home, &path, environment, || usable().is_some())?;
    loop {
        // In this order: who is done has published before.
        let goes_on = is_running(&path);
        let found = usable();
        if found.is_some() || !goes_on || Instant::now() >= until {
            return found;
        }
        sleep(PAUSE);
    }
}

/// Starts the program, unless one runs, has just failed or has just been done. `None` where nothing can be started.
fn begin(home: &Home, path: &Path, environment: &Environment, is_done: impl FnOnce() -> bool) -> Option<()> {
    // A data folder is made by the first scan, or by a person.
    files::check_folder(home.root()).ok()?;
    files::ensure_folder(&home.log()).ok()?;
    let attempt = open(OpenOptions::new().write(true).create(true).truncate(false), path)?;
    match attempt.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Some(()),
        Err(TryLockError::Error(_)) => return None,
    }
    if is_done() || has_just_failed(&attempt)? {
        return Some(());
    }
    let mut command = background::program("lessons", environment)?;
    // Where it cannot be written down that this was tried, every call would try.
    attempt.set_len(1).and_then(|()| attempt.set_modified(SystemTime::now())).ok()?;
    // Not waited for: it outlives this process by design. The lock goes with it.
    command.arg("index").stdin(attempt).spawn().ok().map(drop)
}

/// Whether the last attempt failed, less than [`REST`] ago. A time that is still to come is no reason to wait for it.
fn has_just_failed(attempt: &File) -> Option<bool> {
    let found = attempt.metadata().ok()?;
    let age = found.modified().ok()?.elapsed();
    Some(found.len() > 0 && age.is_ok_and(|age| age < REST))
}

/// Whether somebody holds the lock.
fn is_running(path: &Path) -> bool {
    let attempt = open(OpenOptions::new().read(true), path);
    attempt.is_some_and(|attempt| matches!(attempt.try_lock(), Err(TryLockError::WouldBlock)))
}

fn open(options: &mut OpenOptions, path: &Path) -> Option<File> {
    options.mode(0o600).custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits()).open(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(dir: &Path, length: u64, age: Duration) -> File {
        let file = open(OpenOptions::new().write(true).create(true), &dir.join("attempt")).unwrap();
        file.set_len(length).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
        file
    }

    #[test]
    fn only_what_was_begun_in_the_last_minute_and_left_tells_of_a_failure() {
        let dir = tempfile::tempdir().unwrap();
        let failed = |length, age| has_just_failed(&attempt(dir.path(), length, age)).unwrap();
        assert!(failed(1, Duration::from_secs(30)));
        assert!(!failed(1, Duration::from_secs(90)));
        assert!(!failed(0, Duration::from_secs(30)), "somebody has looked, and started nothing");
        let file = attempt(dir.path(), 1, Duration::ZERO);
        file.set_modified(SystemTime::now() + Duration::from_hours(1)).unwrap();
        assert!(!has_just_failed(&file).unwrap(), "the clock went back");
    }

    #[test]
    fn it_runs_as_long_as_somebody_holds_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("attempt");
        assert!(!is_running(&path));
        let held = attempt(dir.path(), 1, Duration::ZERO);
        held.try_lock().unwrap();
        assert!(is_running(&path));
        drop(held);
        assert!(!is_running(&path));
    }

    #[test]
    fn where_there_is_no_data_folder_nothing_is_begun_and_nothing_made() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        assert!(renewed(&home, &Environment::default(), None).is_none());
        assert!(!home.root().exists());
    }
}
