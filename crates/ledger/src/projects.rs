//! The known projects and their folders on this machine.

mod key;

pub use key::{ProjectKey, key_of};
use rusqlite::params;

use crate::database::{Database, DatabaseError};
use crate::integers::signed;

impl Database {
    /// Remembers that the project `key`, which people call `label`, is at `root`.
    pub fn remember_project(
        &mut self,
        root: &str,
        key: &str,
        label: &str,
        now: u64,
    ) -> Result<(), DatabaseError> {
        lessons_store::crash::point();
        let done = self.connection.execute(
            "INSERT OR REPLACE INTO project (root, key, label, seen) VALUES (?1, ?2, ?3, ?4)",
            params![root, key, label, signed(now)],
        );
        lessons_store::crash::point();
        done.map(drop).map_err(|error| self.explain(error))
    }

    /// Returns the known roots of a project.
    pub fn roots_of(&self, key: &str) -> Result<Vec<String>, DatabaseError> {
        self.connection
            .prepare_cached("SELECT root FROM project WHERE key = ?1 ORDER BY root")
            .and_then(|mut select| select.query_map([key], |row| row.get(0))?.collect())
            .map_err(|error| self.explain(error))
    }

    /// Returns every known root with the key of its project.
    pub fn project_roots(&self) -> Result<Vec<(String, String)>, DatabaseError> {
        self.connection
            .prepare_cached("SELECT root, key FROM project ORDER BY root")
            .and_then(|mut select| select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
            .map_err(|error| self.explain(error))
    }
}
