//! Removal of a text from a database.
//!
//! Rows that hold it go; of the journal only the text goes, so that it still says who did what and when.
//! What is deleted is overwritten, the file is then written anew, and the log beside it is emptied: neither
//! a free page nor an old frame holds it afterwards.

use std::collections::BTreeMap;
use std::path::Path;

use lessons_store::durable;
use lessons_store::durable::crash::point;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags};

use super::Seeker;
use crate::database::{Database, DatabaseError, SqlResult, rows_of};
use crate::error::{LedgerError, Result};

/// The table whose rows stay.
const JOURNAL: &str = "journal";

/// The number of changed rows, by table.
pub type Touched = BTreeMap<String, usize>;

impl Database {
    /// The ids of the candidates that hold the text.
    pub fn candidates_holding(&self, seeker: &Seeker) -> Result<Vec<String>, DatabaseError> {
        self.read(|connection| {
            install(connection, seeker)?;
            let held = condition(connection, "candidate")?;
            rows_of(connection, &format!("SELECT id FROM candidate WHERE {held} ORDER BY id"), [], |row| {
                row.get(0)
            })
        })
    }

    /// Removes the text from every table, and from the pages that are free then.
    pub fn take_out(&mut self, seeker: &Seeker) -> Result<Touched> {
        point();
        let touched = self.read(|connection| scrub(connection, seeker))?;
        point();
        let emptied = self.value::<i64>("PRAGMA wal_checkpoint(TRUNCATE)", []);
        point();
        if emptied? == 0 { Ok(touched) } else { Err(LedgerError::Busy) }
    }
}

/// Removes the text from the copy of a database at `path`, which is rewritten.
pub fn take_out_of_copy(path: &Path, seeker: &Seeker) -> Result<Touched> {
    let mut touched = Touched::new();
    durable::replace_by(path, |unfinished| -> Result<()> {
        let sql = |source| DatabaseError::Sql { path: path.to_owned(), source };
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .and_then(|copy| copy.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()]))
            .map_err(sql)?;
        let copy = Connection::open(unfinished).map_err(sql)?;
        // Without a file beside it, which would hold the old pages.
        copy.pragma_update(None, "journal_mode", "MEMORY").map_err(sql)?;
        copy.pragma_update(None, "foreign_keys", true).map_err(sql)?;
        touched = scrub(&copy, seeker).map_err(sql)?;
        Ok(())
    })?;
    Ok(touched)
}

fn scrub(connection: &Connection, seeker: &Seeker) -> SqlResult<Touched> {
    connection.pragma_update(None, "secure_delete", true)?;
    install(connection, seeker)?;
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let tables: Vec<String> = rows_of(connection, sql, [], |row| row.get(0))?;
    let mut touched = Touched::new();
    let change = connection.unchecked_transaction()?;
    // The id of a candidate is a hash of its text. Copies of earlier versions have no such rows.
    if columns(&change, JOURNAL)?.iter().any(|column| column == "kind") {
        let held = format!("SELECT id FROM candidate WHERE {}", condition(&change, "candidate")?);
        change
            .execute(&format!("DELETE FROM journal WHERE kind = 'candidate' AND lesson IN ({held})"), [])?;
    }
    for table in tables {
        let condition = condition(&change, &table)?;
        let sql = if table == JOURNAL {
            // Copies of earlier versions have no mark.
            let without = |name: String| match name.as_str() {
                "redacted" => "redacted = 1".to_owned(),
                _ => format!("\"{name}\" = taken_out(\"{name}\")"),
            };
            let set: Vec<_> = columns(&change, &table)?.into_iter().map(without).collect();
            format!("UPDATE \"{table}\" SET {} WHERE {condition}", set.join(", "))
        } else {
            format!("DELETE FROM \"{table}\" WHERE {condition}")
        };
        let rows = change.execute(&sql, [])?;
        if rows > 0 {
            touched.insert(table, rows);
        }
    }
    point();
    change.commit()?;
    point();
    connection.execute_batch("VACUUM")?;
    Ok(touched)
}

/// Registers SQL functions that find the text in a value and remove it.
fn install(connection: &Connection, seeker: &Seeker) -> SqlResult<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    let (holds, takes) = (seeker.clone(), seeker.clone());
    connection.create_scalar_function("holds", 1, flags, move |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => holds.is_in(bytes),
            _ => false,
        })
    })?;
    connection.create_scalar_function("taken_out", 1, flags, move |context| {
        Ok(match context.get(0)? {
            Value::Text(text) => Value::Text(takes.take_out_of(&text).unwrap_or(text)),
            other => other,
        })
    })
}

fn columns(connection: &Connection, table: &str) -> SqlResult<Vec<String>> {
    rows_of(connection, "SELECT name FROM pragma_table_info(?1)", [table], |row| row.get(0))
}

/// Whether any column of a row of `table` holds the text.
fn condition(connection: &Connection, table: &str) -> SqlResult<String> {
    let columns = columns(connection, table)?;
    Ok(columns.iter().map(|name| format!("holds(\"{name}\")")).collect::<Vec<_>>().join(" OR "))
}

#[cfg(test)]
mod tests {
    use lessons_home::home::Home;

    use super::*;

    const SECRET: &str = "correct horse battery";

    /// Everything in the files of the database, the log included.
    fn bytes_of(home: &Home) -> Vec<u8> {
        let files = std::fs::read_dir(home.root()).unwrap().flatten();
        files.flat_map(|file| std::fs::read(file.path()).unwrap()).collect()
    }

    fn filled() -> (tempfile::TempDir, Home, Database) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let database = Database::open(&home).unwrap();
        for n in 0..400 {
            let text = if n % 3 == 0 { SECRET } else { "something else" };
            database
                .connection
                .execute(
                    "INSERT INTO candidate (id, source, mistake, fix, tools, tags, proposal, flags, status,
                                            first_seen, last_seen)
                     VALUES (?1, 'tag', ?2, 'f', '[]', '[]', '[]', '[]', 'new', 1, 1)",
                    (format!("{n:016x}"), format!("{text} {n}")),
                )
                .unwrap();
        }
        let journal = "INSERT INTO journal (change, time, actor, action, lesson, before, state)
                       VALUES (1, 2, 'you', 'edit', 'a', ?1, 'done')";
        let before = r#"{"lesson":{"rule":"say correct\nhorse battery"},"triggers":{}}"#;
        database.connection.execute(journal, [before]).unwrap();
        (dir, home, database)
    }

    #[test]
    fn no_row_no_free_page_and_no_frame_of_the_log_holds_it_afterwards() {
        let (_dir, home, mut database) = filled();
        // Some of them are deleted already, and their pages are free.
        database.connection.execute("DELETE FROM candidate WHERE id < '00000000000000a0'", []).unwrap();
        let seeker = Seeker::new(SECRET).unwrap();
        assert!(seeker.is_in(&bytes_of(&home)));
        let touched = database.take_out(&seeker).unwrap();
        assert!(touched["candidate"] > 50 && touched["journal"] == 1, "{touched:?}");
        assert!(!seeker.is_in(&bytes_of(&home)));
        let entry = database.journal(1).unwrap().remove(0);
        assert_eq!(entry.lessons()[0].as_ref().unwrap().lesson["rule"], "say forgotten");
        assert_eq!(database.take_out(&seeker).unwrap(), Touched::new());
    }

    #[test]
    fn a_copy_is_written_anew_without_it() {
        let (dir, home, database) = filled();
        let copy = home.root().join("copy.db");
        database.connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()]).unwrap();
        std::fs::set_permissions(&copy, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        drop(database);
        let seeker = Seeker::new(SECRET).unwrap();
        assert!(take_out_of_copy(&copy, &seeker).unwrap()["candidate"] > 100);
        assert!(!seeker.is_in(&std::fs::read(&copy).unwrap()));
        assert_eq!(dir.path().join("data").read_dir().unwrap().count(), 2);
    }

    #[test]
    fn while_somebody_reads_it_is_said_that_old_pages_are_left() {
        let (_dir, home, mut database) = filled();
        let reader = Database::open(&home).unwrap();
        let _reading = {
            reader.connection.execute_batch("BEGIN; SELECT count(*) FROM candidate").unwrap();
            reader
                .connection
                .query_row("SELECT count(*) FROM candidate", [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        database.connection.busy_timeout(std::time::Duration::from_millis(20)).unwrap();
        let seeker = Seeker::new(SECRET).unwrap();
        assert!(matches!(database.take_out(&seeker), Err(LedgerError::Busy | LedgerError::Database(_))));
    }
}
