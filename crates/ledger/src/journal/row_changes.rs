//! Changes of rows that the journal records: the status of candidates, and labels. Each is made in the transaction that
//! records it.
//!
//! Labels are answers of a person whether a lesson was right to fire at a call. Such an answer is the proof that a lesson
//! may refuse calls, so it is kept apart from the lesson's examples, which anybody may write: an answer comes about in one
//! way, by asking a person. It belongs to the id of a lesson and to a call, which is known by a hash of what is the same in
//! all calls that are the same call; nothing of the call itself is kept here. There is one answer for each, the last one.

use lessons_lesson::{Label, LessonId};
use rusqlite::{Connection, Row, params};

use super::{Deed, Difference, State, Thing, ThingKind, rows};
use crate::candidates::StoredStatus;
use crate::database::columns::{named, signed};
use crate::database::{Database, Result, SqlResult, change_by, value_of};

/// The separator of lesson and call in the name of an answer in the journal. No id holds it.
const OF: char = '#';

/// Names an answer about a call for the journal.
pub(crate) fn label_thing(lesson: &LessonId, call: &str) -> Thing {
    Thing::new(ThingKind::Label, format!("{lesson}{OF}{call}"))
}

/// The lesson and the call of such a name.
pub(crate) fn label_parts(name: &str) -> [&str; 2] {
    name.split_once(OF).map_or([name, ""], |(lesson, call)| [lesson, call])
}

/// Returns a thing of the database as the journal stores it; `None` if it does not exist.
pub(crate) fn text_of(connection: &Connection, thing: &Thing) -> SqlResult<Option<String>> {
    match thing.kind {
        ThingKind::Candidate => {
            // As a `StoredStatus` is written.
            let sql = "SELECT json_object('reason', reason, 'status', status) FROM candidate WHERE id = ?1";
            value_of(connection, sql, [&thing.name])
        }
        ThingKind::Label => {
            let sql = "SELECT answer FROM label WHERE lesson = ?1 AND call = ?2";
            value_of(connection, sql, label_parts(&thing.name))
        }
        _ => Ok(None),
    }
}

/// Sets a thing of the database from its stored form. What cannot be read changes nothing.
fn put(change: &Connection, thing: &Thing, to: Option<&str>, now: u64) -> SqlResult<()> {
    let [lesson, call] = label_parts(&thing.name);
    match (thing.kind, to) {
        (ThingKind::Candidate, Some(text)) => {
            let Ok(StoredStatus { reason, status }) = serde_json::from_str(text) else { return Ok(()) };
            let sql = "UPDATE candidate SET status = ?2, reason = ?3, touched = ?4 WHERE id = ?1";
            change_by(change, sql, params![thing.name, status.name(), reason, signed(now)])
        }
        (ThingKind::Label, Some(answer)) => {
            let sql = "INSERT OR REPLACE INTO label (lesson, call, answer) VALUES (?1, ?2, ?3)";
            change_by(change, sql, [lesson, call, answer])
        }
        (ThingKind::Label, None) => {
            change_by(change, "DELETE FROM label WHERE lesson = ?1 AND call = ?2", [lesson, call])
        }
        _ => return Ok(()),
    }
    .map(drop)
}

/// The outcome of taking back the changes of rows.
pub(crate) enum RowsUndone {
    /// They were taken back by the change with this number.
    By(u64),
    /// Nothing was, because this is no longer as the change left it.
    Differs(Thing),
}

/// The new states of things, as the journal stores them.
pub(crate) type NewStates = [(Thing, Option<String>)];

/// Returns the things that would change. A candidate that does not exist is not created.
pub(crate) fn differences(connection: &Connection, to: &NewStates) -> SqlResult<Vec<Difference>> {
    let mut moves: Vec<Difference> = Vec::new();
    for (thing, after) in to {
        let before = text_of(connection, thing)?;
        let is_there = thing.kind != ThingKind::Candidate || before.is_some();
        if is_there && before != *after {
            moves.push(Difference { thing: thing.clone(), before, after: after.clone() });
        }
    }
    Ok(moves)
}

impl Database {
    /// Marks a pending change as done or undone. Its changes of rows are made in the same transaction.
    /// With a digest the file of decisions has that one alone from then on.
    pub(crate) fn mark(&mut self, change: u64, state: State, decisions: Option<&str>) -> Result<()> {
        let mut done = self.change(change)?;
        done.retain(|entry| entry.state == State::Pending && state == State::Done);
        self.in_full_sync(|transaction| {
            for entry in done {
                put(transaction, &entry.thing, entry.after.as_deref(), entry.time)?;
            }
            let mark = "UPDATE journal SET state = ?2 WHERE change = ?1 AND state = 'pending'";
            transaction.execute(mark, params![signed(change), state.name()])?;
            decisions.map_or(Ok(()), |digest| rows::expect_alone(transaction, digest))
        })
    }

    /// Changes things of the database and records that. Returns the number of the change; `None` where nothing changes.
    /// The status of each thing is set in either case.
    pub(crate) fn change_rows(&mut self, to: &NewStates, deed: &Deed) -> Result<Option<u64>> {
        if to.is_empty() {
            return Ok(None);
        }
        self.in_transaction(|change| {
            let differences = differences(change, to)?;
            // Unchanged things too: a candidate that a person dealt with counts as touched.
            for (thing, after) in to {
                put(change, thing, after.as_deref(), deed.now)?;
            }
            if differences.is_empty() {
                return Ok(None);
            }
            rows::note(change, deed, &differences).map(Some)
        })
    }

    /// Undoes the changes of rows of a change, all of them or none.
    pub(crate) fn undo_rows(&mut self, inverse: &[Difference], deed: &Deed) -> Result<RowsUndone> {
        self.in_transaction(|change| {
            // A scan changes candidates without taking the lock.
            for Difference { thing, before, .. } in inverse {
                if text_of(change, thing)? != *before {
                    return Ok(RowsUndone::Differs(thing.clone()));
                }
            }
            for Difference { thing, after, .. } in inverse {
                put(change, thing, after.as_deref(), deed.now)?;
            }
            rows::note(change, deed, inverse).map(RowsUndone::By)
        })
    }

    /// Returns the answers about the calls of a lesson, each with the hash of its call.
    pub fn labels(&self, lesson: &LessonId) -> Result<Vec<(String, Label)>> {
        let read = |row: &Row<'_>| Ok((row.get("call")?, named(row, "answer")?));
        self.select("SELECT call, answer FROM label WHERE lesson = ?1 ORDER BY call", [lesson.as_str()], read)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lessons_home::home::Home;

    use lessons_store::load::StoreLocation;

    use super::*;
    use crate::journal::Deed;
    use crate::transaction;
    use crate::undo;
    use lessons_store::durable::lock::Lock;

    fn deed(action: &str) -> Deed {
        Deed::new("you", action, 7)
    }

    struct Never;

    impl From<Never> for Box<dyn std::error::Error + Send + Sync> {
        fn from(_: Never) -> Self {
            "never".into()
        }
    }

    #[test]
    fn an_answer_is_a_change_that_can_be_taken_back_and_back_again() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let lock = Lock::acquire(&home, Duration::from_secs(5)).unwrap();
        let mut database = Database::open(&home).unwrap();
        let id = LessonId::new("a").unwrap();
        let answer = |database: &mut Database, call: &str, label: Label| {
            transaction::run_in(&StoreLocation::User, &lock, database, &deed("labelled"), |_, rows| {
                rows.label(&id, call, label);
                Ok::<_, Never>(())
            })
            .unwrap()
            .1
        };
        let first = answer(&mut database, "c1", Label::Right).unwrap();
        assert_eq!(answer(&mut database, "c1", Label::Right), None, "the same again is no change");
        let second = answer(&mut database, "c1", Label::Wrong).unwrap();
        answer(&mut database, "c2", Label::Right).unwrap();
        let now = |database: &Database| database.labels(&id).unwrap();
        assert_eq!(now(&database), [("c1".into(), Label::Wrong), ("c2".into(), Label::Right)]);
        assert!(undo::undo(&lock, &mut database, first, &deed("undone")).is_err(), "there is a later answer");
        undo::undo(&lock, &mut database, second, &deed("undone")).unwrap();
        assert_eq!(now(&database)[0].1, Label::Right);
        let undone = undo::undo(&lock, &mut database, first, &deed("undone"));
        let undone = undone.err().map(|error| error.to_string());
        assert!(undone.is_none(), "{undone:?}");
        assert_eq!(now(&database), [("c2".into(), Label::Right)]);
        assert_eq!(database.labels(&LessonId::new("b").unwrap()).unwrap(), []);
    }
}
