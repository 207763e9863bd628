//! Cursors: the positions in transcripts from which the next scan reads on.
//!
//! A cursor knows its file by device and inode and by a hash of its first bytes, so that a file
//! that was truncated, replaced or copied is not taken for the one that was read.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row};
use serde::Serialize;

use crate::database::columns;
use crate::database::{Database, Result, SqlResult};

/// The position in one transcript at which a scan stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Cursor {
    /// The path of the transcript.
    pub path: String,
    /// Its device, as bits.
    pub device: u64,
    /// Its inode, as bits.
    pub inode: u64,
    /// The number of bytes read.
    pub offset: u64,
    /// The number of lines read.
    pub line: u64,
    /// The number of bytes at the beginning that are hashed.
    pub prefix: u64,
    /// The hash of those bytes.
    pub hash: String,
    /// The size of the file up to which there was nothing more to read, in bytes. It is more than `offset` where the file
    /// ends in a line without an end.
    pub size: u64,
    /// The change time of the file, as bits; 0 if it changed while it was read.
    pub changed: u64,
}

/// Every cursor by its path, for a scan that is the only writer.
#[derive(Debug, Default)]
pub struct Cursors(pub BTreeMap<String, Cursor>);

impl Cursors {
    /// Returns the cursor of a file: that of its path, or of the path it had before it was moved.
    pub fn of(&self, path: &str, device: u64, inode: u64) -> Option<&Cursor> {
        // Where the file has several paths, that of the first. Few files were moved, or are new, and most scans meet none.
        let is_it = |cursor: &&Cursor| (cursor.device, cursor.inode) == (device, inode);
        self.0.get(path).or_else(|| self.0.values().find(is_it))
    }

    /// Returns whether this very cursor is among them.
    pub fn holds(&self, cursor: &Cursor) -> bool {
        self.0.get(&cursor.path) == Some(cursor)
    }
}

impl Database {
    /// Reads every cursor.
    pub fn cursors(&self) -> Result<Cursors> {
        let all = self.select(&format!("SELECT {COLUMNS} FROM cursor ORDER BY path"), [], cursor)?;
        Ok(Cursors(all.into_iter().map(|cursor| (cursor.path.clone(), cursor)).collect()))
    }

    /// Returns the cursor of a path.
    pub fn cursor(&self, path: &str) -> Result<Option<Cursor>> {
        Ok(self.select(&format!("SELECT {COLUMNS} FROM cursor WHERE path = ?1"), [path], cursor)?.pop())
    }

    /// Deletes the cursors of files that are gone.
    pub fn forget_cursors(&mut self, paths: &[&str]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        self.in_transaction(|change| {
            let mut delete = change.prepare("DELETE FROM cursor WHERE path = ?1")?;
            paths.iter().try_for_each(|path| delete.execute([path]).map(drop))
        })
    }
}

/// Writes a cursor.
pub(crate) fn store(change: &Connection, cursor: &Cursor) -> SqlResult<()> {
    columns::insert(change, "INSERT OR REPLACE INTO cursor", cursor, [])
}

/// What is read of a cursor, in the order in which [`cursor`] takes it: looking for names in each of thousands of rows
/// would take longer than all the rest.
const COLUMNS: &str = "path, device, inode, offset, line, prefix, hash, size, changed";

fn cursor(row: &Row<'_>) -> SqlResult<Cursor> {
    let count = |column: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.cast_unsigned());
    Ok(Cursor {
        path: row.get(0)?,
        device: count(1)?,
        inode: count(2)?,
        offset: count(3)?,
        line: count(4)?,
        prefix: count(5)?,
        hash: row.get(6)?,
        size: count(7)?,
        changed: count(8)?,
    })
}
