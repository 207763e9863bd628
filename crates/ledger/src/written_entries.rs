//! Entries of files of lessons, as a person imported them: candidates, each with the place where it is written.

use crate::candidates::{Finding, Sighting};
use crate::database::{Database, DatabaseError};
use crate::journal::Deed;
use crate::sightings::{Intake, Recorded};

/// The start of the uuid of an entry's sighting: no transcript holds it.
pub const ENTRY: &str = "entry-";

impl Database {
    /// Records the entries of a file. An entry whose text was decided about stays decided.
    pub fn record_entries(
        &mut self,
        entries: &[(Finding, Sighting)],
        deed: &Deed,
    ) -> Result<Recorded, DatabaseError> {
        self.in_transaction(|change| {
            let mut intake = Intake::begin(change, deed.now)?;
            entries.iter().try_for_each(|(finding, sighting)| intake.take(finding, sighting))?;
            intake.end(deed)
        })
    }

    /// The files whose entries were recorded, each with the root of its project.
    pub fn files_of_entries(&self) -> Result<Vec<(String, Option<String>)>, DatabaseError> {
        let sql = "SELECT DISTINCT file, project FROM sighting WHERE uuid GLOB ?1 ORDER BY file";
        self.select(sql, [format!("{ENTRY}*")], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
