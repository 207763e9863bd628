//! Copies of the store and the database, a few nights back.
//!
//! `backups/nightly-<day>.json` is the store, `backups/nightly-<day>.decisions.json` what a person decided, and
//! `backups/nightly-<day>.db` the database, whole and without a journal beside it. A copy gets its name only when it has
//! been opened and found sound, so whatever
//! has such a name can be put back: `cp` over the file it was made of, while nothing of ours runs. A
//! second one on the same day takes the place of the first.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_store::{Decisions, decisions, durable, load};
use lessons_text::digest;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

use crate::database::{Database, DatabaseError, SqlResult};
use crate::error::{LedgerError, Result};

/// The number of nights whose copies are kept.
pub const NIGHTS_KEPT: usize = 14;
/// The prefix of the names of all copies.
const PREFIX: &str = "nightly-";

/// The number of kept backups of stores that a write would not preserve exactly.
const MAX_BACKUPS: usize = 20;

/// The copies of one night.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Backup {
    /// The copy of the store; `None` where there is no store yet.
    pub store: Option<PathBuf>,
    /// The copy of the database.
    pub database: PathBuf,
    /// The number of nights with copies, this one included.
    pub nights: usize,
}

/// Copies the store and the database of `home` under the name of `day`, looks whether the copies are
/// sound, and removes those beyond [`NIGHTS_KEPT`].
pub fn take(home: &Home, database: &Database, day: Date) -> Result<Backup> {
    let folder = home.backups();
    files::ensure_folder(&folder)?;
    durable::sweep(&folder)?;
    let store = load::stored(home)?.bytes.map(|bytes| (folder.join(format!("{PREFIX}{day}.json")), bytes));
    store.iter().try_for_each(|(copy, bytes)| durable::replace(copy, bytes))?;
    if let Some(bytes) = files::read(&home.decisions(), decisions::MAX_BYTES)? {
        Decisions::parse(&home.decisions(), &bytes)?;
        durable::replace(&folder.join(format!("{PREFIX}{day}.{}", decisions::FILE)), &bytes)?;
    }
    let copy = folder.join(format!("{PREFIX}{day}.db"));
    durable::replace_by(&copy, |unfinished| {
        database.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()])?;
        check_database(unfinished)
    })?;
    let mut days = days(&folder)?;
    while days.len() > NIGHTS_KEPT {
        let oldest = days.remove(0);
        for kind in ["db", "json", decisions::FILE] {
            durable::remove(&folder.join(format!("{PREFIX}{oldest}.{kind}")))?;
        }
    }
    Ok(Backup { store: store.map(|(copy, _)| copy), database: copy, nights: days.len() })
}

/// Runs SQLite's integrity check on a copy.
fn check_database(copy: &Path) -> Result<()> {
    let unsound = |error: rusqlite::Error| LedgerError::Unsound(error.to_string());
    let copy = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY);
    match copy.and_then(|copy| first_fault(&copy)).map_err(unsound)? {
        None => Ok(()),
        Some(fault) => Err(LedgerError::Unsound(fault)),
    }
}

/// What SQLite's integrity check says; `None` where it finds no fault.
fn first_fault(connection: &Connection) -> SqlResult<Option<String>> {
    let said: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    Ok((said != "ok").then_some(said))
}

/// The newest copy of the database; `None` where there is none.
pub fn latest(home: &Home) -> Result<Option<PathBuf>, FileError> {
    let folder = home.backups();
    let copies = days(&folder)?.into_iter().rev().map(|day| folder.join(format!("{PREFIX}{day}.db")));
    Ok(copies.into_iter().find(|copy| copy.is_file()))
}

/// The days of which there are copies, the oldest first.
fn days(folder: &Path) -> Result<Vec<Date>, FileError> {
    let names = files::entries(folder)?.into_iter().map(|entry| entry.file_name());
    let day = |name: OsString| name.to_str()?.strip_prefix(PREFIX)?.split_once('.')?.0.parse().ok();
    let mut days: Vec<Date> = names.filter_map(day).collect();
    days.sort();
    days.dedup();
    Ok(days)
}

/// Backs up bytes that a write would not preserve exactly, under a name made from their hash.
pub(crate) fn back_up(home: &Home, bytes: &[u8]) -> Result<()> {
    let folder = home.backups();
    files::ensure_folder(&folder)?;
    durable::replace(&folder.join(format!("lessons-{}.json", digest::hex(bytes, 12))), bytes)?;
    let mut copies: Vec<_> = files::entries(&folder)?
        .into_iter()
        .filter(|entry| {
            let name = entry.file_name();
            name.to_str().and_then(|name| name.strip_prefix("lessons-")?.strip_suffix(".json")).is_some()
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    copies.sort();
    for (_, path) in copies.iter().rev().skip(MAX_BACKUPS) {
        durable::remove(path)?;
    }
    Ok(())
}

impl Database {
    /// Returns the first fault that SQLite's integrity check finds; `None` without one.
    pub fn unsound(&self) -> Result<Option<String>, DatabaseError> {
        self.read(first_fault)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    const STORE: &str = "{\"version\":1,\"lessons\":{},\"topics\":{},\"triggers\":{}}\n";

    struct Scratch {
        _dir: tempfile::TempDir,
        home: Home,
        database: Database,
    }

    impl Scratch {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let home = Home::at(dir.path().join("data"));
            let database = Database::open(&home).unwrap();
            std::fs::write(home.lessons(), STORE).unwrap();
            Self { _dir: dir, home, database }
        }

        fn begin(&self, session: &str) {
            self.database.execute("INSERT INTO kin (session, root) VALUES (?1, 'line')", [session]).unwrap();
        }

        fn take(&self, day: &str) -> Result<Backup> {
            take(&self.home, &self.database, day.parse().unwrap())
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(self.home.backups()).unwrap().flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn a_copy_can_be_put_back() {
        let scratch = Scratch::new();
        scratch.begin("session");
        let backup = scratch.take("2026-11-20").unwrap();
        assert_eq!(std::fs::read_to_string(backup.store.unwrap()).unwrap(), STORE);
        assert_eq!(std::fs::metadata(&backup.database).unwrap().mode() & 0o777, 0o600);
        assert_eq!(scratch.names(), ["nightly-2026-11-20.db", "nightly-2026-11-20.json"]);
        let other = Home::at(scratch.home.root().join("other"));
        files::ensure_folder(other.root()).unwrap();
        std::fs::copy(&backup.database, other.database()).unwrap();
        let copy = Database::open(&other).unwrap();
        let known: i64 = copy.connection.query_row("SELECT count(*) FROM kin", [], |row| row.get(0)).unwrap();
        assert_eq!((known, copy.unsound().unwrap()), (1, None));
    }

    #[test]
    fn what_a_person_decided_in_files_is_copied_too_and_only_sound() {
        let scratch = Scratch::new();
        Decisions::none(&scratch.home).write(&scratch.home).unwrap();
        scratch.take("2026-11-20").unwrap();
        assert!(scratch.names().iter().any(|name| name == "nightly-2026-11-20.decisions.json"));
        std::fs::write(scratch.home.decisions(), "{}").unwrap();
        assert!(matches!(scratch.take("2026-11-21"), Err(LedgerError::Decisions(_))));
        assert!(!scratch.names().iter().any(|name| name == "nightly-2026-11-21.decisions.json"));
    }

    #[test]
    fn fourteen_nights_are_kept_and_what_is_not_ours_stays() {
        let scratch = Scratch::new();
        scratch.take("2026-11-01").unwrap();
        std::fs::write(scratch.home.backups().join("nightly-notes.txt"), "mine").unwrap();
        for day in 2..=16 {
            assert_eq!(scratch.take(&format!("2026-11-{day:02}")).unwrap().nights, NIGHTS_KEPT.min(day));
        }
        let names = scratch.names();
        assert_eq!(names.len(), 2 * NIGHTS_KEPT + 1);
        assert_eq!(names[0], "nightly-2026-11-03.db");
        assert_eq!(scratch.take("2026-11-16").unwrap().nights, NIGHTS_KEPT, "the same night again");
    }

    #[test]
    fn a_store_that_cannot_be_read_takes_the_place_of_no_good_copy() {
        let scratch = Scratch::new();
        scratch.take("2026-11-20").unwrap();
        std::fs::write(scratch.home.lessons(), "{\"lessons\":").unwrap();
        assert!(matches!(scratch.take("2026-11-20"), Err(LedgerError::Load(_))));
        let kept = std::fs::read_to_string(scratch.home.backups().join("nightly-2026-11-20.json"));
        assert_eq!(kept.unwrap(), STORE);
    }

    #[test]
    fn a_copy_that_is_damaged_is_found_out() {
        let scratch = Scratch::new();
        for n in 0..500 {
            scratch.begin(&format!("session-{n}"));
        }
        let copy = scratch.take("2026-11-20").unwrap().database;
        let mut bytes = std::fs::read(&copy).unwrap();
        let page = bytes.len() / 4096 / 2 * 4096;
        // The header of a page somewhere, not of the file.
        let middle = bytes.windows(9).rposition(|window| window == b"session-3").unwrap() / 4096 * 4096;
        bytes[middle.max(page.min(4096))..][..64].fill(0xff);
        std::fs::write(&copy, bytes).unwrap();
        assert!(matches!(check_database(&copy), Err(LedgerError::Unsound(_))));
    }

    #[test]
    fn without_a_store_there_is_nothing_to_copy_of_it() {
        let scratch = Scratch::new();
        std::fs::remove_file(scratch.home.lessons()).unwrap();
        assert_eq!(scratch.take("2026-11-20").unwrap().store, None);
    }
}
