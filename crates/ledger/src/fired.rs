//! What hooks told and stopped, one entry for each time that they spoke.

use rusqlite::{Row, params};

use crate::database::{Database, DatabaseError};
use crate::integers::signed;

/// A time at which a hook told lessons, stopped a call or let it pass on retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiredEvent {
    /// The time, in milliseconds since 1970.
    pub time: u64,
    /// The hash of the session.
    pub session: String,
    /// The id of the call, as [`lessons_decide::events::name`] shortens it; empty at the start of a session.
    pub call: String,
    /// The agent's type, `main` for the main thread.
    pub agent: String,
    /// The outcome: `told`, `refused` or `passed`.
    pub outcome: String,
    /// The lessons, with their layers.
    pub lessons: Vec<String>,
}

impl Database {
    /// The newest entries since `from` (in milliseconds since 1970), newest first: at most `limit`. `lesson` is the id of one
    /// lesson, or the start of it, with or without its layer. What a query showed is none of them.
    pub fn fired(
        &self,
        from: u64,
        lesson: Option<&str>,
        limit: u32,
    ) -> Result<Vec<FiredEvent>, DatabaseError> {
        let sql = "SELECT time, session, call, agent, outcome, group_concat(lesson, ' ') AS lessons
                    FROM event JOIN event_lesson ON event = event.id
                    WHERE time >= ?1 AND outcome IN ('told', 'refused', 'passed') AND agent != 'mcp'
                    GROUP BY event.id
                    HAVING ?2 IS NULL OR max(instr(lesson, ?2) = 1 OR instr(lesson, '/' || ?2) > 0)
                    ORDER BY time DESC, event.id DESC LIMIT ?3";
        let read = |row: &Row<'_>| {
            Ok(FiredEvent {
                time: row.get("time").map(i64::cast_unsigned)?,
                session: row.get("session")?,
                call: row.get("call")?,
                agent: row.get("agent")?,
                outcome: row.get("outcome")?,
                lessons: row.get::<_, String>("lessons")?.split(' ').map(str::to_owned).collect(),
            })
        };
        self.select(sql, params![signed(from), lesson, limit], read)
    }
}
