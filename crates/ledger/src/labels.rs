//! Labels: answers of a person whether a lesson was right to fire at a call.
//!
//! Such an answer is the proof that a lesson may refuse calls, so it is kept apart from the lesson's examples,
//! which anybody may write: an answer comes about in one way, by asking a person. It belongs to the id of a
//! lesson and to a call, which is known by a hash of what is the same in all calls that are the same call;
//! nothing of the call itself is kept here. There is one answer for each, the last one.

use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::Label;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::database::{Database, DatabaseError};
use crate::journal::{Thing, ThingKind};

/// The separator of lesson and call in the name of an answer in the journal. No id holds it.
const OF: char = '#';

/// Names an answer about a call for the journal.
pub(crate) fn thing(lesson: &LessonId, call: &str) -> Thing {
    Thing::new(ThingKind::Label, format!("{lesson}{OF}{call}"))
}

/// Returns the lesson of such a name.
pub fn lesson_of(name: &str) -> &str {
    name.split_once(OF).map_or(name, |(lesson, _)| lesson)
}

fn parts(name: &str) -> (&str, &str) {
    name.split_once(OF).unwrap_or((name, ""))
}

/// Returns the answer of this name, if there is one.
pub(crate) fn text_of(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let (lesson, call) = parts(name);
    connection
        .prepare_cached("SELECT answer FROM label WHERE lesson = ?1 AND call = ?2")?
        .query_row([lesson, call], |row| row.get(0))
        .optional()
}

/// Stores or deletes an answer.
pub(crate) fn put(change: &Transaction<'_>, name: &str, to: Option<&str>) -> rusqlite::Result<()> {
    let (lesson, call) = parts(name);
    match to {
        Some(answer) => change.execute(
            "INSERT INTO label (lesson, call, answer) VALUES (?1, ?2, ?3)
             ON CONFLICT (lesson, call) DO UPDATE SET answer = excluded.answer",
            params![lesson, call, answer],
        ),
        None => change.execute("DELETE FROM label WHERE lesson = ?1 AND call = ?2", [lesson, call]),
    }
    .map(drop)
}

impl Database {
    /// Returns the answers about the calls of a lesson, each with the hash of its call.
    pub fn labels(&self, lesson: &LessonId) -> Result<Vec<(String, Label)>, DatabaseError> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok((row.get(0)?, Label::named(&row.get::<_, String>(1)?).unwrap_or(Label::Wrong)))
        };
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
    use lessons_store::lock::Lock;

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
