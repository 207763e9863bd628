//! Events of the hooks, read from their daily files into the database.
//!
//! Hooks append to a file a day (see [`lessons_decide::events`]). A file is read on from where reading
//! stopped; its lines and the new offset are one transaction, so a line counts once. A file whose day
//! ended two days ago and that has been read to its end is removed.

pub mod fired;
pub mod shared;

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use lessons_client::Client;
use lessons_decide::Event;
use lessons_decide::events::{MAX_FILE, MAX_LINE};
use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_store::durable;
use rusqlite::{Connection, Params, Row, params};
use serde::{Deserialize, Serialize};

use crate::candidates::json;
use crate::database::columns::{self, named, signed};
use crate::database::{Database, Result, SqlResult, change_by};
use crate::error::LedgerError;

/// The number of days that a file stays after its day.
const FILE_KEPT_DAYS: i64 = 2;
/// The time that an event stays in the database: a year, in milliseconds.
const KEPT: u64 = 365 * 24 * 3600 * 1000;
/// The most bytes that are read of a file: what hooks write, and one more line.
const MOST: u64 = MAX_FILE + MAX_LINE as u64;

/// The counts of one reading of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TakenIn {
    /// Events that are new in the database.
    pub events: usize,
    /// Lines that are no event of a version that is known.
    pub unread_lines: usize,
    /// Events that hooks had to drop, of the files that were removed.
    pub dropped: u64,
    /// Files that were removed.
    pub files_removed: usize,
}

/// The counts of events in a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Calls with a reminder.
    pub told: usize,
    /// Blocked calls.
    pub refused: usize,
    /// Blocked calls that were allowed on retry.
    pub passed: usize,
}

/// The columns of [`Counts`].
const COUNTS: &str =
    "ifnull(sum(outcome = 'told'), 0) AS told, ifnull(sum(outcome = 'refused'), 0) AS refused,
                      ifnull(sum(outcome = 'passed'), 0) AS passed";

/// Takes in what hooks have written since the last time, and removes files that are old and read. `now` is
/// in milliseconds since 1970.
pub fn take_in(home: &Home, database: &mut Database, now: u64) -> Result<TakenIn, LedgerError> {
    let mut taken = TakenIn::default();
    let mut there = Vec::new();
    for (name, path, day) in day_files(&home.events())? {
        let Some(file) = files::open(&path)? else { continue };
        let read = database.read_events(&name, &path, &file, &mut taken)?;
        let day_in_hours = day.duration_since(Date::constant(1970, 1, 1)).as_hours();
        let age = i64::try_from(now / 86_400_000).unwrap_or(i64::MAX).saturating_sub(day_in_hours / 24);
        if read && age > FILE_KEPT_DAYS {
            let dropped = path.with_extension("dropped");
            taken.dropped +=
                files::open(&dropped)?.map_or(0, |file| file.metadata().map_or(0, |it| it.len()));
            durable::remove(&dropped)?;
            durable::remove(&path)?;
            taken.files_removed += 1;
        } else {
            there.push(name);
        }
    }
    // How far files were read that are gone.
    database.delete_any("event_file WHERE name NOT IN (SELECT value FROM json_each(?1))", [json(&there)])?;
    database.delete_any("event WHERE time < ?1", [signed(now.saturating_sub(KEPT))])?;
    Ok(taken)
}

/// The files of events by name, path and day, the oldest first.
fn day_files(folder: &Path) -> Result<Vec<(String, PathBuf, Date)>, FileError> {
    let mut found = Vec::new();
    for entry in files::entries(folder)? {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let day = name.strip_suffix(".jsonl").and_then(|day| day.parse::<Date>().ok());
        found.extend(day.map(|day| (name, entry.path(), day)));
    }
    found.sort();
    Ok(found)
}

impl Database {
    /// Counts the events from `from` up to `to`, in milliseconds since 1970.
    pub fn event_counts(&self, from: u64, to: u64) -> Result<Counts> {
        let sql = format!("SELECT {COUNTS} FROM event WHERE time >= ?1 AND time < ?2");
        Ok(self.rows(&sql, [signed(from), signed(to)])?.pop().unwrap_or_default())
    }

    /// Counts what hooks did in each client.
    pub fn counts_by_client(&self) -> Result<BTreeMap<Client, Counts>> {
        let sql = format!(
            "SELECT client, {COUNTS} FROM event WHERE agent != 'mcp' GROUP BY client HAVING told + refused > 0"
        );
        let read = |row: &Row<'_>| Ok((named(row, "client")?, columns::read(row)?));
        Ok(self.select(&sql, [], read)?.into_iter().collect())
    }

    /// The lessons that were told or refused most often from `from` up to `to`, in milliseconds since 1970:
    /// at most `limit`, each with how often.
    pub fn busiest_lessons(&self, from: u64, to: u64, limit: u32) -> Result<Vec<(String, usize)>> {
        let sql = "SELECT lesson, count(*) AS often FROM event JOIN event_lesson ON event = event.id
                    WHERE time >= ?1 AND time < ?2 AND outcome IN ('told', 'refused')
                    GROUP BY lesson ORDER BY often DESC, lesson LIMIT ?3";
        self.select(sql, params![signed(from), signed(to), limit], |row| row.try_into())
    }

    /// Every lesson that was ever told or refused, with its layer.
    pub fn lessons_in_events(&self) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT lesson FROM event_lesson JOIN event ON event.id = event_lesson.event
                    WHERE outcome NOT IN ('lost', 'shown', 'held') ORDER BY lesson";
        self.select(sql, [], |row| row.get(0))
    }

    /// The number of calls at which something was told or refused, by agent type.
    pub fn told_by_agent(&self) -> Result<BTreeMap<String, usize>> {
        let sql = "SELECT agent, count(*) FROM event WHERE outcome IN ('told', 'refused') GROUP BY agent";
        Ok(self.select(sql, [], |row| row.try_into())?.into_iter().collect())
    }

    /// How long the hook took at each call since `from` (in milliseconds since 1970) at which it said
    /// something, in microseconds.
    pub fn hook_times(&self, from: u64) -> Result<Vec<u64>> {
        let sql = "SELECT us FROM event WHERE time >= ?1 AND outcome != 'shown'";
        self.select(sql, [signed(from)], |row| row.get(0).map(i64::cast_unsigned))
    }

    /// Reads on in one file, its complete lines. Returns whether its end was reached.
    fn read_events(
        &mut self,
        name: &str,
        path: &Path,
        file: &File,
        taken: &mut TakenIn,
    ) -> Result<bool, LedgerError> {
        let io = |source| FileError::Io { path: path.to_owned(), source };
        let size = file.metadata().map_err(io)?.len();
        let sql = "SELECT offset FROM event_file WHERE name = ?1";
        let known: u64 = self.select(sql, [name], |row| row.get(0))?.pop().unwrap_or(0);
        // A file that is shorter than what was read of it is another file.
        let offset = if known <= size { known } else { 0 };
        let mut bytes = vec![0; usize::try_from(size.min(MOST).saturating_sub(offset)).unwrap_or(0)];
        file.read_exact_at(&mut bytes, offset).map_err(io)?;
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1));
        let end = offset + bytes.len() as u64;
        if !bytes.is_empty() {
            let lines: Vec<_> = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
            let events = lines.iter().filter_map(|line| serde_json::from_slice(line).ok());
            let events: Vec<Event> = events.filter(|event: &Event| event.v == 1).collect();
            self.in_transaction(|change| {
                events.iter().try_for_each(|event| insert(change, event))?;
                let sql = "INSERT OR REPLACE INTO event_file (name, offset) VALUES (?1, ?2)";
                change.execute(sql, params![name, signed(end)])
            })?;
            taken.events += events.len();
            taken.unread_lines += lines.len() - events.len();
        }
        Ok(end == size)
    }

    /// Deletes rows, and writes nothing where there are none.
    fn delete_any(&mut self, rows: &str, parameters: impl Params + Clone) -> Result<()> {
        if self.value(&format!("SELECT EXISTS (SELECT 1 FROM {rows})"), parameters.clone())? {
            self.execute(&format!("DELETE FROM {rows}"), parameters)?;
        }
        Ok(())
    }
}

fn insert(change: &Connection, event: &Event) -> SqlResult<()> {
    let Event { session, call, agent, outcome, lessons, more, lot, .. } = event;
    let sql = "INSERT INTO event (time, session, call, agent, outcome, more, us, lot, client)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let (time, us, outcome, client) =
        (signed(event.t), signed(event.us), outcome.name(), event.client.name());
    change_by(change, sql, params![time, session, call, agent, outcome, more, us, lot, client])?;
    let id = change.last_insert_rowid();
    let link = "INSERT OR IGNORE INTO event_lesson (event, lesson) VALUES (?1, ?2)";
    lessons.iter().try_for_each(|lesson| change_by(change, link, params![id, lesson]).map(drop))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use lessons_decide::events::Outcome;

    use super::*;

    const DAY: u64 = 86_400_000;
    /// 2026-11-20, 12:00 UTC.
    const NOON: u64 = 1_795_176_000_000;

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
            Self { _dir: dir, home, database }
        }

        fn happens(&self, time: u64, outcome: Outcome, lesson: &str) {
            let event = Event {
                session: "0011223344556677".into(),
                call: "toolu_1".into(),
                agent: "main".into(),
                us: 170,
                ..Event::new(outcome, vec![lesson.into()], time)
            };
            event.append(&self.home.events());
        }

        fn append(&self, text: &str) {
            let path = self.home.events().join("2026-11-20.jsonl");
            File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
        }

        fn take_in(&mut self, now: u64) -> TakenIn {
            take_in(&self.home, &mut self.database, now).unwrap()
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(self.home.events()).unwrap().flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn every_line_is_taken_in_once() {
        let mut scratch = Scratch::new();
        scratch.happens(NOON, Outcome::Told, "user/a");
        scratch.happens(NOON + 1, Outcome::Refused, "user/b");
        assert_eq!(scratch.take_in(NOON).events, 2);
        scratch.happens(NOON + 2, Outcome::Told, "user/a");
        assert_eq!(scratch.take_in(NOON).events, 1);
        assert_eq!(scratch.take_in(NOON), TakenIn::default());
        let counts = scratch.database.event_counts(NOON, NOON + DAY).unwrap();
        assert_eq!(counts, Counts { told: 2, refused: 1, passed: 0 });
        let busiest = scratch.database.busiest_lessons(0, NOON + DAY, 1).unwrap();
        assert_eq!(busiest, [("user/a".to_owned(), 2)]);
        assert_eq!(scratch.database.event_counts(0, NOON).unwrap(), Counts::default());
    }

    #[test]
    fn what_a_command_showed_an_agent_is_no_answer_of_a_hook() {
        let mut scratch = Scratch::new();
        scratch.happens(NOON, Outcome::Shown, "user/a");
        assert_eq!(scratch.take_in(NOON).events, 1);
        assert_eq!(scratch.database.event_counts(0, NOON + DAY).unwrap(), Counts::default());
        assert_eq!(scratch.database.lessons_in_events().unwrap(), Vec::<String>::new());
        assert_eq!(scratch.database.hook_times(0).unwrap(), Vec::<u64>::new());
    }

    #[test]
    fn half_a_line_waits_and_a_strange_one_is_passed_over() {
        let mut scratch = Scratch::new();
        scratch.happens(NOON, Outcome::Told, "user/a");
        scratch.append(
            "no event\n{\"v\":2,\"t\":1,\"agent\":\"main\",\"outcome\":\"told\",\"us\":1}\n{\"v\":1,\"t\":17",
        );
        let taken = scratch.take_in(NOON);
        assert_eq!((taken.events, taken.unread_lines), (1, 2));
        scratch.append("95176000000,\"agent\":\"main\",\"outcome\":\"told\",\"us\":1}\n");
        assert_eq!(scratch.take_in(NOON).events, 1);
    }

    #[test]
    fn a_file_goes_when_it_is_read_and_its_day_ended_two_days_ago() {
        let mut scratch = Scratch::new();
        scratch.happens(NOON, Outcome::Told, "user/a");
        std::fs::write(scratch.home.events().join("2026-11-20.dropped"), "...").unwrap();
        std::fs::write(scratch.home.events().join("notes.txt"), "mine").unwrap();
        assert_eq!(scratch.take_in(NOON + 2 * DAY).files_removed, 0);
        let taken = scratch.take_in(NOON + 3 * DAY);
        assert_eq!((taken.files_removed, taken.dropped, taken.events), (1, 3, 0));
        assert_eq!(scratch.names(), ["notes.txt"]);
        // A clock that was wrong: the file comes back, and what it says counts.
        scratch.happens(NOON, Outcome::Told, "user/a");
        assert_eq!(scratch.take_in(NOON).events, 1);
    }

    #[test]
    fn a_file_with_half_a_line_stays() {
        let mut scratch = Scratch::new();
        scratch.happens(NOON, Outcome::Told, "user/a");
        scratch.append("{\"v\":1");
        assert_eq!(scratch.take_in(NOON + 9 * DAY).files_removed, 0);
    }

    #[test]
    fn after_a_year_an_event_is_gone() {
        let mut scratch = Scratch::new();
        scratch.happens(NOON, Outcome::Told, "user/a");
        scratch.take_in(NOON);
        scratch.take_in(NOON + KEPT);
        assert_eq!(scratch.database.event_counts(0, NOON + DAY).unwrap().told, 1);
        scratch.take_in(NOON + KEPT + 1);
        assert_eq!(scratch.database.event_counts(0, NOON + DAY).unwrap().told, 0);
    }
}
