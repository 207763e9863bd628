//! Episodes: what followed in a session in which a lesson came up, as numbers.
//!
//! A row holds no text of a call, no path and no name of a project; sessions and projects are hashes. It can be made
//! again as long as the transcripts of its session are there. All rows of a session are replaced in one transaction, so
//! a session counts once, whenever the program dies. Rows are kept for a year.

mod row;

use std::collections::HashSet;

use lessons_ledger::candidates::json;
use lessons_ledger::database::Result;
use lessons_ledger::database::columns::signed;
use lessons_ledger::{Database, database::columns};
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};

pub use self::row::{Arm, Chance, Episode, JoinedSession};

/// The number of a revision in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RevisionId(pub(crate) i64);

/// A revision of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Revision {
    /// Its number.
    pub id: RevisionId,
    /// The lesson, with its layer.
    pub lesson: String,
    /// A hash of everything that bears on what it does.
    pub hash: String,
    /// Since when it is told, in milliseconds since 1970; 0 for the first that is known of a lesson.
    pub since: u64,
    /// From when on its sessions count: those that ended earlier were to be forgotten. In milliseconds since 1970.
    pub counts_from: u64,
}

/// A revision that is told now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresentRevision {
    /// The lesson, with its layer.
    pub lesson: String,
    /// The hash of the revision.
    pub hash: String,
    /// When the lesson was changed last, in milliseconds since 1970, if that is known.
    pub changed: Option<u64>,
}

/// The result of joining one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionJoin {
    /// The session.
    pub session: JoinedSession,
    /// Its episodes, each with its revision. A fork has none.
    pub episodes: Vec<(RevisionId, Episode)>,
    /// The calls that went wrong without a lesson: the ids of the lines at which somebody may have noticed each.
    pub missed: Vec<Vec<String>>,
}

/// The numbers of the revisions that are told now, in their order; the ones that are new are recorded. `now` is in
/// milliseconds since 1970.
pub fn revisions_of<'p>(
    database: &mut Database,
    present: impl IntoIterator<Item = &'p PresentRevision>,
    now: u64,
) -> Result<Vec<Revision>> {
    database.in_transaction(|change| present.into_iter().map(|it| revision(change, it, now)).collect())
}

/// All episodes, each with its revision, the oldest first.
pub fn all(database: &Database) -> Result<Vec<(Revision, Episode)>> {
    let sql = "SELECT episode.*, revision.*, client FROM episode JOIN revision ON revision = id
                 JOIN joined_session USING (session) ORDER BY episode.first, session";
    database.select(sql, [], |row| Ok((columns::read(row)?, columns::read(row)?)))
}

/// Whether a session was joined in this state of its files and with these lessons.
pub fn is_joined(database: &Database, session: &str, files: &str, lessons: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM joined_session WHERE session = ?1 AND files = ?2 AND lessons = ?3";
    Ok(!database.select(sql, [session, files, lessons], |_| Ok(()))?.is_empty())
}

/// The hash of the session that begins so and is no copy.
pub fn session_that_begins(database: &Database, beginning: &str) -> Result<Option<String>> {
    let sql = "SELECT session FROM joined_session WHERE beginning = ?1 AND NOT is_fork LIMIT 1";
    Ok(database.select(sql, [beginning], |row| row.get(0))?.pop())
}

/// Records the join of a session in place of what an earlier one recorded for these revisions.
pub fn record_join(database: &mut Database, join: &SessionJoin, present: &[Revision]) -> Result<()> {
    database.in_transaction(|change| {
        let session = &join.session.session;
        // What was recorded of a revision that is told no more stays.
        let sql = "DELETE FROM episode WHERE session = ?1 AND revision IN (SELECT value FROM json_each(?2))";
        let present: Vec<RevisionId> = present.iter().map(|revision| revision.id).collect();
        change.prepare_cached(sql)?.execute(params![session, json(&present)])?;
        for (revision, episode) in &join.episodes {
            let of = [("session", session.as_str().into()), ("revision", revision.0.into())];
            columns::insert(change, "INSERT OR REPLACE INTO episode", episode, of)?;
        }
        columns::insert(change, "INSERT OR REPLACE INTO joined_session", &join.session, [])?;
        change.prepare_cached("DELETE FROM missed_call WHERE session = ?1")?.execute([session])?;
        let insert = "INSERT OR IGNORE INTO missed_call (session, call, uuid) VALUES (?1, ?2, ?3)";
        let mut insert = change.prepare_cached(insert)?;
        for (call, lines) in join.missed.iter().enumerate() {
            for line in lines {
                insert.execute(params![session, signed(call as u64), line])?;
            }
        }
        Ok(())
    })
}

/// The index with which sessions were joined last, and from when on some are due, in milliseconds since 1970.
pub fn join_state(database: &Database) -> Result<Option<(String, u64)>> {
    Ok(database.select("SELECT lessons, due FROM join_state", [], |row| row.try_into())?.pop())
}

/// Sets what [`join_state`] returns.
pub fn set_join_state(database: &mut Database, lessons: &str, due: u64) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO join_state (one, lessons, due) VALUES (1, ?1, ?2)";
    database.in_transaction(|change| change.execute(sql, params![lessons, signed(due)]).map(drop))
}

/// Deletes what is known of sessions that ended before `time`, in milliseconds since 1970.
pub fn drop_before(database: &mut Database, time: u64) -> Result<()> {
    let time = signed(time);
    // Mostly there is none, and then nobody has to wait for the database.
    if database.select("SELECT 1 FROM joined_session WHERE last < ?1 LIMIT 1", [time], |_| Ok(()))?.is_empty()
    {
        return Ok(());
    }
    database.in_transaction(|change| {
        let sql = "DELETE FROM episode WHERE session IN (SELECT session FROM joined_session WHERE last < ?1)";
        change.execute(sql, [time])?;
        change.execute("DELETE FROM joined_session WHERE last < ?1", [time]).map(drop)
    })
}

/// Deletes everything that is known of what a lesson did. What happened before `now`, in milliseconds since 1970, does
/// not count again. Returns the number of sessions.
pub fn forget_series(database: &mut Database, lesson: &str, now: u64) -> Result<u64> {
    database.in_transaction(|change| {
        let revisions = "revision IN (SELECT id FROM revision WHERE lesson = ?1)";
        let gone = change.execute(&format!("DELETE FROM episode WHERE {revisions}"), [lesson])?;
        let begin = "UPDATE revision SET counts_from = ?2 WHERE lesson = ?1";
        change.execute(begin, params![lesson, signed(now)])?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    })
}

/// The revision of a lesson, which is recorded where it is new.
fn revision(change: &Transaction<'_>, present: &PresentRevision, now: u64) -> rusqlite::Result<Revision> {
    let PresentRevision { lesson, hash, changed } = present;
    let latest: Option<i64> = change
        .prepare_cached("SELECT max(since) FROM revision WHERE lesson = ?1")?
        .query_row([lesson], |row| row.get(0))?;
    // What was told before the first known revision counts for it. A later one is told since the lesson was changed; of one
    // that another version of the program brought along, since now.
    let since = latest.map_or(0, |latest| {
        changed.filter(|&changed| signed(changed) > latest && changed <= now).unwrap_or(now)
    });
    change
        .prepare_cached("INSERT OR IGNORE INTO revision (lesson, hash, since) VALUES (?1, ?2, ?3)")?
        .execute(params![lesson, hash, signed(since)])?;
    change
        .prepare_cached("SELECT * FROM revision WHERE lesson = ?1 AND hash = ?2")?
        .query_row([lesson, hash], columns::read)
}

#[cfg(test)]
mod tests;

/// The calls that a waiting candidate is about, and the others that a rejected one is about. A call counts once.
const NOTICED: &str = "
SELECT ifnull(sum(waits), 0), ifnull(sum(NOT waits), 0)
  FROM (SELECT max(status = 'new') AS waits
          FROM missed_call JOIN sighting USING (uuid) JOIN candidate ON candidate.id = sighting.candidate
         WHERE status IN ('new', 'rejected') AND candidate.id NOT IN (SELECT value FROM json_each(?1))
         GROUP BY missed_call.session, call)";

/// How many of the calls that went wrong without a lesson a candidate is about that waits for a decision, and how many of the
/// others a rejected one. `promoted` are the candidates that have become lessons: those do not wait.
pub(crate) fn noticed_calls(database: &Database, promoted: &HashSet<String>) -> Result<(u64, u64)> {
    let promoted = json(promoted);
    Ok(database.select(NOTICED, [promoted], |row| row.try_into())?.pop().unwrap_or_default())
}
