//! The newest model of past sessions.

use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::integers::unsigned;

/// The newest model that is in use: of those that made a fifth of the calls of the last 14 days, the one that came last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewestModel {
    pub(super) name: String,
    /// Its sessions.
    pub(super) sessions: u64,
}

/// The models by their first session, and the share of each in the calls of two weeks. Times are in milliseconds.
const NEWEST: &str = "
WITH named AS (SELECT model, first, calls FROM joined_session WHERE NOT is_fork AND calls > 0 AND model <> ''),
     lately AS (SELECT model, sum(calls) AS calls FROM named
                 WHERE first + 14 * 86400000 > (SELECT max(first) FROM named) GROUP BY model)
SELECT model, count(*) AS sessions FROM named JOIN lately USING (model)
 WHERE lately.calls * 5 >= (SELECT sum(calls) FROM lately)
 GROUP BY model ORDER BY min(first) DESC, model DESC LIMIT 1";

impl NewestModel {
    /// The newest model of the sessions that were joined. `None` where no transcript names one.
    pub(super) fn of(database: &Database) -> Result<Option<Self>, DatabaseError> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Self { name: row.get("model")?, sessions: unsigned(row, "sessions")? })
        };
        Ok(database.select(NEWEST, [], read)?.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episodes::{self, JoinedSession, SessionJoin};

    const DAY: u64 = 24 * 3600 * 1000;

    #[test]
    fn a_model_is_new_once_it_makes_a_fifth_of_the_calls() {
        let mut database = Database::in_memory().unwrap();
        let mut newest_after = |model: &str, day: u64, calls| {
            let session = JoinedSession {
                session: format!("{model} {day}"),
                model: model.into(),
                first: day * DAY,
                calls,
                ..JoinedSession::default()
            };
            let join = SessionJoin { session, episodes: Vec::new(), missed: Vec::new() };
            episodes::record_join(&mut database, &join, &[]).unwrap();
            NewestModel::of(&database).unwrap().map(|newest| (newest.name, newest.sessions))
        };
        assert_eq!(newest_after("", 99, 100), None, "of that one nothing is known");
        newest_after("old", 100, 100);
        newest_after("old", 110, 81);
        assert_eq!(newest_after("new", 112, 19), Some(("old".into(), 2)));
        assert_eq!(newest_after("new", 113, 40), Some(("new".into(), 2)));
        assert_eq!(newest_after("old", 140, 5), Some(("old".into(), 3)), "the other is no longer in use");
    }
}
