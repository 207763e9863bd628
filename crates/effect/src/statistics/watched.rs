//! The retired lessons whose mistake came again.

use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::integers::{signed, unsigned};
use lessons_lesson::lesson::Mode;

/// The sessions in which a mistake comes again before its retired lesson is proposed once more.
pub const ENOUGH: u64 = 2;

/// Sessions that began after a time and in which a lesson came up untold: those with a repeat, or all of them.
const CAME_AGAIN: &str = "
SELECT count(DISTINCT session) AS sessions FROM episode JOIN revision ON revision = id
 WHERE lesson = ?1 AND first >= ?2 AND arm = 'quiet' AND (again > 0 OR ?3)";

/// The sessions since a lesson was retired, in milliseconds since 1970, in which its mistake came again. A reminder would have
/// come after the first matching call of a session, so that one alone does not count; a refusal would have stopped it.
pub fn came_again(database: &Database, lesson: &str, retired: u64, mode: Mode) -> Result<u64, DatabaseError> {
    let read = |row: &rusqlite::Row<'_>| unsigned(row, "sessions");
    let sessions = database.select(CAME_AGAIN, (lesson, signed(retired), mode.refuses()), read)?;
    Ok(sessions.into_iter().sum())
}
