//! The models of past sessions that are in use.

use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::integers::unsigned;

/// A model that is in use: one that made a fifth of the calls of the last 14 days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelInUse {
    pub(super) name: String,
    /// Its sessions.
    pub(super) sessions: u64,
}

/// The models by their first session, and the share of each in the calls of two weeks. Times are in milliseconds.
const IN_USE: &str = "
WITH named AS (SELECT model, first, calls FROM joined_session WHERE NOT is_fork AND calls > 0 AND model <> ''),
     lately AS (SELECT model, sum(calls) AS calls FROM named
                 WHERE first + 14 * 86400000 > (SELECT max(first) FROM named) GROUP BY model)
SELECT model, count(*) AS sessions FROM named JOIN lately USING (model)
 WHERE lately.calls * 5 >= (SELECT sum(calls) FROM lately)
 GROUP BY model ORDER BY min(first) DESC, model DESC";

impl ModelInUse {
    /// The models of the sessions that were joined, the newest first. None where no transcript names one.
    pub(super) fn all(database: &Database) -> Result<Vec<Self>, DatabaseError> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Self { name: row.get("model")?, sessions: unsigned(row, "sessions")? })
        };
        database.select(IN_USE, [], read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episodes::{self, JoinedSession, SessionJoin};

    const DAY: u64 = 24 * 3600 * 1000;

    #[test]
    fn a_model_is_in_use_while_it_makes_a_fifth_of_the_calls() {
        let mut database = Database::in_memory().unwrap();
        let mut in_use_after = |model: &str, day: u64, calls| {
            let session = JoinedSession {
                session: format!("{model} {day}"),
                model: model.into(),
                first: day * DAY,
                calls,
                ..JoinedSession::default()
            };
            let join = SessionJoin { session, episodes: Vec::new(), missed: Vec::new() };
            episodes::record_join(&mut database, &join, &[]).unwrap();
            let all = ModelInUse::all(&database).unwrap().into_iter();
            all.map(|model| (model.name, model.sessions)).collect::<Vec<_>>()
        };
        assert_eq!(in_use_after("", 99, 100), [], "of that one nothing is known");
        in_use_after("old", 100, 100);
        in_use_after("old", 110, 81);
        assert_eq!(in_use_after("new", 112, 19), [("old".into(), 2)]);
        assert_eq!(in_use_after("new", 113, 40), [("new".into(), 2), ("old".into(), 2)]);
        assert_eq!(in_use_after("old", 140, 5), [("old".into(), 3)], "the other is no longer in use");
    }
}
