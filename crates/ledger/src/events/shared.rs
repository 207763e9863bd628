//! The events of colleagues that were looked at: what became of each, by its id, so that it is not read again.

use std::collections::{BTreeMap, HashMap};

use lessons_share::{EventId, PublicKey};
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use crate::candidates::{CandidateStatus, Finding, Sighting, json};
use crate::database::columns::{self, signed};
use crate::database::{Database, Result, SqlResult, change_by, rows_of};
use crate::journal::Deed;
use crate::recording::sightings::{Intake, Recorded};

/// The most events that are remembered. Beyond them the oldest are looked at again.
const MOST_EVENTS: u64 = 200_000;

/// The outcome for an event that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum EventOutcome {
    /// Everything was done: it is a candidate, in force, a deletion, or older than what is known.
    Done,
    /// Its author is not trusted. It is looked at again once they are.
    #[serde(rename = "unknown author")]
    UnknownAuthor,
    /// Its date is in the future. It is looked at again from this time on, in seconds since 1970.
    Early {
        /// The time.
        due: u64,
    },
    /// Its author has shared as much as may wait or be in force. It is looked at again once there are fewer.
    #[serde(rename = "no room")]
    NoRoom {
        /// The number of lessons of the author that waited or were in force.
        #[serde(rename = "due")]
        taken: u64,
    },
    /// The file, of this state, holds no event of its name. A file of another state is looked at.
    Rejected(FileState),
}

/// The state of a file by which a change of it is seen: its size in bytes, and when it was written, in nanoseconds since
/// 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileState {
    /// The size.
    pub size: u64,
    /// The time.
    pub written: u64,
}

/// An event that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookedAt {
    /// The author that it claims, zeros where it could not be read.
    pub author: PublicKey,
    /// The outcome.
    pub outcome: EventOutcome,
}

/// What a pass over shared events came to.
#[derive(Debug, Clone, Copy, Default)]
pub struct SharedPass<'p> {
    /// The events that were looked at.
    pub events: &'p [(EventId, LookedAt)],
    /// The candidates among them, which wait for a person, each with its event as a sighting.
    pub candidates: &'p [(Finding, Sighting)],
    /// The events whose candidates wait no more, each with the author who has replaced or deleted it. An event of another
    /// author is not meant.
    pub withdrawn: &'p [(PublicKey, EventId)],
}

impl Database {
    /// Returns every event that was looked at.
    pub fn shared_events(&self) -> Result<HashMap<EventId, LookedAt>> {
        let read = |row: &Row<'_>| {
            let looked_at =
                LookedAt { author: PublicKey::of(row.get("author")?), outcome: columns::read(row)? };
            Ok((EventId::of(row.get("id")?), looked_at))
        };
        Ok(self.select("SELECT * FROM shared_event", [], read)?.into_iter().collect())
    }

    /// Returns the number of held events of each author who is not trusted.
    pub fn unknown_authors(&self) -> Result<BTreeMap<PublicKey, u64>> {
        let sql =
            "SELECT author, count(*) FROM shared_event WHERE outcome = 'unknown author' GROUP BY author";
        let count = |row: &Row<'_>| Ok((PublicKey::of(row.get(0)?), row.get::<_, i64>(1)?.cast_unsigned()));
        Ok(self.select(sql, [], count)?.into_iter().collect())
    }

    /// Returns the number of shared lessons that wait for a person, by source and agent; empty for every agent.
    pub fn shared_waiting(&self) -> Result<BTreeMap<(String, String), usize>> {
        let count = |row: &Row<'_>| Ok(((row.get(0)?, row.get(1)?), row.get(2)?));
        let sql = "SELECT source, coalesce(agent, ''), count(*) FROM candidate
                   WHERE status = 'new' AND source LIKE 'shared:%' GROUP BY 1, 2";
        Ok(self.select(sql, [], count)?.into_iter().collect())
    }

    /// Records what became of events, and the candidates among them, in one transaction.
    pub fn record_shared(&mut self, pass: &SharedPass<'_>, deed: &Deed) -> Result<Recorded> {
        let SharedPass { events, candidates, withdrawn } = pass;
        self.in_transaction(|change| {
            let mut intake = Intake::begin(change, deed)?;
            let waiting = if withdrawn.is_empty() { HashMap::new() } else { waiting_events(change)? };
            for (author, event) in *withdrawn {
                if let Some(id) = waiting.get(&(author.to_string(), event.to_string())) {
                    intake.recorded.cancelled +=
                        intake.put_away(id, CandidateStatus::Cancelled, Some(WITHDRAWN))?;
                }
            }
            for (finding, sighting) in *candidates {
                intake.take(finding, sighting)?;
            }
            let recorded = intake.end()?;
            for (id, LookedAt { author, outcome }) in *events {
                change_by(change, LOOKED_AT, params![id.bytes(), author.bytes(), json(outcome)])?;
            }
            let old = "DELETE FROM shared_event WHERE number <= (SELECT max(number) FROM shared_event) - ?1";
            change.execute(old, [signed(MOST_EVENTS)])?;
            Ok(recorded)
        })
    }
}

/// Notes what became of an event.
const LOOKED_AT: &str = "
INSERT OR REPLACE INTO shared_event (id, author, outcome, due, size, written)
SELECT ?1, ?2, it ->> 'outcome', it ->> 'due', it ->> 'size', it ->> 'written' FROM (SELECT ?3 AS it)";
/// The reason why a candidate waits no more.
const WITHDRAWN: &str = "its author has replaced or deleted it";

/// The waiting candidates by the authors and the events that brought them.
fn waiting_events(change: &Connection) -> SqlResult<HashMap<(String, String), String>> {
    let sql = "SELECT json_extract(shared, '$.author'), json_extract(shared, '$.event'), id FROM candidate
               WHERE status = 'new' AND shared IS NOT NULL";
    Ok(rows_of(change, sql, [], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use lessons_home::home::Home;

    use super::*;
    use crate::candidates::{CandidateStatus, SharedOrigin};

    fn event(number: u8, outcome: EventOutcome) -> (EventId, LookedAt) {
        (EventId::of([number; 32]), LookedAt { author: PublicKey::of([number % 2; 32]), outcome })
    }

    fn candidate(mistake: &str, event: &str) -> (Finding, Sighting) {
        let finding = Finding {
            source: "shared:ana".into(),
            mistake: mistake.into(),
            fix: "f".into(),
            ..Finding::default()
        };
        (finding, Sighting { uuid: event.into(), session: "ana".into(), ..Sighting::default() })
    }

    fn pass<'p>(events: &'p [(EventId, LookedAt)], candidates: &'p [(Finding, Sighting)]) -> SharedPass<'p> {
        SharedPass { events, candidates, withdrawn: &[] }
    }

    #[test]
    fn a_candidate_whose_event_was_withdrawn_waits_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        let deed = Deed::new("receive", "found", 7);
        let (author, event) = (PublicKey::of([3; 32]), EventId::of([1; 32]));
        let mut found = candidate("one", "e1");
        found.0.shared = Some(Box::new(SharedOrigin {
            author: author.to_string(),
            event: event.to_string(),
            lesson: serde_json::json!({}),
        }));
        database.record_shared(&pass(&[], &[found, candidate("two", "e2")]), &deed).unwrap();
        let foreign = [(PublicKey::of([4; 32]), event)];
        let gone = SharedPass { withdrawn: &foreign, ..SharedPass::default() };
        assert_eq!(database.record_shared(&gone, &deed).unwrap().cancelled, 0, "somebody else cannot");
        let withdrawn = [(author, event), (author, EventId::of([2; 32]))];
        let gone = SharedPass { withdrawn: &withdrawn, ..SharedPass::default() };
        assert_eq!(database.record_shared(&gone, &deed).unwrap().cancelled, 1);
        let waiting = database.candidates(&[CandidateStatus::New]).unwrap();
        assert_eq!(waiting.iter().map(|it| it.finding.mistake.as_str()).collect::<Vec<_>>(), ["two"]);
    }

    #[test]
    fn every_outcome_is_known_again_and_replaced_by_a_later_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        let deed = Deed::new("receive", "received", 7);
        let mut events = vec![
            event(1, EventOutcome::Done),
            event(2, EventOutcome::UnknownAuthor),
            event(3, EventOutcome::UnknownAuthor),
            event(4, EventOutcome::Early { due: 9 }),
            event(5, EventOutcome::NoRoom { taken: 50 }),
            event(6, EventOutcome::Rejected(FileState { size: 3, written: 4 })),
        ];
        let found = [candidate("one", "e1"), candidate("two", "e2")];
        let recorded = database.record_shared(&pass(&events, &found), &deed).unwrap();
        assert_eq!((recorded.new, recorded.again), (2, 0));
        assert_eq!(database.shared_events().unwrap(), events.iter().copied().collect());
        assert_eq!(database.unknown_authors().unwrap().into_values().collect::<Vec<_>>(), [1, 1]);
        let waiting = BTreeMap::from([(("shared:ana".to_owned(), String::new()), 2)]);
        assert_eq!(database.shared_waiting().unwrap(), waiting);
        events[1] = event(2, EventOutcome::Done);
        let recorded = database.record_shared(&pass(&events[1..2], &found[..1]), &deed).unwrap();
        assert_eq!(recorded, Recorded::default(), "the same event is not seen twice");
        assert_eq!(database.shared_events().unwrap(), events.iter().copied().collect());
    }
}
