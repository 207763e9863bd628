//! Records what becomes candidates: the findings of a scan; notes, which an agent files by itself through a tool of ours;
//! entries of files of lessons, as a person imported them. All of them wait for a person.

pub mod cursors;
pub mod digest;
pub mod reflection;
pub(crate) mod sightings;
pub mod signals;

use std::collections::HashSet;

use rusqlite::params;

use crate::candidates::{CandidateStatus, Finding, Sighting};
use crate::database::columns::signed;
use crate::database::{Database, Result, SqlResult, change_by, rows_of};
use crate::journal::Deed;
use cursors::Cursor;
use sightings::{Intake, found_by_scanner};
pub use sightings::{NEAR_REJECTED, Recorded};
use signals::Signal;

/// The findings of one file, from its cursor on.
pub struct FileScan<'a> {
    /// The position from which the next scan reads on.
    pub cursor: Cursor,
    /// The items found, in the order of the file.
    pub found: Vec<ScanItem<'a>>,
    /// The notes of detectors, in the order of the file.
    pub notes: Vec<Signal>,
    /// Sessions, each with the uuid of its first line. A fork begins with a copy of the same line, so sessions that began
    /// with it count as one, also where they share no candidate's line.
    pub beginnings: Vec<(String, String)>,
}

/// A test for the candidates that an agent takes back, by mistake and trigger.
pub type Fits<'a> = dyn Fn(&str, Option<&str>) -> bool + Send + 'a;

/// An item that a scan finds in a file.
pub enum ScanItem<'a> {
    /// A candidate was seen.
    Seen {
        /// The content of the candidate.
        finding: Box<Finding>,
        /// The line at which it was seen.
        sighting: Sighting,
    },
    /// The agent takes candidates of its session back.
    TakenBack {
        /// The uuid of the line that does so.
        uuid: String,
        /// The id of the session.
        session: String,
        /// Whether a candidate with this mistake and trigger is meant.
        fits: Box<Fits<'a>>,
    },
}

/// The source of a candidate that was filed as a note.
pub const NOTE: &str = "note";
/// What the file of a note's sighting is called: no transcript holds it.
pub const NOTE_FILE: &str = "lessons mcp";
/// The actor in the journal.
const NOTE_ACTOR: &str = "an agent, by a note";

/// The start of the uuid of an entry's sighting: no transcript holds it.
pub const ENTRY: &str = "entry-";

impl Database {
    /// Records the findings of files, and their cursors, in one transaction. `now` is the time of the scan, in milliseconds
    /// since 1970.
    pub fn record_scans(&mut self, scans: &[FileScan<'_>], now: u64) -> Result<Recorded> {
        let deed = found_by_scanner(now);
        self.in_transaction(|change| {
            let begun = "INSERT OR IGNORE INTO kin (session, root) VALUES (?1, ?2)";
            for (session, uuid) in scans.iter().flat_map(|scan| &scan.beginnings) {
                change_by(change, begun, [session, uuid])?;
            }
            let mut intake = Intake::begin(change, &deed)?;
            for found in scans.iter().flat_map(|scan| &scan.found) {
                match found {
                    ScanItem::Seen { finding, sighting } => intake.take(finding, sighting)?,
                    ScanItem::TakenBack { uuid, session, fits } => {
                        take_back(&mut intake, uuid, session, fits)?;
                    }
                }
            }
            let recorded = intake.end()?;
            for FileScan { notes, cursor, .. } in scans {
                signals::note(change, notes)?;
                cursors::store(change, cursor)?;
            }
            Ok(recorded)
        })
    }

    /// Puts away the candidates that wait and that nobody has had to do with since `before`, in milliseconds
    /// since 1970: no scan has found them again and no person has brought them back. Those in `kept` stay.
    /// Returns the ids, in order.
    pub fn archive_untouched(
        &mut self,
        before: u64,
        reason: &str,
        kept: &HashSet<String>,
        deed: &Deed,
    ) -> Result<Vec<String>> {
        self.in_transaction(|change| {
            let sql = "SELECT id FROM candidate WHERE status = 'new' AND touched < ?1 ORDER BY id";
            let mut untouched: Vec<String> = rows_of(change, sql, [signed(before)], |row| row.get(0))?;
            untouched.retain(|id| !kept.contains(id));
            let mut intake = Intake::begin(change, deed)?;
            for id in &untouched {
                intake.put_away(id, CandidateStatus::Archived, Some(reason))?;
            }
            intake.end().map(|_| untouched)
        })
    }

    /// Returns how many notes were filed since `time`, in milliseconds since 1970.
    pub fn notes_since(&self, time: u64) -> Result<usize> {
        let sql = "SELECT count(*) FROM sighting WHERE file = ?1 AND time >= ?2";
        self.value(sql, params![NOTE_FILE, signed(time)])
    }

    /// Files a note. `sighting` says who files it and where; its file is set. `now` is in milliseconds since 1970.
    pub fn record_note(&mut self, finding: Finding, sighting: Sighting, now: u64) -> Result<Recorded> {
        let sighting = Sighting { file: NOTE_FILE.to_owned(), ..sighting };
        self.record_entries(&[(finding, sighting)], &Deed::new(NOTE_ACTOR, "noted", now))
    }

    /// Records the entries of a file. An entry whose text was decided about stays decided.
    pub fn record_entries(&mut self, entries: &[(Finding, Sighting)], deed: &Deed) -> Result<Recorded> {
        self.in_transaction(|change| {
            let mut intake = Intake::begin(change, deed)?;
            entries.iter().try_for_each(|(finding, sighting)| intake.take(finding, sighting))?;
            intake.end()
        })
    }

    /// The files whose entries were recorded, each with the root of its project.
    pub fn files_of_entries(&self) -> Result<Vec<(String, Option<String>)>> {
        let sql = "SELECT DISTINCT file, project FROM sighting WHERE uuid GLOB ?1 ORDER BY file";
        self.select(sql, [format!("{ENTRY}*")], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

fn take_back(
    intake: &mut Intake<'_>,
    uuid: &str,
    session: &str,
    fits: &dyn Fn(&str, Option<&str>) -> bool,
) -> SqlResult<()> {
    if intake.change.execute("INSERT OR IGNORE INTO cancel (uuid) VALUES (?1)", [uuid])? == 0 {
        return Ok(());
    }
    let sql = "SELECT DISTINCT candidate.id, mistake, trigger FROM candidate
               JOIN sighting ON sighting.candidate = candidate.id
               WHERE sighting.session = ?1 AND status = 'new'";
    let waiting: Vec<(String, String, Option<String>)> =
        rows_of(intake.change, sql, [session], |row| row.try_into())?;
    for (id, _, _) in waiting.iter().filter(|(_, mistake, trigger)| fits(mistake, trigger.as_deref())) {
        intake.recorded.cancelled += intake.put_away(id, CandidateStatus::Cancelled, None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use lessons_home::home::Home;

    use super::*;

    /// The findings of one file: a candidate for each of `numbers`, and one that is taken back.
    fn file(numbers: std::ops::Range<u64>) -> FileScan<'static> {
        let path = format!("/t/{}.jsonl", numbers.start);
        let session = format!("s{}", numbers.start);
        let seen = |n: u64| {
            let finding = Finding {
                source: "tag".into(),
                mistake: format!("mistake number {n}"),
                fix: "f".into(),
                ..Finding::default()
            };
            let uuid = format!("u{n}");
            let sighting = Sighting { uuid, session: session.clone(), ..Sighting::default() };
            ScanItem::Seen { finding: Box::new(finding), sighting }
        };
        let taken_back = ScanItem::TakenBack {
            uuid: format!("c{}", numbers.start),
            session: session.clone(),
            fits: Box::new(|mistake, _| mistake.ends_with('7')),
        };
        let cursor = Cursor {
            path,
            device: 1,
            inode: numbers.start,
            offset: 1,
            line: 1,
            prefix: 1,
            hash: String::new(),
            size: 1,
            changed: 0,
        };
        FileScan {
            cursor,
            found: numbers.map(seen).chain([taken_back]).collect(),
            notes: Vec::new(),
            beginnings: Vec::new(),
        }
    }

    #[test]
    fn what_a_tag_costs_does_not_grow_with_the_candidates_that_are_known() {
        let dir = tempfile::tempdir().unwrap();
        let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        let steps = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&steps);
        // Called at each instruction of SQLite's virtual machine.
        let count = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            false
        };
        database.connection.progress_handler(1, Some(count));
        let mut costs = Vec::new();
        for part in 0..16 {
            steps.store(0, Ordering::Relaxed);
            let recorded = database.record_scans(&[file(part * 100..(part + 1) * 100)], 1).unwrap();
            assert_eq!((recorded.new, recorded.cancelled), (100, 10));
            costs.push(steps.load(Ordering::Relaxed));
        }
        assert!(costs[15] * 10 <= costs[1] * 11, "{costs:?}");
    }
}

#[cfg(test)]
mod notes_tests {
    use lessons_home::home::Home;

    use super::*;

    #[test]
    fn a_note_is_a_candidate_and_the_same_note_is_one_too() {
        let dir = tempfile::tempdir().unwrap();
        let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        let finding = Finding {
            source: NOTE.into(),
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
        assert_eq!(database.sightings(&id).unwrap()[0].file, NOTE_FILE);
    }
}
