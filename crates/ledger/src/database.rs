//! `lessons.db`: what scans found and what was changed. It never decides which lessons exist.
//!
//! **Version.** `PRAGMA user_version` is the version of the schema, [`SCHEMA`]. A database of the one before,
//! [`BEFORE`], is brought up to it; any other is refused and left alone.

pub mod columns;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use lessons_home::file_error::denied;
use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_store::durable;
use lessons_store::durable::crash::point;
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row, Transaction, TransactionBehavior};
use serde::de::DeserializeOwned;

pub(crate) use crate::database::columns::SqlResult;
use crate::journal::ConsentRefused;

/// The time that a writer waits for another writer.
const BUSY: Duration = Duration::from_secs(5);

/// The number of statements that are kept prepared: more than a scan has.
const STATEMENTS: usize = 64;

/// The version of the schema.
const SCHEMA: i64 = 26;
/// The tables of digests, which are in the schema of no version before.
const DIGEST: &str = include_str!("database/schema_digest.sql");
/// The schema of the version before, which is taken over.
const BEFORE: i64 = 20;

/// An error that keeps the database from being used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The file may not be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// It was written by another program.
    #[error(
        "{path} was written by another version of lessons (schema {found}, this one knows {SCHEMA}); update lessons"
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version of its schema.
        found: i64,
    },
    /// The file is no database, or a corrupt one.
    #[error(
        "{path} is corrupt: {reason}. Your lessons are not in it. `lessons doctor --fix` restores its last backup, or begins \
         a new one, and keeps the corrupt file"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        reason: String,
    },
    /// SQLite failed.
    #[error("{path}: {source}")]
    Sql {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        source: rusqlite::Error,
    },
    /// The change was not permitted. Nothing of it was written.
    #[error(transparent)]
    ConsentRefused(#[from] ConsentRefused),
}

/// A result of what is done with the database.
pub type Result<T, E = DatabaseError> = std::result::Result<T, E>;

/// The open database.
#[derive(Debug)]
pub struct Database {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

impl Database {
    /// Opens the database of `home`, makes it if there is none, and brings it up to date.
    pub fn open(home: &Home) -> Result<Self> {
        files::ensure_folder(home.root())?;
        let path = home.database();
        // Not opened: another connection of this process may hold locks on it, which closing the file would drop.
        if !files::check_unopened(&path)? {
            // SQLite would create it readable for others.
            durable::ensure(&path)?;
        }
        let connection = Connection::open(&path).map_err(|error| explain(&path, error))?;
        let mut database = Self { connection, path };
        // SQLite itself does not wait where two programs give a new file its log at once.
        let until = Instant::now() + BUSY;
        while let Err(error) = database.prepare() {
            if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || Instant::now() > until {
                return Err(explain(&database.path, error));
            }
            thread::sleep(BUSY / 1000);
        }
        database.migrate()?;
        Ok(database)
    }

    /// Opens an empty database in memory, in the place of one that cannot be used.
    pub fn in_memory() -> Result<Self> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory().map_err(|error| explain(&path, error))?;
        let mut database = Self { connection, path };
        database.migrate()?;
        Ok(database)
    }

    fn prepare(&self) -> SqlResult<()> {
        self.connection.set_prepared_statement_cache_capacity(STATEMENTS);
        self.connection.busy_timeout(BUSY)?;
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        self.connection.pragma_update(None, "foreign_keys", true)
    }

    fn migrate(&mut self) -> Result<()> {
        let sql = |error| explain(&self.path, error);
        // Immediate: two programs that start at once must not both see the old version.
        let change =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let found: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(sql)?;
        let tables = match found {
            SCHEMA => return change.commit().map_err(sql),
            0 => include_str!("database/schema.sql"),
            BEFORE => include_str!("database/schema_20_taken_over.sql"),
            found => return Err(DatabaseError::OtherVersion { path: self.path.clone(), found }),
        };
        change.execute_batch(tables).map_err(sql)?;
        change.execute_batch(DIGEST).map_err(sql)?;
        change.pragma_update(None, "user_version", SCHEMA).map_err(sql)?;
        point();
        change.commit().map_err(sql)
    }

    /// Opens the database of a home that has one.
    pub fn existing(home: &Home) -> Result<Option<Self>> {
        home.database().exists().then(|| Self::open(home)).transpose()
    }

    /// Reads rows as values: see [`columns::read`].
    pub fn rows<T: DeserializeOwned>(&self, sql: &str, parameters: impl Params) -> Result<Vec<T>> {
        self.select(sql, parameters, columns::read)
    }

    /// Reads rows, for crates whose tables are here.
    pub fn select<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> SqlResult<T>,
    ) -> Result<Vec<T>> {
        self.read(|connection| rows_of(connection, sql, parameters, read))
    }

    /// Makes a change in one transaction. Outside of the journal, which records what a person decides, it may change nothing
    /// of that.
    pub fn in_transaction<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> SqlResult<T>) -> Result<T> {
        // The only writer from here on: one that began by reading and then wrote would be refused at once, without waiting, if
        // somebody else had written in between.
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let done = change.and_then(|change| {
            let done = work(&change)?;
            point();
            change.commit().map(|()| done)
        });
        point();
        done.map_err(|error| self.explain(error))
    }

    /// Reads the one value of the one row that a statement returns.
    pub(crate) fn value<T: FromSql>(&self, sql: &str, parameters: impl Params) -> Result<T> {
        self.read(|connection| connection.query_row(sql, parameters, |row| row.get(0)))
    }

    /// Reads what more than one statement tells.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> SqlResult<T>) -> Result<T> {
        work(&self.connection).map_err(|error| self.explain(error))
    }

    /// Carries out one statement, which is a transaction of its own. Returns the number of changed rows.
    pub(crate) fn execute(&self, sql: &str, parameters: impl Params) -> Result<usize> {
        point();
        let done = self.connection.execute(sql, parameters);
        point();
        done.map_err(|error| self.explain(error))
    }

    /// Turns an error of SQLite into one that names this file.
    pub(crate) fn explain(&self, error: rusqlite::Error) -> DatabaseError {
        explain(&self.path, error)
    }
}

/// Reads every row that a statement selects.
pub(crate) fn rows_of<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnMut(&Row<'_>) -> SqlResult<T>,
) -> SqlResult<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(parameters, read)?.collect()
}

/// Reads the first column of the first row that a statement selects; `None` where it selects none.
pub(crate) fn value_of<T: FromSql>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
) -> SqlResult<Option<T>> {
    connection.prepare_cached(sql)?.query_row(parameters, |row| row.get(0)).optional()
}

/// Carries out a statement that is kept for the next time. Returns the number of changed rows.
pub(crate) fn change_by(connection: &Connection, sql: &str, parameters: impl Params) -> SqlResult<usize> {
    connection.prepare_cached(sql)?.execute(parameters)
}

fn explain(path: &Path, source: rusqlite::Error) -> DatabaseError {
    let path = path.to_owned();
    if let rusqlite::Error::ToSqlConversionFailure(error) = &source
        && let Some(refused) = error.downcast_ref::<ConsentRefused>()
    {
        return refused.clone().into();
    }
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            DatabaseError::Corrupt { path, reason: source.to_string() }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
            if let Some(path) = denied_of(&path) =>
        {
            FileError::Io { path, source: std::io::ErrorKind::PermissionDenied.into() }.into()
        }
        _ => DatabaseError::Sql { path, source },
    }
}

/// The file of a database whose mode denies its use. SQLite gives the files beside a database the database's mode.
fn denied_of(path: &Path) -> Option<PathBuf> {
    let files = ["db", "db-wal", "db-shm"].map(|extension| path.with_extension(extension));
    files.into_iter().find(|file| denied(file).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_private_and_opened_again() {
        use std::os::unix::fs::MetadataExt;
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        drop(Database::open(&home).unwrap());
        drop(Database::open(&home).unwrap());
        assert_eq!(std::fs::metadata(home.database()).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn many_that_make_it_and_leave_it_at_once_wait_for_each_other() {
        for _ in 0..40 {
            let dir = tempfile::tempdir().unwrap();
            let home = Home::at(dir.path().join("data"));
            std::thread::scope(|scope| {
                let opening: Vec<_> =
                    (0..8).map(|_| scope.spawn(|| Database::open(&home).map(drop))).collect();
                for one in opening {
                    one.join().unwrap().unwrap();
                }
            });
        }
    }

    #[test]
    fn a_damaged_one_and_a_newer_one_are_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let database = Database::open(&home).unwrap();
        database.connection.pragma_update(None, "user_version", 99).unwrap();
        drop(database);
        assert!(Database::open(&home).unwrap_err().to_string().contains("update lessons"));
        for file in std::fs::read_dir(home.root()).unwrap().flatten() {
            std::fs::remove_file(file.path()).unwrap();
        }
        std::fs::write(home.database(), "no database, but long enough to be looked at as one ".repeat(50))
            .unwrap();
        assert!(Database::open(&home).unwrap_err().to_string().contains("lessons doctor --fix"));
    }

    #[test]
    fn one_of_the_version_before_is_taken_over_with_what_it_holds() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        std::fs::create_dir(home.root()).unwrap();
        let before = Connection::open(home.database()).unwrap();
        before.execute_batch(include_str!("../../../tests/fixtures/home-before/lessons.sql")).unwrap();
        let clues =
            "INSERT INTO clue VALUES ('v', 'd', 'k', 0, 0, '{}', 'f', 1, 's', NULL, NULL, NULL, NULL, 7),
            ('w', 'd', 'k', 0, 1, '{}', 'f', 2, 's', NULL, NULL, NULL, NULL, 8)";
        before.execute_batch(clues).unwrap();
        drop(before);
        let database = Database::open(&home).unwrap();
        let times =
            database.select("SELECT time FROM signal WHERE key = 'k'", [], |row| row.get::<_, i64>(0));
        assert_eq!(times.unwrap(), [7]);
        let schema = |database: &Database| {
            let sql =
                "SELECT group_concat(name || coalesce(sql, ''), char(10) ORDER BY name) FROM sqlite_schema";
            let schema = database.select(sql, [], |row| row.get::<_, String>(0)).unwrap().remove(0);
            let statements: String = schema.lines().filter_map(|line| line.split("--").next()).collect();
            statements.replace(|c: char| c == '"' || c.is_whitespace(), "")
        };
        assert_eq!(schema(&database), schema(&Database::in_memory().unwrap()));
    }

    #[test]
    fn one_that_others_may_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        drop(Database::open(&home).unwrap());
        std::fs::set_permissions(home.database(), std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(Database::open(&home).unwrap_err().to_string().contains("chmod go-w"));
    }
}
