//! `accepted.json`: copies of the lessons and settings that a person has accepted. Builds read these copies, never
//! the store itself, so that nothing comes into force, or goes out of it, because a file was changed by other means.
//!
//! ```json
//! {
//!   "graph": { "lessons": {…}, "topics": {…}, "triggers": {…}, "version": 1 },
//!   "settings": { "off.user/frob": "\"\"", "seeds.off": "[\"rm-rf\"]" },
//!   "version": 1
//! }
//! ```
//!
//! `graph` is a lessons graph (see [`crate::graph`]). `settings` holds each accepted setting that [`decides`] what is in
//! force, by its key, with its value in TOML; a setting that is absent has its default.
//!
//! Upgrade rule: a new field, or a change of what a field means, raises [`VERSION`], and this module reads both. An
//! older program refuses a newer version and leaves the file alone. Homes of the first version have no such file; the
//! crate above makes one for them.

mod with_store;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lessons_home::files::{self, FileError};
use lessons_home::home::Home;
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::Lesson;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::durable::{self, WriteError};
use crate::graph::usable::Usable;
use crate::graph::{Graph, Origin, UnreadableGraph};

pub use with_store::CopiesWithStore;

/// The version of the format.
pub const VERSION: u64 = 1;
/// The largest `accepted.json` that is read, in bytes: twice what a store may have, for its indentation.
pub const MAX_BYTES: u64 = 1 << 30;

/// Settings by their key, each with its value in TOML.
pub type SettingTexts = BTreeMap<String, String>;

/// Returns whether a setting decides what is in force, so that its value counts only once a person has accepted it.
pub fn decides(key: &str) -> bool {
    let whole = ["enabled", "seeds.off"];
    let tables = ["gate.", "incidents.", "minimum.", "off.", "trust."];
    whole.contains(&key) || tables.iter().any(|table| key.starts_with(table))
}

/// An error that keeps the accepted copies from being read. What was published stays in force.
#[derive(Debug, thiserror::Error)]
pub enum AcceptedError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is of another version. It is left alone.
    #[error(
        "{path}: it has version {found}, and this program reads {VERSION}. Update lessons; what is in force stays as it is"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u64,
    },
    /// The file is corrupt, and nothing is known of what was accepted.
    #[error(
        "{path}: {reason}, and nothing else tells what you accepted. What was built stays in force; `lessons accept \
         --dry-run` shows what lessons.json holds, and `lessons accept` accepts that and keeps the corrupt file in backups/"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
}

/// The format of the file, with its graph unparsed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedFile {
    graph: Box<RawValue>,
    settings: SettingTexts,
    version: u64,
}

/// The accepted copies, to be changed and written back.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The lessons.
    pub graph: Graph,
    /// The settings that decide what is in force.
    pub settings: SettingTexts,
}

/// The accepted copies as a build reads them.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedCopies {
    /// The lessons.
    pub lessons: Usable,
    /// The settings that decide what is in force.
    pub settings: SettingTexts,
}

/// Reads the accepted settings of `home` alone; `None` where nothing is accepted yet. This takes a fraction of the time
/// that reading the lessons takes.
pub fn settings(home: &Home) -> Result<Option<SettingTexts>, AcceptedError> {
    Ok(parse(&home.accepted(), |_, _| Ok(()))?.map(|((), settings)| settings))
}

impl AcceptedCopies {
    /// Reads the accepted copies of `home`. Where there are none yet, nothing is accepted.
    pub fn read(home: &Home) -> Result<Self, AcceptedError> {
        let read = parse(&home.accepted(), Usable::parse)?;
        Ok(read.map_or_else(|| Self::none(home), |(lessons, settings)| Self { lessons, settings }))
    }

    /// Copies without a lesson, and with every setting at its default.
    fn none(home: &Home) -> Self {
        Self { lessons: Graph::empty(home.accepted()).into(), settings: SettingTexts::new() }
    }
}

impl Accepted {
    /// Returns copies without a lesson, and with every setting at its default.
    pub fn none(home: &Home) -> Self {
        Self { graph: Graph::empty(home.accepted()), settings: SettingTexts::new() }
    }

    /// Returns copies of all lessons of a graph, and of settings.
    pub fn of(graph: Graph, settings: SettingTexts) -> Self {
        Self { graph, settings }
    }

    /// Reads the accepted copies of `home`; `None` where there are none yet.
    pub fn read(home: &Home) -> Result<Option<Self>, AcceptedError> {
        let read = parse(&home.accepted(), |path, bytes| Graph::parse(path, bytes, Origin::Own))?;
        Ok(read.map(|(graph, settings)| Self { graph, settings }))
    }

    /// Returns whether there are accepted copies. An error where they are no JSON of this format: this looks at the frame
    /// of the file alone, which takes a fraction of the time that reading its graph takes.
    pub fn exist(home: &Home) -> Result<bool, AcceptedError> {
        Ok(parse(&home.accepted(), |_, _| Ok(()))?.is_some())
    }

    /// Replaces `accepted.json` by these copies. The caller holds the lock.
    pub fn write(&self, home: &Home) -> Result<(), WriteError> {
        durable::replace(&home.accepted(), &self.to_bytes())
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        // A line break within a JSON text is always escaped, so these are all between its parts.
        let graph = String::from_utf8_lossy(&self.graph.to_bytes()).trim_end().replace('\n', "\n  ");
        let Ok(graph) = RawValue::from_string(graph) else { return Vec::new() };
        let file = AcceptedFile { graph, settings: self.settings.clone(), version: VERSION };
        let mut bytes = serde_json::to_vec_pretty(&file).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

fn parse<T>(
    path: &Path,
    read_graph: impl FnOnce(&Path, &[u8]) -> Result<T, UnreadableGraph>,
) -> Result<Option<(T, SettingTexts)>, AcceptedError> {
    let Some(bytes) = files::read(path, MAX_BYTES)? else { return Ok(None) };
    let corrupt = |reason: String| AcceptedError::Corrupt { path: path.to_owned(), reason };
    let file: AcceptedFile = serde_json::from_slice(&bytes).map_err(|error| corrupt(error.to_string()))?;
    if file.version != VERSION {
        return Err(AcceptedError::Version { path: path.to_owned(), found: file.version });
    }
    let graph = read_graph(path, file.graph.get().as_bytes()).map_err(|error| corrupt(error.to_string()))?;
    Ok(Some((graph, file.settings)))
}

/// The difference of a lesson in the store from its accepted copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LessonChange {
    /// There is no accepted copy.
    New,
    /// The accepted copy says something else.
    Changed,
    /// The store has no such lesson, or none that can be used.
    Removed,
}

impl LessonChange {
    /// Returns its name for messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// The differences of the store and the settings from the accepted copies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Unaccepted {
    /// Lessons, ascending by id.
    pub lessons: Vec<(LessonId, LessonChange)>,
    /// The keys of settings, ascending.
    pub settings: Vec<String>,
}

impl Unaccepted {
    /// Compares lessons, each side ascending by id, and settings.
    pub fn between<'a>(
        accepted: (impl IntoIterator<Item = &'a Lesson>, &SettingTexts),
        stored: (impl IntoIterator<Item = &'a Lesson>, &SettingTexts),
    ) -> Self {
        let by_id = |lesson: &'a Lesson| (&lesson.id, lesson);
        let before: BTreeMap<&LessonId, &Lesson> = accepted.0.into_iter().map(by_id).collect();
        let after: BTreeMap<&LessonId, &Lesson> = stored.0.into_iter().map(by_id).collect();
        let ids: BTreeSet<&LessonId> = before.keys().chain(after.keys()).copied().collect();
        let change = |id: &LessonId| match (before.get(id), after.get(id)) {
            (None, _) => Some(LessonChange::New),
            (_, None) => Some(LessonChange::Removed),
            (before, after) => (before != after).then_some(LessonChange::Changed),
        };
        let lessons = ids.into_iter().filter_map(|id| Some((id.clone(), change(id)?))).collect();
        let keys: BTreeSet<&String> = accepted.1.keys().chain(stored.1.keys()).collect();
        let settings = keys.into_iter().filter(|key| accepted.1.get(*key) != stored.1.get(*key));
        Self { lessons, settings: settings.cloned().collect() }
    }

    /// Returns whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty() && self.settings.is_empty()
    }
}

#[cfg(test)]
mod tests;
