//! The projects of this machine, as a person calls them: by their folders.

use std::collections::BTreeMap;

use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_text::neutral::line;

/// The start of the key of a project without a remote. The rest is a hash, which tells a person nothing.
const HASHED: &str = "root-";

/// The folders of projects without a remote, by key. The default has none.
#[derive(Debug, Clone, Default)]
pub struct KnownProjects(BTreeMap<String, String>);

impl KnownProjects {
    /// Reads the projects of a home. Where that cannot be done there are none, and keys are shown as they are.
    pub fn of(home: &Home) -> Self {
        let is_there = home.database().exists();
        let database = is_there.then(|| Database::open(home).ok()).flatten();
        let roots = database.and_then(|database| database.project_roots().ok()).unwrap_or_default();
        Self(
            roots
                .into_iter()
                .map(|(root, key)| (key, root))
                .filter(|(key, _)| key.starts_with(HASHED))
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
}

/// Returns what a person reads for the project in a folder: `app (/srv/app)`.
pub fn folder(root: &str) -> String {
    format!("{} ({})", folder_name(root), line(root))
}

/// Returns the last part of a path: the name by which a person knows a project.
pub fn folder_name(root: &str) -> String {
    line(root.rsplit('/').find(|part| !part.is_empty()).unwrap_or(root))
}
