//! Entries of files of lessons, as a person imported them: candidates, each with the place where it is written.

use rusqlite::Transaction;

use crate::candidates::{Finding, Sighting, StatusWatch, id_of};
use crate::database::{Database, DatabaseError};
use crate::forget::memory::ForgottenTexts;
use crate::journal::{Deed, rows};
use crate::sightings::{Recorded, link, see};

/// The start of the uuid of an entry's sighting: no transcript holds it.
pub const ENTRY: &str = "entry-";

impl Database {
    /// Records the entries of a file. An entry whose text was decided about stays decided.
    pub fn record_entries(
        &mut self,
        entries: &[(Finding, Sighting)],
        deed: &Deed,
        now: u64,
    ) -> Result<Recorded, DatabaseError> {
        self.in_transaction(|change| record(change, entries, deed, now))
    }

    /// The files whose entries were recorded, each with the root of its project.
    pub fn files_of_entries(&self) -> Result<Vec<(String, Option<String>)>, DatabaseError> {
        let sql = "SELECT DISTINCT file, project FROM sighting WHERE uuid GLOB ?1 ORDER BY file";
        self.select(sql, [format!("{ENTRY}*")], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

fn record(
    change: &Transaction<'_>,
    entries: &[(Finding, Sighting)],
    deed: &Deed,
    now: u64,
) -> rusqlite::Result<Recorded> {
    let memory = ForgottenTexts::of(change)?;
    let (mut recorded, mut watched) = (Recorded::default(), StatusWatch::default());
    for (finding, sighting) in entries {
        if memory.knows(finding) {
            recorded.forgotten += 1;
            continue;
        }
        let id = id_of(finding);
        watched.look_at(change, &id)?;
        let known = see(change, &id, finding, sighting, now)?;
        link(change, &id, sighting, now)?;
        *if known { &mut recorded.again } else { &mut recorded.new } += 1;
    }
    rows::note_part(change, deed, &watched.differences(change)?)?;
    Ok(recorded)
}
