//! The journal: what was changed in `lessons.json`, when and by whom.
//!
//! A row is written before the store and marked afterwards. A row that is still pending at the next
//! start belongs to a process that died in between: whether the store was written shows in the
//! store itself, and the row is marked to say so. It also holds what undoing a change needs.

use rusqlite::{Row, Transaction, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::candidates::signed;
use crate::crash::point;
use crate::database::{Database, DatabaseError};
use crate::graph::Graph;

/// Migration 2.
pub(crate) const TABLE: &str = "
CREATE TABLE journal (
    id          INTEGER PRIMARY KEY,
    change      INTEGER NOT NULL,
    time        INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    action      TEXT NOT NULL,
    lesson      TEXT NOT NULL,
    before      TEXT,
    after       TEXT,
    state       TEXT NOT NULL CHECK (state IN ('pending', 'done', 'undone'))
) STRICT;
CREATE INDEX journal_change ON journal (change);
CREATE INDEX journal_lesson ON journal (lesson, id);
CREATE INDEX journal_pending ON journal (state) WHERE state = 'pending';
";

/// Whether a change took place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Announced; whoever did so may be at it, or dead.
    Pending,
    /// It is in the store.
    Done,
    /// It never got there.
    Undone,
}

/// Who changes something, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The person, or the session that had their leave.
    pub actor: String,
    /// The command: `promote`, `edit`.
    pub action: String,
    /// Milliseconds since 1970.
    pub now: u64,
}

/// A lesson as it stood in the file, with the triggers it named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The raw lesson.
    pub lesson: Value,
    /// The raw triggers, by id.
    pub triggers: Map<String, Value>,
}

impl Snapshot {
    /// The lesson `id` of `graph`, if it is there.
    pub fn of(graph: &Graph, id: &str) -> Option<Self> {
        Some(Self { lesson: graph.raw(id)?.clone(), triggers: graph.raw_triggers_of(id) })
    }
}

/// What a change did to one lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The number of the change. Entries that share it were one write.
    pub change: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    /// Who did it.
    pub actor: String,
    /// The command.
    pub action: String,
    /// The id of the lesson.
    pub lesson: String,
    /// `None`: it was not there.
    pub before: Option<Snapshot>,
    /// `None`: it is gone.
    pub after: Option<Snapshot>,
    /// Whether it took place.
    pub state: State,
}

/// A lesson before and after.
pub(crate) struct Difference {
    pub(crate) lesson: String,
    pub(crate) before: Option<Snapshot>,
    pub(crate) after: Option<Snapshot>,
}

impl Database {
    /// The last changes, the newest first, at most `limit` entries.
    pub fn journal(&self, limit: u32) -> Result<Vec<Entry>, DatabaseError> {
        self.entries("ORDER BY id DESC LIMIT ?1", &limit)
    }

    /// The changes to one lesson, the newest first.
    pub fn history(&self, lesson: &str) -> Result<Vec<Entry>, DatabaseError> {
        self.entries("WHERE lesson = ?1 ORDER BY id DESC", &lesson)
    }

    /// What one change did.
    pub fn change(&self, change: u64) -> Result<Vec<Entry>, DatabaseError> {
        self.entries("WHERE change = ?1 ORDER BY id", &signed(change))
    }

    /// Entries that nobody has marked.
    pub(crate) fn pending(&self) -> Result<Vec<Entry>, DatabaseError> {
        self.entries("WHERE state = ?1 ORDER BY id", &"pending")
    }

    fn entries(&self, rest: &str, argument: &dyn rusqlite::ToSql) -> Result<Vec<Entry>, DatabaseError> {
        let columns = "SELECT change, time, actor, action, lesson, before, after, state FROM journal";
        self.connection
            .prepare_cached(&format!("{columns} {rest}"))
            .and_then(|mut select| select.query_map([argument], entry)?.collect())
            .map_err(|error| self.explain(error))
    }

    /// Announces a change and returns its number. On disk before this returns: losing the row to a
    /// power cut while the store has the change would leave it without an author.
    pub(crate) fn announce(&mut self, deed: &Deed, differences: &[Difference]) -> Result<u64, DatabaseError> {
        self.in_full_sync(|change| {
            let number: i64 =
                change.query_row("SELECT coalesce(max(change), 0) + 1 FROM journal", [], |row| row.get(0))?;
            for difference in differences {
                change.execute(
                    "INSERT INTO journal (change, time, actor, action, lesson, before, after, state)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending')",
                    params![
                        number,
                        signed(deed.now),
                        deed.actor,
                        deed.action,
                        difference.lesson,
                        text(difference.before.as_ref()),
                        text(difference.after.as_ref()),
                    ],
                )?;
            }
            Ok(number.cast_unsigned())
        })
    }

    /// Says what became of a change.
    pub(crate) fn mark(&mut self, change: u64, state: State) -> Result<(), DatabaseError> {
        self.in_full_sync(|transaction| {
            transaction.execute(
                "UPDATE journal SET state = ?2 WHERE change = ?1 AND state = 'pending'",
                params![signed(change), state.name()],
            )?;
            Ok(())
        })
    }

    fn in_full_sync<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, DatabaseError> {
        let run = |connection: &mut rusqlite::Connection| {
            connection.pragma_update(None, "synchronous", "FULL")?;
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            point();
            transaction.commit()?;
            point();
            Ok(done)
        };
        let done = run(&mut self.connection);
        let back = self.connection.pragma_update(None, "synchronous", "NORMAL");
        done.and_then(|done| back.map(|()| done)).map_err(|error| self.explain(error))
    }
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Done => "done",
            Self::Undone => "undone",
        }
    }
}

/// Snapshots are plain JSON; none can fail to become text.
fn text(snapshot: Option<&Snapshot>) -> Option<String> {
    snapshot.and_then(|snapshot| serde_json::to_string(snapshot).ok())
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let snapshot = |column: usize| -> rusqlite::Result<Option<Snapshot>> {
        row.get::<_, Option<String>>(column)?
            .map(|text| {
                serde_json::from_str(&text).map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(
                        column,
                        rusqlite::types::Type::Text,
                        Box::new(error),
                    )
                })
            })
            .transpose()
    };
    let unsigned = |column: usize| row.get(column).map(i64::cast_unsigned);
    Ok(Entry {
        change: unsigned(0)?,
        time: unsigned(1)?,
        actor: row.get(2)?,
        action: row.get(3)?,
        lesson: row.get(4)?,
        before: snapshot(5)?,
        after: snapshot(6)?,
        state: match row.get::<_, String>(7)?.as_str() {
            "done" => State::Done,
            "undone" => State::Undone,
            _ => State::Pending,
        },
    })
}
