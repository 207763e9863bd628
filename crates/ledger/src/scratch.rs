//! A data folder for tests, locked and with its database.

use std::time::Duration;

use lessons_home::Home;
use lessons_store::Lock;

use crate::database::Database;
use crate::journal::Deed;
use crate::undo::{self, UndoError};

pub(crate) struct Scratch {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) lock: Lock,
    pub(crate) database: Database,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("data"));
        let lock = Lock::acquire(&home, Duration::from_secs(5)).unwrap();
        let database = Database::open(&home).unwrap();
        Self { folder, lock, database }
    }

    /// Undoes a change. Returns the number of the change that does so.
    pub(crate) fn try_undo(&mut self, number: u64) -> Result<u64, UndoError> {
        let deed = Deed::new("you", "undone", 9);
        undo::undo(&self.lock, &mut self.database, number, &deed).map(|undone| undone.change)
    }

    pub(crate) fn undo(&mut self, number: u64) -> u64 {
        self.try_undo(number).unwrap()
    }
}
