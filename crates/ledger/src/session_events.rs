//! The events of one session.

use crate::database::{Database, DatabaseError};
use crate::integers::unsigned;

/// An event of a hook at a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEvent {
    /// The id of the call, as events shorten it; empty for what was told at a start, or at a query.
    pub call: String,
    /// The type of the agent that was told, or `mcp` for a query.
    pub agent: String,
    /// The name of the outcome.
    pub outcome: String,
    /// The lesson.
    pub lesson: String,
    /// The time, in milliseconds since 1970.
    pub time: u64,
    /// The series of the lot that the session drew; empty where nothing was drawn.
    pub lot: String,
}

impl Database {
    /// The events at the calls of a session, by its hash.
    pub fn events_of_session(&self, session: &str) -> Result<Vec<CallEvent>, DatabaseError> {
        let sql =
            "SELECT call, agent, outcome, lesson, time, lot FROM event JOIN event_lesson ON event = event.id
                    WHERE session = ?1 ORDER BY event.id";
        self.select(sql, [session], |row| {
            Ok(CallEvent {
                call: row.get("call")?,
                agent: row.get("agent")?,
                outcome: row.get("outcome")?,
                lesson: row.get("lesson")?,
                time: unsigned(row, "time")?,
                lot: row.get("lot")?,
            })
        })
    }
}
