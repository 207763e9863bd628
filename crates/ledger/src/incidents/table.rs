//! The tables of incidents: their rows, which are kept equal to `decisions.json`; how often they were met each day, by type
//! and source, and how many were left out because of a limit.

use lessons_incident::{IncidentId, IncidentType, Sketch, sketch};
use lessons_store::{DecidedIncidents, Incident, IncidentEntry};
use rusqlite::{Connection, params};
use serde::Deserialize;

use crate::candidates::json;
use crate::database::columns::{self, signed};
use crate::database::{Database, Result, SqlResult, change_by, rows_of, value_of};

/// The columns, as the fields of an [`Incident`] are called.
const SELECT: &str =
    "SELECT id, type, severity, pattern, reason, source_kind AS sourceKind, source, source_ids AS sourceIds,
            source_query AS sourceQuery, agent_type AS agentType, project, session, metadata,
            created_at AS createdAt, last_seen AS lastSeen, seen FROM incident";

impl Database {
    /// Returns the rows of the table, in the order of their ids.
    pub(super) fn incident_rows(&self) -> Result<Vec<Incident>> {
        self.rows(&format!("{SELECT} ORDER BY id"), [])
    }

    /// Copies the incidents of `decisions.json` into the table, and removes reports that are not in it any more.
    pub fn follow_incidents(&mut self, file: &DecidedIncidents) -> Result<()> {
        self.in_transaction(|change| follow(change, file))
    }

    /// Removes the row of an incident that came from `decisions.json` and is gone from there.
    pub(crate) fn remove_incident(&mut self, id: IncidentId) -> Result<()> {
        self.execute("DELETE FROM incident WHERE id = ?1", [id.to_string()]).map(drop)
    }
}

fn follow(change: &Connection, file: &DecidedIncidents) -> SqlResult<()> {
    let with = |is: fn(&IncidentEntry) -> bool| -> String {
        let ids = file.entries.iter().filter(|(_, entry)| is(entry)).map(|(id, _)| id);
        json(&ids.collect::<Vec<_>>())
    };
    let gone = "DELETE FROM incident WHERE type = ?1 AND id NOT IN (SELECT value FROM json_each(?2))";
    let reported = with(|entry| entry.reported.is_some());
    change.execute(gone, [IncidentType::UserReported.name(), &reported])?;
    for incident in file.entries.values().filter_map(IncidentEntry::incident) {
        if row_of(change, incident.id)?.is_none() {
            insert(change, incident)?;
        }
    }
    let active =
        "UPDATE incident SET active = NOT active WHERE active = (id IN (SELECT value FROM json_each(?1)))";
    change.execute(active, [with(|entry| entry.retired.is_some())]).map(drop)
}

/// Returns the row of an incident.
pub(super) fn row_of(connection: &Connection, id: IncidentId) -> SqlResult<Option<Incident>> {
    Ok(rows_of(connection, &format!("{SELECT} WHERE id = ?1"), [id.to_string()], columns::read)?.pop())
}

/// Inserts a row, or replaces the one of the same id. Whether it is active stays as it was; a new one is.
pub(super) fn insert(change: &Connection, incident: &Incident) -> SqlResult<()> {
    let insert = "
INSERT INTO incident (id, type, severity, pattern, reason, source_kind, source, source_ids, source_query, agent_type,
                      project, session, metadata, created_at, last_seen, seen, active, sketch, sketch_version)
SELECT it ->> 'id', it ->> 'type', it ->> 'severity', it ->> 'pattern', it ->> 'reason', it ->> 'sourceKind',
       it ->> 'source', it -> 'sourceIds', it ->> 'sourceQuery', it ->> 'agentType', it ->> 'project',
       it ->> 'session', it -> 'metadata', it ->> 'createdAt', it ->> 'lastSeen', it ->> 'seen', 1, ?2, ?3
  FROM (SELECT ?1 AS it)";
    let sketch = Sketch::of(incident.pattern.text()).to_bytes();
    change_by(change, insert, params![json(incident), sketch, sketch::VERSION]).map(drop)
}

/// Writes what changes of a row when its incident is met again.
pub(super) fn update(change: &Connection, incident: &Incident) -> SqlResult<()> {
    let Incident { id, severity, source_ids, last_seen, seen, .. } = incident;
    let sql = "UPDATE incident SET severity = ?2, source_ids = ?3, last_seen = ?4, seen = ?5 WHERE id = ?1";
    let (id, ids) = (id.to_string(), json(source_ids));
    change_by(change, sql, params![id, severity.name(), ids, signed(*last_seen), signed(*seen)]).map(drop)
}

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
    pub fn incident_days(&self, first: u64) -> Result<Vec<IncidentDay>> {
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

/// Counts a meeting on the day on which an incident was met.
pub(super) fn count(change: &Connection, met: &Incident, meeting: Meeting) -> SqlResult<()> {
    let sql = "INSERT INTO incident_day (day, type, source, seen, left_out) VALUES (?1, ?2, ?3, 1, ?4)
               ON CONFLICT (day, type, source) DO UPDATE SET seen = seen + 1, left_out = left_out + ?4";
    let (day, left_out) = (signed(IncidentDay::of(met.created_at)), meeting == Meeting::LeftOut);
    change_by(change, sql, params![day, met.incident_type.name(), met.source, left_out]).map(drop)
}

/// Removes the counts of days that are long past at `now`.
pub(super) fn sweep(change: &Connection, now: u64) -> SqlResult<()> {
    let first = IncidentDay::of(now).saturating_sub(DAYS_KEPT);
    change.execute("DELETE FROM incident_day WHERE day < ?1", [signed(first)]).map(drop)
}

/// Returns the number of incidents of a source that are new on the day of `time`.
pub(super) fn new_of_source(change: &Connection, source: &str, time: u64) -> SqlResult<usize> {
    let first = IncidentDay::of(time) * DAY;
    let sql = "SELECT count(*) FROM incident WHERE source = ?1 AND created_at >= ?2 AND created_at < ?3";
    let number = value_of(change, sql, params![source, signed(first), signed(first + DAY)])?;
    Ok(number.unwrap_or_default())
}
