//! Files of shared events, which the journal records by their paths: each is a change of its own.
//!
//! Undoing one removes the file. What has left the folder by then, by git or by a sync, is not called back by that.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::slice;

use lessons_store::{Lock, WriteError, durable};
use rusqlite::Row;

use crate::database::{Database, DatabaseError};
use crate::error::Result;
use crate::journal::{Deed, Difference, Thing, ThingKind};
use crate::transaction;

impl Database {
    /// Returns the folders into which something was ever shared.
    pub fn shared_folders(&self) -> Result<BTreeSet<PathBuf>, DatabaseError> {
        let folder = |row: &Row<'_>| Ok(PathBuf::from(row.get::<_, String>(0)?).parent().map(Path::to_owned));
        let sql = "SELECT lesson FROM journal WHERE kind = ?1";
        Ok(self.select(sql, [ThingKind::Shared.name()], folder)?.into_iter().flatten().collect())
    }
}

/// Writes an event into a file at `path`, where nothing is, and records that. Returns the number of the change.
pub fn add(lock: &Lock, database: &mut Database, deed: &Deed, path: &Path, event: &str) -> Result<u64> {
    transaction::settle_what_can_be(lock.home(), database);
    // Before it is announced: what another one wrote is not this change.
    if path.symlink_metadata().is_ok() {
        let source = io::ErrorKind::AlreadyExists.into();
        return Err(WriteError::Io { step: "create", path: path.to_owned(), source }.into());
    }
    let thing = Thing::new(ThingKind::Shared, path.to_string_lossy());
    carry_out(lock, database, deed, &Difference { thing, before: None, after: Some(format!("{event}\n")) })
}

/// Makes the file of an event, or removes it, and records that. Returns the number of the change.
pub(crate) fn carry_out(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    difference: &Difference,
) -> Result<u64> {
    let Difference { thing, after, .. } = difference;
    let path = Path::new(&thing.name);
    let write = || match after {
        Some(text) => durable::create_for_others(path, text.as_bytes()),
        None => durable::remove_elsewhere(path),
    };
    transaction::carry_out(lock.home(), database, deed, slice::from_ref(difference), None, write)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use crate::undo::UndoError;

    impl Scratch {
        fn shared_file(&self) -> PathBuf {
            self.folder.path().join("shared/event.json")
        }

        fn add(&mut self) -> Result<u64> {
            let file = self.shared_file();
            add(&self.lock, &mut self.database, &Deed::new("you", "shared", 7), &file, "{}")
        }

        fn text(&self) -> Option<String> {
            std::fs::read_to_string(self.shared_file()).ok()
        }
    }

    #[test]
    fn a_file_is_written_taken_back_and_written_again() {
        let mut scratch = Scratch::new();
        let shared = scratch.add().unwrap();
        assert_eq!(scratch.text().as_deref(), Some("{}\n"));
        let undone = scratch.undo(shared);
        assert_eq!(scratch.text(), None);
        scratch.undo(undone);
        assert_eq!(scratch.text().as_deref(), Some("{}\n"));
    }

    #[test]
    fn nothing_is_written_over_and_what_was_changed_is_not_removed() {
        let mut scratch = Scratch::new();
        let shared = scratch.add().unwrap();
        assert!(scratch.add().is_err());
        assert_eq!(scratch.text().as_deref(), Some("{}\n"));
        std::fs::write(scratch.shared_file(), "changed").unwrap();
        assert!(matches!(scratch.try_undo(shared), Err(UndoError::NotAsLeft { .. })));
        assert_eq!(scratch.text().as_deref(), Some("changed"));
    }

    #[test]
    fn a_change_that_died_before_the_file_never_was_and_one_that_died_after_it_is_done() {
        let mut scratch = Scratch::new();
        let thing = Thing::new(ThingKind::Shared, scratch.shared_file().to_string_lossy());
        let difference = Difference { thing, before: None, after: Some("{}\n".to_owned()) };
        for (is_written, expected) in [(false, None), (true, Some(()))] {
            let deed = Deed::new("you", "shared", 8);
            let number = scratch.database.announce(&deed, std::slice::from_ref(&difference), None).unwrap().0;
            if is_written {
                durable::create_for_others(&scratch.shared_file(), b"{}\n").unwrap();
            }
            transaction::recover(&scratch.lock, &mut scratch.database).unwrap();
            assert_eq!(scratch.database.whole_change(number).unwrap().map(drop), expected);
        }
    }
}
