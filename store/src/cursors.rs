//! Where the next scan of a transcript goes on.
//!
//! A cursor knows its file by device and inode and by a hash of its first bytes, so that a file
//! that was truncated, replaced or copied is not taken for the one that was read.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::candidates::signed;
use crate::database::{Database, DatabaseError};

/// When a file had changed last, so that most need not be opened to know that nothing is new in them.
pub(crate) const CHANGED: &str = "ALTER TABLE cursor ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;";

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
    /// When the file had changed last, as bits; 0 where that says nothing, because it changed while it was looked at.
    pub changed: u64,
}

/// All cursors, for a scan that nobody else writes beside.
#[derive(Debug, Default)]
pub struct Cursors {
    by_path: HashMap<String, Cursor>,
    /// The path of a file, by device and inode. Where it has several, the first.
    by_file: HashMap<(u64, u64), String>,
}

impl Cursors {
    /// The cursor of a file: of its path, or of the path that it had before it was moved.
    pub fn of(&self, path: &str, device: u64, inode: u64) -> Option<&Cursor> {
        self.by_path.get(path).or_else(|| self.by_path.get(self.by_file.get(&(device, inode))?))
    }

    /// Whether this very cursor is among them.
    pub fn holds(&self, cursor: &Cursor) -> bool {
        self.by_path.get(&cursor.path) == Some(cursor)
    }
}

impl FromIterator<Cursor> for Cursors {
    fn from_iter<I: IntoIterator<Item = Cursor>>(cursors: I) -> Self {
        let mut all = Self::default();
        for cursor in cursors {
            let first =
                all.by_file.entry((cursor.device, cursor.inode)).or_insert_with(|| cursor.path.clone());
            if cursor.path < *first {
                first.clone_from(&cursor.path);
            }
            all.by_path.insert(cursor.path.clone(), cursor);
        }
        all
    }
}

impl Database {
    /// All cursors.
    pub fn cursors(&self) -> Result<Cursors, DatabaseError> {
        self.connection
            .prepare("SELECT * FROM cursor")
            .and_then(|mut select| select.query_map([], cursor)?.collect())
            .map_err(|error| self.explain(error))
    }

    /// The cursor of a path.
    pub fn cursor(&self, path: &str) -> Result<Option<Cursor>, DatabaseError> {
        self.connection
            .prepare_cached("SELECT * FROM cursor WHERE path = ?1")
            .and_then(|mut select| select.query_row([path], cursor).optional())
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
        "INSERT OR REPLACE INTO cursor (path, device, inode, offset, line, prefix, hash, changed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            cursor.path,
            cursor.device.cast_signed(),
            cursor.inode.cast_signed(),
            signed(cursor.offset),
            signed(cursor.line),
            signed(cursor.prefix),
            cursor.hash,
            cursor.changed.cast_signed()
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
        changed: count("changed")?,
    })
}
