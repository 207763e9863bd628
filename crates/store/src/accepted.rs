//! The lessons and settings that a person has accepted: copies, in `decisions.json` (see [`crate::decisions`]). Builds read
//! these, never the store itself.

use std::collections::{BTreeMap, BTreeSet};

use lessons_home::Home;
use lessons_lesson::{Lesson, LessonId};
use serde::Serialize;

use crate::decisions_file::{DecisionsError, DecisionsFile};
use crate::graph::Graph;

/// Settings by their key, each with its value in TOML.
pub type SettingTexts = BTreeMap<String, String>;

/// Returns whether a setting decides what is in force, or which program is run at night, so that its value counts only once a
/// person has accepted it.
pub fn decides(key: &str) -> bool {
    let whole = ["enabled", "reflect.command", "reflect.nightly", "seeds.off"];
    let tables = ["gate.", "incidents.", "minimum.", "off.", "trust."];
    whole.contains(&key) || tables.iter().any(|table| key.starts_with(table))
}

/// The accepted copies, to be changed and written back.
#[derive(Debug, Clone, Default)]
pub struct Accepted {
    /// The lessons.
    pub graph: Graph,
    /// The settings that decide what is in force.
    pub settings: SettingTexts,
}

/// Reads the accepted settings of `home` alone; `None` where nothing is accepted yet. This takes a fraction of the time
/// that reading the lessons takes.
pub fn settings(home: &Home) -> Result<Option<SettingTexts>, DecisionsError> {
    Ok(DecisionsFile::read(home)?.map(|file| file.settings))
}

impl Accepted {
    /// Returns copies without a lesson, and with every setting at its default.
    pub fn none(home: &Home) -> Self {
        Self { graph: Graph::empty(home.decisions()), settings: SettingTexts::new() }
    }

    /// Reads the accepted copies of `home`; where there are none yet, nothing is accepted.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        Self::of(home, DecisionsFile::read(home)?)
    }

    /// The accepted copies in a file of `home`.
    pub(crate) fn of(home: &Home, file: Option<DecisionsFile>) -> Result<Self, DecisionsError> {
        let Some(file) = file else { return Ok(Self::none(home)) };
        Ok(Self { graph: file.graph(&home.decisions())?, settings: file.settings })
    }
}

lessons_text::named! {
    /// The difference of a lesson in the store from its accepted copy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LessonChange {
        /// There is no accepted copy.
        New = "new",
        /// The accepted copy says something else.
        Changed = "changed",
        /// The store has no such lesson, or none that can be used.
        Removed = "removed",
    }
}

impl LessonChange {
    /// The difference of a lesson from what it was; `None` where it is the same.
    pub(crate) fn between<T: PartialEq>(before: Option<T>, after: Option<T>) -> Option<Self> {
        match (before, after) {
            (None, _) => Some(Self::New),
            (_, None) => Some(Self::Removed),
            (before, after) => (before != after).then_some(Self::Changed),
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
        let change = |id: &LessonId| LessonChange::between(before.get(id), after.get(id));
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
