//! Accepted copies where there are none: in a home of the first version, which kept none, and in one that lost them.
//!
//! In the first version a lesson counted as accepted where its digest stood in the manifest that was in force. A manifest
//! of today holds what was accepted itself. The lesson is in the store, or, where somebody has changed it by other means
//! since, in the journal.
//!
//! What the manifest does not know is accepted as the last command left it. Where there is no manifest either, so is every
//! lesson that refuses calls: a refusal is never lost.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use lessons_index::manifest::Manifest;
use lessons_lesson::id::{Layer, LessonId, QualifiedId};
use lessons_lesson::lesson::Lesson;
use lessons_lesson::render;
use lessons_pattern::trigger::Trigger;
use lessons_store::accepted::{Accepted, SettingTexts, decides};
use lessons_store::graph::{Graph, Snapshot};
use lessons_text::digest;
use serde::Deserialize;

use crate::follow::place;
use crate::journal::JournalEntry;

/// What a manifest says of the lessons that were in force.
pub(crate) enum KnownManifest {
    /// The digests of the accepted lessons, in a manifest of the first version.
    Digests(HashSet<String>),
    /// The lessons themselves.
    Lessons(Box<Manifest>),
    /// Nothing: there is no manifest, or none that can be read.
    Nothing,
}

impl KnownManifest {
    /// Reads the bytes of a manifest.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let digests = || digests(bytes).map(Self::Digests);
        Manifest::parse(bytes)
            .ok()
            .map(|manifest| Self::Lessons(Box::new(manifest)))
            .or_else(digests)
            .unwrap_or(Self::Nothing)
    }

    /// Whether a lesson was in force exactly as it is here.
    fn has(&self, lesson: &Lesson) -> bool {
        match self {
            Self::Digests(known) => known.contains(&digest_of(lesson)),
            Self::Lessons(manifest) => is_compiled(lesson, manifest),
            Self::Nothing => false,
        }
    }
}

/// What commands did, by the journal.
pub(crate) struct KnownChanges {
    /// To lessons, the newest first.
    pub(crate) lessons: Vec<JournalEntry>,
    /// To settings, the oldest first.
    pub(crate) settings: Vec<JournalEntry>,
}

/// The files of a home without accepted copies.
pub(crate) struct HomeWithoutCopies<'a> {
    /// The store.
    pub(crate) store: &'a Graph,
    /// The settings that decide what is in force.
    pub(crate) settings: SettingTexts,
    /// Its manifest.
    pub(crate) manifest: KnownManifest,
    /// What commands did; `None` where the journal knows of no lesson and no setting.
    pub(crate) journal: Option<KnownChanges>,
}

/// Fills `accepted`, which is empty, with the lessons that a person had accepted there.
pub(crate) fn migrate(home: &HomeWithoutCopies<'_>, mut accepted: Accepted) -> Accepted {
    accepted.settings = accepted_settings(home);
    if matches!(home.manifest, KnownManifest::Nothing) && home.journal.is_none() {
        // Nothing of ours was ever used here, so nobody has accepted any lesson.
        return accepted;
    }
    let mut history: BTreeMap<&str, Vec<&JournalEntry>> = BTreeMap::new();
    for entry in home.journal.iter().flat_map(|journal| &journal.lessons) {
        history.entry(&entry.thing.name).or_default().push(entry);
    }
    let ids: BTreeSet<&str> = home.store.ids().chain(history.keys().copied()).collect();
    let lessons = ids.into_iter().filter_map(|id| {
        let known = history.get(id).map_or(&[][..], Vec::as_slice);
        Some((id.to_owned(), Some(accepted_of(home, id, known)?)))
    });
    place(&mut accepted.graph, lessons.collect());
    for (id, _) in home.store.topics() {
        accepted.graph.set_raw_topic(id, home.store.raw_topic(id).cloned());
    }
    accepted
}

/// The settings that count as accepted. In the first version, and where nothing of ours was ever used, all do that are in
/// the file; elsewhere those that a command has set.
fn accepted_settings(home: &HomeWithoutCopies<'_>) -> SettingTexts {
    let journal = match (&home.manifest, &home.journal) {
        (KnownManifest::Digests(_), _) | (KnownManifest::Nothing, None) => return home.settings.clone(),
        (_, journal) => journal,
    };
    let mut settings = SettingTexts::new();
    for entry in journal.iter().flat_map(|journal| &journal.settings) {
        let key = &entry.thing.name;
        match &entry.after {
            Some(text) if decides(key) => drop(settings.insert(key.clone(), text.clone())),
            _ => drop(settings.remove(key)),
        }
    }
    settings
}

/// The copy of one lesson that counts as accepted. `history` is what commands did to it, the newest first.
fn accepted_of(home: &HomeWithoutCopies<'_>, id: &str, history: &[&JournalEntry]) -> Option<Snapshot> {
    let stored = Snapshot::of(home.store, id);
    let was_accepted =
        |snapshot: &Snapshot| typed(id, snapshot).is_some_and(|lesson| home.manifest.has(&lesson));
    if stored.as_ref().is_some_and(was_accepted) {
        return stored;
    }
    let left: Vec<Option<Snapshot>> =
        history.iter().filter(|entry| !entry.is_redacted).map(|entry| entry.lesson_after()).collect();
    if let Some(snapshot) = left.iter().flatten().find(|snapshot| was_accepted(snapshot)) {
        return Some(snapshot.clone());
    }
    let is_refusal = |snapshot: &Snapshot| typed(id, snapshot).is_some_and(|lesson| lesson.mode.refuses());
    match (stored, left.into_iter().next().flatten(), &home.manifest) {
        // The manifest would say so of a lesson that was removed by other means.
        (None, _, KnownManifest::Digests(_)) => None,
        (_, Some(left), KnownManifest::Nothing) if is_refusal(&left) => Some(left),
        (Some(stored), _, KnownManifest::Nothing) if is_refusal(&stored) => Some(stored),
        (_, left, _) => left,
    }
}

/// The lesson that a snapshot holds, where it can be used.
fn typed(id: &str, snapshot: &Snapshot) -> Option<Lesson> {
    let mut graph = Graph::empty("");
    graph.restore([(id, Some(snapshot.clone()))]);
    graph.get(&LessonId::new(id).ok()?).cloned()
}

/// The digest by which the first version knew an accepted lesson: of its JSON, without the time of its last change.
fn digest_of(lesson: &Lesson) -> String {
    let content = Lesson { updated_at: None, ..lesson.clone() };
    // Plain data; only a map whose keys are no texts could fail to become JSON.
    digest::hex(&serde_json::to_vec(&content).unwrap_or_default(), 64)
}

/// Whether a lesson of the user says, in a manifest, what it says here: in the same words, at the same triggers.
fn is_compiled(lesson: &Lesson, manifest: &Manifest) -> bool {
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    let Some(entry) = manifest.lessons.iter().find(|entry| entry.terms.id == id) else { return false };
    let terms = &entry.terms;
    let are_same = |places: &[u32], triggers: &[Trigger]| {
        let compiled: BTreeSet<_> = places
            .iter()
            .filter_map(|place| manifest.triggers.get(*place as usize))
            .map(|trigger| (trigger.kind, trigger.pattern.as_str()))
            .collect();
        let here: BTreeSet<_> =
            triggers.iter().map(|trigger| (trigger.kind, trigger.pattern.as_str())).collect();
        compiled == here
    };
    entry.full == render::lesson(&id, lesson).full
        && terms.mode == lesson.mode
        && are_same(&terms.triggers, &lesson.triggers)
        && are_same(&terms.also, &lesson.also)
        && are_same(&terms.unless, &lesson.unless)
}

/// The digests in a manifest of the first version; `None` for anything else.
fn digests(manifest: &[u8]) -> Option<HashSet<String>> {
    #[derive(Deserialize)]
    struct Manifest {
        lessons: Vec<AcceptedDigest>,
    }
    #[derive(Deserialize)]
    struct AcceptedDigest {
        digest: String,
    }
    let manifest: Manifest = serde_json::from_slice(manifest).ok()?;
    Some(manifest.lessons.into_iter().map(|lesson| lesson.digest).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lessons_home::home::Home;

    use super::*;
    use lessons_store::graph::Origin;

    const STORE: &str = include_str!("../../../tests/fixtures/first-version/lessons.json");
    const MANIFEST: &str = include_str!("../../../tests/fixtures/first-version/lesson-manifest.json");

    fn migrated(manifest: KnownManifest, journal: Option<KnownChanges>) -> Accepted {
        let store = Graph::parse("lessons.json", STORE.as_bytes(), Origin::Own).unwrap();
        let settings = SettingTexts::from([("enabled".into(), "false".into())]);
        let home = HomeWithoutCopies { store: &store, settings, manifest, journal };
        migrate(&home, Accepted::none(&Home::at(Path::new("/nowhere").into())))
    }

    fn ids(accepted: &Accepted) -> Vec<&str> {
        accepted.graph.ids().collect()
    }

    fn switched_off(accepted: &Accepted) -> bool {
        accepted.settings.get("enabled").is_some_and(|value| value == "false")
    }

    #[test]
    fn lessons_are_known_by_the_digest_that_the_first_version_wrote() {
        assert_eq!(digests(MANIFEST.as_bytes()).as_ref().map(HashSet::len), Some(5));
        let known = KnownManifest::of(MANIFEST.as_bytes());
        let accepted = migrated(known, None);
        assert_eq!(ids(&accepted), ["built", "frob-never-wipe-the-frob", "plain"]);
        assert!(switched_off(&accepted), "there all settings counted");
    }

    #[test]
    fn without_digests_every_refusal_counts_and_no_other_lesson_that_no_command_made() {
        let journal = KnownChanges { lessons: Vec::new(), settings: Vec::new() };
        let accepted = migrated(KnownManifest::Nothing, Some(journal));
        assert_eq!(ids(&accepted), ["built", "frob-never-wipe-the-frob"]);
        assert!(!switched_off(&accepted), "no command has switched anything off");
    }

    #[test]
    fn where_nothing_of_ours_was_used_nothing_is_accepted() {
        assert_eq!(ids(&migrated(KnownManifest::Nothing, None)), [""; 0]);
        assert_eq!(digests(br#"{"format":"lesson-manifest","lessons":[{"full":"a"}]}"#), None);
    }
}
