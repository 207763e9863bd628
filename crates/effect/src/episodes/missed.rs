//! The calls that went wrong without a lesson, and the candidates that are about them.

use std::collections::{BTreeMap, HashSet};

use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::integers::signed;
use rusqlite::{Row, Transaction, params};

/// The candidates that are about each call: one row for each pair.
const NOTICED: &str = "
SELECT missed_call.session, call, candidate.id AS candidate, status = 'new' AS waits
  FROM missed_call JOIN sighting USING (uuid) JOIN candidate ON candidate.id = sighting.candidate
 WHERE status IN ('new', 'rejected')";

/// How many of the calls that went wrong without a lesson a candidate is about that waits for a decision, and how many of the
/// others a rejected one. A call counts once. `promoted` are the candidates that have become lessons: those do not wait.
pub(crate) fn noticed_calls(
    database: &Database,
    promoted: &HashSet<String>,
) -> Result<(u64, u64), DatabaseError> {
    let read = |row: &Row<'_>| {
        let call: (String, i64) = (row.get("session")?, row.get("call")?);
        Ok((call, row.get::<_, String>("candidate")?, row.get::<_, bool>("waits")?))
    };
    let mut waits_at: BTreeMap<(String, i64), bool> = BTreeMap::new();
    for (call, candidate, waits) in database.select(NOTICED, [], read)? {
        if !promoted.contains(&candidate) {
            *waits_at.entry(call).or_default() |= waits;
        }
    }
    let waiting = waits_at.values().filter(|waits| **waits).count();
    Ok((waiting as u64, (waits_at.len() - waiting) as u64))
}

/// Records the calls of a session in place of those that were recorded: the ids of the lines of each.
pub(super) fn replace(
    change: &Transaction<'_>,
    session: &str,
    missed: &[Vec<String>],
) -> rusqlite::Result<()> {
    change.prepare_cached("DELETE FROM missed_call WHERE session = ?1")?.execute([session])?;
    let insert = "INSERT OR IGNORE INTO missed_call (session, call, uuid) VALUES (?1, ?2, ?3)";
    let mut insert = change.prepare_cached(insert)?;
    for (call, lines) in missed.iter().enumerate() {
        for line in lines {
            insert.execute(params![session, signed(call as u64), line])?;
        }
    }
    Ok(())
}
