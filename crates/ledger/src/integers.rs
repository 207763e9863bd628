//! Conversions between unsigned integers and the signed ones of SQLite.

use rusqlite::Row;

/// Returns an integer as SQLite stores it; one that does not fit becomes the largest.
pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A column as an unsigned integer; a negative one counts as 0.
pub fn unsigned(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}
