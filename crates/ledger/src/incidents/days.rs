//! How often incidents were met each day, by type and source, and how many were left out because of a limit.

use lessons_incident::kind::IncidentType;
use rusqlite::{Transaction, params};
use serde::Deserialize;

use crate::database::{Database, DatabaseError};
use crate::integers::signed;

/// The length of a day in milliseconds.
const DAY: u64 = 24 * 3_600_000;
/// The number of days that are kept.
const DAYS_KEPT: u64 = 30;

/// The incidents of one type and source that were met on one day.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IncidentDay {
    /// The number of the day since 1970, by UTC.
    pub day: u64,
    /// The name of the type.
    pub incident_type: String,
    /// The source.
    pub source: String,
    /// The number of times that any was met.
    pub seen: u64,
    /// The number of new ones that a limit left out.
    pub left_out: u64,
}

impl IncidentDay {
    /// Returns the number of the day of a time in milliseconds since 1970.
    pub fn of(time: u64) -> u64 {
        time / DAY
    }
}

impl Database {
    /// Returns the counts of the days from `first` on.
    pub fn incident_days(&self, first: u64) -> Result<Vec<IncidentDay>, DatabaseError> {
        let sql =
            "SELECT *, type AS incident_type FROM incident_day WHERE day >= ?1 ORDER BY day, type, source";
        self.rows(sql, [signed(first)])
    }
}

/// What a meeting counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// It was recorded.
    Recorded,
    /// A limit left it out.
    LeftOut,
}

/// Counts a meeting at `time`.
pub(super) fn count(
    change: &Transaction<'_>,
    time: u64,
    incident_type: IncidentType,
    source: &str,
    meeting: Meeting,
) -> rusqlite::Result<()> {
    let left_out = i64::from(meeting == Meeting::LeftOut);
    change
        .prepare_cached(
            "INSERT INTO incident_day (day, type, source, seen, left_out) VALUES (?1, ?2, ?3, 1, ?4)
             ON CONFLICT (day, type, source) DO UPDATE SET seen = seen + 1, left_out = left_out + ?4",
        )?
        .execute(params![signed(IncidentDay::of(time)), incident_type.name(), source, left_out])
        .map(drop)
}

/// Removes the counts of days that are long past at `now`.
pub(super) fn sweep(change: &Transaction<'_>, now: u64) -> rusqlite::Result<()> {
    let first = IncidentDay::of(now).saturating_sub(DAYS_KEPT);
    change.execute("DELETE FROM incident_day WHERE day < ?1", [signed(first)]).map(drop)
}

/// Returns the number of incidents of a source that are new on the day of `time`.
pub(super) fn new_of_source(change: &Transaction<'_>, source: &str, time: u64) -> rusqlite::Result<usize> {
    let first = IncidentDay::of(time) * DAY;
    let number: i64 = change
        .prepare_cached(
            "SELECT count(*) FROM incident WHERE source = ?1 AND created_at >= ?2 AND created_at < ?3",
        )?
        .query_row(params![source, signed(first), signed(first + DAY)], |row| row.get(0))?;
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}
