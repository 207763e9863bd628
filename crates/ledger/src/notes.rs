//! Notes: candidates that an agent files by itself, through a tool of ours. Like every candidate they wait for a person.

use rusqlite::params;

use crate::candidates::{Finding, Sighting};
use crate::database::{Database, DatabaseError};
use crate::integers::signed;
use crate::journal::Deed;
use crate::sightings::Recorded;

/// The source of a candidate that was filed as a note.
pub const SOURCE: &str = "note";
/// What the file of a note's sighting is called: no transcript holds it.
pub const FILE: &str = "lessons mcp";
/// The actor in the journal.
const ACTOR: &str = "an agent, by a note";

impl Database {
    /// Returns how many notes were filed since `time`, in milliseconds since 1970.
    pub fn notes_since(&self, time: u64) -> Result<usize, DatabaseError> {
        let sql = "SELECT count(*) FROM sighting WHERE file = ?1 AND time >= ?2";
        self.value(sql, params![FILE, signed(time)])
    }

    /// Files a note. `sighting` says who files it and where; its file is set. `now` is in milliseconds since 1970.
    pub fn record_note(
        &mut self,
        finding: Finding,
        sighting: Sighting,
        now: u64,
    ) -> Result<Recorded, DatabaseError> {
        let sighting = Sighting { file: FILE.to_owned(), ..sighting };
        self.record_entries(&[(finding, sighting)], &Deed::new(ACTOR, "noted", now))
    }
}

#[cfg(test)]
mod tests {
    use lessons_home::home::Home;

    use super::*;

    #[test]
    fn a_note_is_a_candidate_and_the_same_note_is_one_too() {
        let dir = tempfile::tempdir().unwrap();
        let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        let finding = Finding {
            source: SOURCE.into(),
            mistake: "it pushes over others".into(),
            fix: "use --safe".into(),
            ..Finding::default()
        };
        let seen = |uuid: &str, time| Sighting {
            uuid: uuid.into(),
            session: "s".into(),
            time,
            ..Sighting::default()
        };
        let id = crate::candidates::id_of(&finding);
        let mut filed = |uuid, time| database.record_note(finding.clone(), seen(uuid, time), time).unwrap();
        assert_eq!(filed("a", 5), Recorded { new: 1, ..Recorded::default() });
        assert_eq!(filed("b", 9), Recorded { again: 1, ..Recorded::default() });
        assert_eq!((database.notes_since(0).unwrap(), database.notes_since(6).unwrap()), (2, 1));
        assert_eq!(database.sightings(&id).unwrap()[0].file, FILE);
    }
}
