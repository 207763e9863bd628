//! The known projects and their folders on this machine.

mod key;
mod work_trees;

use std::path::Path;

pub use key::{ProjectKey, key_of, key_without_remote};
use rusqlite::params;
pub use work_trees::Repository;

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

    /// Returns the known projects in which a candidate was seen: a folder of each that is there, if one is, and its key. Of
    /// several work trees and clones there is one.
    pub fn projects_of(&self, candidate: &str) -> Result<Vec<(String, String)>, DatabaseError> {
        let sql = "SELECT min(root), key FROM sighting JOIN project ON root = project
                    WHERE candidate = ?1 GROUP BY key ORDER BY key";
        let seen: Vec<(String, String)> = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut select| {
                select.query_map([candidate], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            })
            .map_err(|error| self.explain(error))?;
        let there = |(root, key): (String, String)| {
            let mut roots = std::iter::once(root.clone()).chain(self.roots_of(&key)?);
            Ok((roots.find(|root| Path::new(root).is_dir()).unwrap_or(root), key))
        };
        seen.into_iter().map(there).collect()
    }
}
