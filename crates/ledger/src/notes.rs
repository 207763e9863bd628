//! Notes: candidates that an agent files by itself, through a tool of ours. Like every candidate they wait for a person.

use rusqlite::{Transaction, params};

use crate::candidates::{Finding, Sighting, StatusWatch, id_of};
use crate::database::{Database, DatabaseError};
use crate::forget::memory::ForgottenTexts;
use crate::integers::signed;
use crate::journal::{Deed, rows};
use crate::sightings::{link, see};

/// The source of a candidate that was filed as a note.
pub const SOURCE: &str = "note";
/// What the file of a note's sighting is called: no transcript holds it.
pub const FILE: &str = "lessons mcp";
/// The actor in the journal.
const ACTOR: &str = "an agent, by a note";

/// The outcome of filing a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noted {
    /// It became the candidate with this id.
    Recorded(String),
    /// The candidate with this id says the same; it was seen once more.
    Known(String),
    /// It holds a text that a person had forgotten.
    Forgotten,
}

impl Database {
    /// Returns how many notes were filed since `time`, in milliseconds since 1970.
    pub fn notes_since(&self, time: u64) -> Result<usize, DatabaseError> {
        let sql = "SELECT count(*) FROM sighting WHERE file = ?1 AND time >= ?2";
        self.value(sql, params![FILE, signed(time)])
    }

    /// Files a note. `sighting` says who files it and where; its file is set. `now` is in milliseconds since 1970.
    pub fn record_note(
        &mut self,
        finding: &Finding,
        sighting: Sighting,
        now: u64,
    ) -> Result<Noted, DatabaseError> {
        let sighting = Sighting { file: FILE.to_owned(), ..sighting };
        self.in_transaction(|change| record(change, finding, &sighting, now))
    }
}

fn record(
    change: &Transaction<'_>,
    finding: &Finding,
    sighting: &Sighting,
    now: u64,
) -> rusqlite::Result<Noted> {
    if ForgottenTexts::of(change)?.knows(finding) {
        return Ok(Noted::Forgotten);
    }
    let id = id_of(finding);
    let mut watched = StatusWatch::default();
    watched.look_at(change, &id)?;
    let is_known = see(change, &id, finding, sighting, now)?;
    link(change, &id, sighting, now)?;
    rows::note_part(change, &Deed::new(ACTOR, "noted", now), &watched.differences(change)?)?;
    Ok(if is_known { Noted::Known(id) } else { Noted::Recorded(id) })
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
        let Noted::Recorded(id) = database.record_note(&finding, seen("a", 5), 5).unwrap() else { panic!() };
        assert_eq!(database.record_note(&finding, seen("b", 9), 9).unwrap(), Noted::Known(id.clone()));
        assert_eq!((database.notes_since(0).unwrap(), database.notes_since(6).unwrap()), (2, 1));
        assert_eq!(database.sightings(&id).unwrap()[0].file, FILE);
    }
}
