//! Conversions between columns of SQLite and values: unsigned integers, values with names.

use std::str::FromStr;

use lessons_text::named::UnknownName;
use rusqlite::Row;
use rusqlite::types::Type;

/// Returns an integer as SQLite stores it; one that does not fit becomes the largest.
pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A column as an unsigned integer; a negative one counts as 0.
pub fn unsigned(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

/// A column that holds the name of a value.
pub fn named<T: FromStr<Err = UnknownName>>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let at = row.as_ref().column_index(column)?;
    let name: String = row.get(at)?;
    name.parse().map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}
