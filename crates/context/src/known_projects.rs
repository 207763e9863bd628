//! The projects of this machine, as a person calls them: by their folders.

use std::collections::BTreeMap;
use std::path::Path;

use lessons_home::Home;
use lessons_ledger::Database;
use lessons_ledger::projects::key_without_remote;
use lessons_text::{line, listed};

/// Where a lesson holds that is limited to no project.
pub const EVERYWHERE: &str = "everywhere";

/// The folders of projects without a remote, by key. The default has none.
#[derive(Debug, Clone, Default)]
pub struct KnownProjects(BTreeMap<String, String>);

impl KnownProjects {
    /// Reads the projects of a home. Where that cannot be done there are none, and keys are shown as they are.
    pub fn of(home: &Home) -> Self {
        let database = Database::existing(home).ok().flatten();
        let roots = database.and_then(|database| database.project_roots().ok()).unwrap_or_default();
        Self(
            roots
                .into_iter()
                .map(|(root, key)| (key, root))
                // A work tree has the key of its main one.
                .filter(|(key, root)| *key == key_without_remote(Path::new(root)))
                .collect(),
        )
    }

    /// Returns what a person types for the project: its folder, or its key if that names a remote or is not known here.
    pub fn typed(&self, key: &str) -> String {
        self.0.get(key).map_or(key, String::as_str).to_owned()
    }

    /// Returns what a person reads for the project.
    pub fn name(&self, key: &str) -> String {
        self.0.get(key).map_or_else(|| line(key), |root| folder(root))
    }

    /// Returns where a lesson with these projects in its scope holds: `everywhere`, or `only in app (/srv/app)`.
    pub fn holds(&self, projects: &[String]) -> String {
        match listed(projects.iter().map(|key| self.name(key))) {
            names if names.is_empty() => EVERYWHERE.to_owned(),
            names => format!("only in {names}"),
        }
    }
}

/// Returns what a person reads for the project in a folder: `app (/srv/app)`.
pub fn folder(root: &str) -> String {
    format!("{} ({})", folder_name(root), line(root))
}

/// Returns the last part of a path: the name by which a person knows a project.
pub fn folder_name(root: &str) -> String {
    line(root.rsplit('/').find(|part| !part.is_empty()).unwrap_or(root))
}
