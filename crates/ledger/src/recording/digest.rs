//! The rows of digests: what was noted in each transcript, what has been read of it, and the readings.
//!
//! What is noted of a transcript is replaced as a whole when the file has changed, so a refresh that dies in the middle
//! leaves nothing twice. A reading is written before it is shown and closed when its answer was taken: until then the
//! same reading is shown again.

use std::collections::HashSet;

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use crate::candidates::json;
use crate::database::columns::{self, signed};
use crate::database::{Database, Result, SqlResult, change_by};
use crate::forget::memory::ForgottenTexts;

/// The query for what was noted in a project.
const OF_PROJECT: &str =
    "SELECT file, event, project, time, note FROM noted WHERE project = ?1 ORDER BY file, time, rowid";

/// The version of a transcript of which everything was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestedFile {
    /// Its path.
    pub path: String,
    /// Its device, inode, size in bytes, and time of change, as bits.
    pub version: [u64; 4],
}

/// Something that happened in a session, as a digest needs it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NotedRow {
    /// The id of the event: copies of a transcript share it.
    pub event: String,
    /// The root of the project, or the name of the client's folder where no line names one.
    pub project: String,
    /// The time, in milliseconds since 1970.
    pub time: u64,
    /// What happened, as JSON. All text is redacted and neutral.
    pub note: String,
}

/// A reading that was begun.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReadingRow {
    /// Its number.
    pub id: i64,
    /// When it was made, in milliseconds since 1970.
    pub made: u64,
    /// Its tokens, estimated.
    pub tokens: u64,
    /// Its text and items, as JSON.
    pub content: String,
}

/// What became of a reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadingSummary {
    /// The project; empty where it was over all.
    pub project: String,
    /// Who read, as people know it.
    pub reader: String,
    /// When it was answered, in milliseconds since 1970.
    pub answered: u64,
    /// The tokens that were read, estimated.
    pub tokens: u64,
    /// How many candidates came of it.
    pub candidates: u64,
}

impl Database {
    /// The transcripts that were noted, ascending by path.
    pub fn digested_files(&self) -> Result<Vec<DigestedFile>> {
        let read = |row: &Row<'_>| {
            let part = |column: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.cast_unsigned());
            Ok(DigestedFile { path: row.get(0)?, version: [part(1)?, part(2)?, part(3)?, part(4)?] })
        };
        self.select("SELECT path, device, inode, size, changed FROM digest_file ORDER BY path", [], read)
    }

    /// Replaces what was noted of some transcripts.
    pub fn note_files(&mut self, files: &[(DigestedFile, Vec<NotedRow>)]) -> Result<()> {
        self.in_transaction(|change| files.iter().try_for_each(|(file, rows)| replace(change, file, rows)))
    }

    /// Everything that was noted in a project, which has these roots, each with the transcript that holds it.
    pub fn noted(&self, roots: &[String]) -> Result<Vec<(String, NotedRow)>> {
        let read = |row: &Row<'_>| Ok((row.get("file")?, columns::read(row)?));
        let mut all = Vec::new();
        for root in roots {
            all.extend(self.select(OF_PROJECT, [root], read)?);
        }
        Ok(all)
    }

    /// The projects in which something was noted.
    pub fn noted_projects(&self) -> Result<Vec<String>> {
        self.select("SELECT DISTINCT project FROM noted ORDER BY project", [], |row| row.get(0))
    }

    /// The lines at which a candidate was seen that a person has rejected, or that is one of `promoted`.
    pub fn decided_lines(&self, promoted: &HashSet<String>) -> Result<Vec<String>> {
        let sql = "SELECT uuid FROM sighting JOIN candidate ON candidate.id = sighting.candidate
                    WHERE status = 'rejected' OR id IN (SELECT value FROM json_each(?1))";
        self.select(sql, [json(promoted)], |row| row.get(0))
    }

    /// The marks of what was read.
    pub fn read_marks(&self) -> Result<Vec<String>> {
        self.select("SELECT mark FROM was_read", [], |row| row.get(0))
    }

    /// The reading of a project that was not answered yet; the project is empty for one over all.
    pub fn open_reading(&self, project: &str) -> Result<Option<ReadingRow>> {
        let sql = "SELECT * FROM reading WHERE project = ?1 AND answered = 0";
        Ok(self.rows(sql, [project])?.pop())
    }

    /// Begins a reading of a project. One that is open is replaced.
    pub fn begin_reading(&mut self, project: &str, tokens: u64, content: &str, now: u64) -> Result<()> {
        self.in_transaction(|change| {
            change.execute("DELETE FROM reading WHERE project = ?1 AND answered = 0", [project])?;
            let sql = "INSERT INTO reading (project, made, tokens, content) VALUES (?1, ?2, ?3, ?4)";
            change.execute(sql, params![project, signed(now), signed(tokens), content]).map(drop)
        })
    }

    /// The number of candidates that came of readings since `time`, in milliseconds since 1970, but for the first reading of
    /// each project.
    pub fn candidates_of_later_readings(&self, time: u64) -> Result<usize> {
        let sql = "SELECT coalesce(sum(candidates), 0) FROM reading WHERE answered >= max(?1, 1) AND EXISTS
                    (SELECT 1 FROM reading AS first WHERE first.project = reading.project
                      AND first.answered > 0 AND first.id < reading.id)";
        self.value(sql, [signed(time)])
    }

    /// The readings that were answered since `time`, in milliseconds since 1970, the latest first.
    pub fn readings_since(&self, time: u64) -> Result<Vec<ReadingSummary>> {
        let sql = "SELECT * FROM reading WHERE answered >= max(?1, 1) ORDER BY answered DESC, id DESC";
        self.rows(sql, [signed(time)])
    }

    /// Whether a project was read before.
    pub fn was_project_read(&self, project: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM reading WHERE project = ?1 AND answered > 0)";
        self.value(sql, [project])
    }
}

fn replace(change: &Connection, file: &DigestedFile, rows: &[NotedRow]) -> SqlResult<()> {
    change_by(change, "DELETE FROM noted WHERE file = ?1", [&file.path])?;
    let note = "INSERT OR IGNORE INTO noted (file, event, project, time, note) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut note = change.prepare_cached(note)?;
    let memory = ForgottenTexts::of(change)?;
    // Notes are JSON; the transcript still holds what the person had forgotten.
    let is_forgotten =
        |row: &&NotedRow| serde_json::from_str(&row.note).is_ok_and(|note| memory.knows_any(&note));
    for row in rows.iter().filter(|row| !is_forgotten(row)) {
        note.execute(params![file.path, row.event, row.project, signed(row.time), row.note])?;
    }
    let digested =
        "INSERT OR REPLACE INTO digest_file (path, device, inode, size, changed) VALUES (?1, ?2, ?3, ?4, ?5)";
    let [device, inode, size, changed] = file.version.map(u64::cast_signed);
    change_by(change, digested, params![file.path, device, inode, size, changed]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Deed;

    #[test]
    fn a_text_that_was_forgotten_is_not_noted_again_when_its_transcript_grows() {
        let mut database = Database::in_memory().unwrap();
        database.remember_forgotten("correct horse", [1; 32], &Deed::new("you", "forget", 5)).unwrap();
        let row = |event: &str, text: &str| NotedRow {
            event: event.into(),
            project: "/p".into(),
            time: 1,
            note: serde_json::json!({ "typed": text }).to_string(),
        };
        let file = DigestedFile { path: "/t.jsonl".into(), version: [1, 2, 3, 4] };
        let rows = vec![row("a", "the word is Correct  Horse"), row("b", "use pnpm")];
        database.note_files(&[(file, rows)]).unwrap();
        let events: Vec<String> =
            database.noted(&["/p".into()]).unwrap().into_iter().map(|(_, it)| it.event).collect();
        assert_eq!(events, ["b"]);
    }
}
