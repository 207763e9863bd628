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
        self.execute(
            "INSERT OR REPLACE INTO project (root, key, label, seen) VALUES (?1, ?2, ?3, ?4)",
            params![root, key, label, signed(now)],
        )
        .map(drop)
    }

    /// Returns the known roots of a project.
    pub fn roots_of(&self, key: &str) -> Result<Vec<String>, DatabaseError> {
        self.select("SELECT root FROM project WHERE key = ?1 ORDER BY root", [key], |row| row.get(0))
    }

    /// Returns every known root with the key of its project.
    pub fn project_roots(&self) -> Result<Vec<(String, String)>, DatabaseError> {
        self.select("SELECT root, key FROM project ORDER BY root", [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the known projects in which a candidate was seen: a folder of each that is there, if one is, and its key. Of
    /// several work trees and clones there is one.
    pub fn projects_of(&self, candidate: &str) -> Result<Vec<(String, String)>, DatabaseError> {
        let sql = "SELECT min(root), key FROM sighting JOIN project ON root = project
                    WHERE candidate = ?1 GROUP BY key ORDER BY key";
        let seen: Vec<(String, String)> =
            self.select(sql, [candidate], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let there = |(root, key): (String, String)| {
            let mut roots = std::iter::once(root.clone()).chain(self.roots_of(&key)?);
            Ok((roots.find(|root| Path::new(root).is_dir()).unwrap_or(root), key))
        };
        seen.into_iter().map(there).collect()
    }
}
