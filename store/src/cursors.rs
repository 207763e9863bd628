//! Where the next scan of a transcript goes on.
//!
//! A cursor knows its file by device and inode and by a hash of its first bytes, so that a file
//! that was truncated, replaced or copied is not taken for the one that was read.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::candidates::signed;
use crate::database::{Database, DatabaseError};

/// Where reading stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The transcript.
    pub path: String,
    /// Its device, as bits.
    pub device: u64,
    /// Its inode, as bits.
    pub inode: u64,
    /// How many bytes have been taken in.
    pub offset: u64,
    /// How many lines those were.
    pub line: u64,
    /// How many of the first bytes are hashed.
    pub prefix: u64,
    /// Their hash.
    pub hash: String,
}

impl Database {
    /// The cursor of a path.
    pub fn cursor(&self, path: &str) -> Result<Option<Cursor>, DatabaseError> {
        self.connection
            .prepare_cached("SELECT * FROM cursor WHERE path = ?1")
            .and_then(|mut select| select.query_row([path], cursor).optional())
            .map_err(|error| self.explain(error))
    }

    /// The cursor of a file by device and inode, wherever it lay: for files that were moved.
    pub fn cursor_of_file(&self, device: u64, inode: u64) -> Result<Option<Cursor>, DatabaseError> {
        self.connection
            .prepare_cached("SELECT * FROM cursor WHERE device = ?1 AND inode = ?2 ORDER BY path LIMIT 1")
            .and_then(|mut select| {
                select.query_row([device.cast_signed(), inode.cast_signed()], cursor).optional()
            })
            .map_err(|error| self.explain(error))
    }

    /// Forgets the cursors of files that are gone. Returns how many.
    pub fn forget_vanished(&mut self, is_there: &dyn Fn(&str) -> bool) -> Result<usize, DatabaseError> {
        let forget = |change: &Transaction<'_>| {
            let paths: Vec<String> = change
                .prepare("SELECT path FROM cursor")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let gone: Vec<_> = paths.iter().filter(|path| !is_there(path)).collect();
            for path in &gone {
                change.execute("DELETE FROM cursor WHERE path = ?1", [path])?;
            }
            Ok(gone.len())
        };
        let change = self.writing()?;
        let forgotten = forget(&change).and_then(|count| {
            crate::crash::point();
            change.commit().map(|()| count)
        });
        crate::crash::point();
        forgotten.map_err(|error| self.explain(error))
    }
}

/// Writes a cursor.
pub(crate) fn store(change: &Transaction<'_>, cursor: &Cursor) -> rusqlite::Result<()> {
    change.execute(
        "INSERT OR REPLACE INTO cursor (path, device, inode, offset, line, prefix, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            cursor.path,
            cursor.device.cast_signed(),
            cursor.inode.cast_signed(),
            signed(cursor.offset),
            signed(cursor.line),
            signed(cursor.prefix),
            cursor.hash
        ],
    )?;
    Ok(())
}

fn cursor(row: &Row<'_>) -> rusqlite::Result<Cursor> {
    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.cast_unsigned());
    Ok(Cursor {
        path: row.get("path")?,
        device: count("device")?,
        inode: count("inode")?,
        offset: count("offset")?,
        line: count("line")?,
        prefix: count("prefix")?,
        hash: row.get("hash")?,
    })
}
