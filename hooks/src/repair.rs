//! The repair of an unusable index: a hook starts `lessons index` and waits a moment for it.
//!
//! One file coordinates parallel hooks and remembers a failure. Its lock is held by the hook that looks, and then, as
//! standard input, by the program that it started: so the lock lasts exactly as long as that program runs, whoever else
//! ends. The file is made non-empty when a program is started, and removed by its success; a program that fails writes the
//! reason into it. So an unlocked, non-empty file of the last minute means a failure. A program that finds another command at
//! work removes the file too, and the hook tries again as long as it waits.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use lessons_home::{Environment, Home, files};
use lessons_index::{Identity, IndexFile};

use crate::background;

/// How long a call waits for an index.
const PATIENCE: Duration = Duration::from_secs(2);
/// The pause between two checks of a waiting hook.
const PAUSE: Duration = Duration::from_millis(5);
/// The pause before a program is started again that met another command at work.
const PAUSE_BEHIND_ANOTHER: Duration = Duration::from_millis(100);
/// The longest reason of a failure that is read, in bytes.
const REASON_LIMIT: u64 = 4096;
/// The time after a failure in which no hook tries again.
const REST: Duration = Duration::from_mins(1);

/// Rebuilds the index of a data folder and opens it. `unusable` identifies the present index, if it could be opened.
///
/// `None` if the rebuild cannot be started, has just failed, or takes too long. It goes on without this process.
pub(crate) fn rebuilt_index(
    home: &Home,
    environment: &Environment,
    unusable: Option<Identity>,
) -> Option<IndexFile> {
    let usable = || IndexFile::open(home).filter(|index| Some(index.identity) != unusable);
    let path = home.index_attempt();
    let until = Instant::now() + PATIENCE;
    begin(home, &path, environment, || usable().is_some())?;
    loop {
        // In this order: a program that has ended has published before.
        let goes_on = is_running(&path);
        let found = usable();
        if found.is_some() || !goes_on && has_failed(&path) || Instant::now() >= until {
            return found;
        }
        if goes_on {
            sleep(PAUSE);
        } else {
            sleep(PAUSE_BEHIND_ANOTHER);
            begin(home, &path, environment, || usable().is_some())?;
        }
    }
}

/// Starts the program, unless it runs, has just failed or has just succeeded. `None` if it cannot be started.
fn begin(home: &Home, path: &Path, environment: &Environment, is_done: impl FnOnce() -> bool) -> Option<()> {
    // A data folder is created by the first session start, or by a person.
    files::check_folder(home.root()).ok()?;
    files::ensure_folder(&home.log()).ok()?;
    let attempt = files::open_by(OpenOptions::new().write(true).create(true).truncate(false), path).ok()?;
    match attempt.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Some(()),
        Err(TryLockError::Error(_)) => return None,
    }
    if is_done() || has_just_failed(&attempt)? {
        return Some(());
    }
    let mut command = background::program("lessons", environment)?;
    // Without a record of the attempt every call would make one.
    attempt.set_len(1).and_then(|()| attempt.set_modified(SystemTime::now())).ok()?;
    // Nobody waits for it: it outlives this process by design. The lock goes with it.
    command.arg("index").stdin(attempt).spawn().ok().map(drop)
}

/// Whether the last program failed, other than by meeting another command at work.
fn has_failed(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.len() > 0)
}

/// Whether the last attempt failed, less than [`REST`] ago. A time in the future does not count.
fn has_just_failed(attempt: &File) -> Option<bool> {
    let found = attempt.metadata().ok()?;
    let age = found.modified().ok()?.elapsed();
    Some(found.len() > 0 && age.is_ok_and(|age| age < REST))
}

/// The reason that the last attempt left behind when it failed.
pub(crate) fn failure(home: &Home) -> Option<String> {
    let left = files::read(&home.index_attempt(), REASON_LIMIT).ok()??;
    // A program that did not come so far leaves the byte that marked its start.
    String::from_utf8(left).ok().filter(|reason| !reason.starts_with('\0'))
}

/// Whether another process holds the lock.
fn is_running(path: &Path) -> bool {
    let attempt = files::open_by(OpenOptions::new().read(true), path);
    attempt.is_ok_and(|attempt| matches!(attempt.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(dir: &Path, length: u64, age: Duration) -> File {
        let file = files::open_by(OpenOptions::new().write(true).create(true), &dir.join("attempt")).unwrap();
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
        assert!(rebuilt_index(&home, &Environment::default(), None).is_none());
        assert!(!home.root().exists());
    }
}
