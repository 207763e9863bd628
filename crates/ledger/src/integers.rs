//! Conversions between our unsigned integers and the signed ones of SQLite.

use rusqlite::Row;

/// SQLite counts in signed numbers; what does not fit is as large as can be.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A column as an unsigned integer; a negative one counts as 0.
pub(crate) fn unsigned(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}
