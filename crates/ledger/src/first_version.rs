//! Migration of a home of the first version, which kept no accepted copies.
//!
//! There a lesson counted as accepted where its digest stood in the manifest that was in force. The lesson itself is in
//! the store, or, where somebody has changed it by other means since, in the journal.
//!
//! Where the manifest is lost, or the accepted copies of a later home are, nobody knows the digests. Then what the last
//! command left of each lesson counts as accepted, and so does every lesson that refuses calls: a refusal is never lost.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::Lesson;
use lessons_store::accepted::{Accepted, SettingTexts};
use lessons_store::graph::{Graph, Snapshot};
use lessons_text::digest;
use serde::Deserialize;

use crate::follow::place;
use crate::journal::JournalEntry;

/// The files of a home of the first version.
pub(crate) struct FirstVersionHome<'a> {
    /// The store.
    pub(crate) store: &'a Graph,
    /// The settings that decide what is in force. There they all counted as accepted.
    pub(crate) settings: SettingTexts,
    /// The digests of its manifest; `None` where there is no manifest, or one without digests.
    pub(crate) digests: Option<HashSet<String>>,
    /// What commands did to lessons, the newest first; `None` where the journal has no row at all.
    pub(crate) journal: Option<Vec<JournalEntry>>,
}

/// Fills `accepted`, which is empty, with the lessons that a person had accepted there.
pub(crate) fn migrate(home: &FirstVersionHome<'_>, mut accepted: Accepted) -> Accepted {
    accepted.settings.clone_from(&home.settings);
    if home.digests.is_none() && home.journal.is_none() {
        // Nothing of ours was ever used here, so nobody has accepted any lesson.
        return accepted;
    }
    let mut history: BTreeMap<&str, Vec<&JournalEntry>> = BTreeMap::new();
    for entry in home.journal.iter().flatten() {
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

/// The copy of one lesson that counts as accepted. `history` is what commands did to it, the newest first.
fn accepted_of(home: &FirstVersionHome<'_>, id: &str, history: &[&JournalEntry]) -> Option<Snapshot> {
    let stored = Snapshot::of(home.store, id);
    let was_accepted = |snapshot: &Snapshot| {
        let lesson = typed(id, snapshot);
        lesson.zip(home.digests.as_ref()).is_some_and(|(lesson, known)| known.contains(&digest_of(&lesson)))
    };
    if stored.as_ref().is_some_and(was_accepted) {
        return stored;
    }
    let left: Vec<Option<Snapshot>> =
        history.iter().filter(|entry| !entry.is_redacted).map(|entry| entry.lesson_after()).collect();
    if let Some(snapshot) = left.iter().flatten().find(|snapshot| was_accepted(snapshot)) {
        return Some(snapshot.clone());
    }
    let is_refusal = |snapshot: &Snapshot| typed(id, snapshot).is_some_and(|lesson| lesson.mode.refuses());
    match (stored, left.into_iter().next().flatten(), &home.digests) {
        // The manifest would say so of a lesson that was removed by other means.
        (None, _, Some(_)) => None,
        (Some(stored), _, None) if is_refusal(&stored) => Some(stored),
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

/// The digests in a manifest of the first version; `None` for anything else.
pub(crate) fn digests(manifest: &[u8]) -> Option<HashSet<String>> {
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

    fn migrated(digests: Option<HashSet<String>>, journal: Option<Vec<JournalEntry>>) -> Vec<String> {
        let store = Graph::parse("lessons.json", STORE.as_bytes(), Origin::Own).unwrap();
        let settings = SettingTexts::from([("enabled".into(), "false".into())]);
        let home = FirstVersionHome { store: &store, settings, digests, journal };
        let accepted = migrate(&home, Accepted::none(&Home::at(Path::new("/nowhere").into())));
        assert_eq!(accepted.settings["enabled"], "false");
        accepted.graph.ids().map(str::to_owned).collect()
    }

    #[test]
    fn lessons_are_known_by_the_digest_that_the_first_version_wrote() {
        let known = digests(MANIFEST.as_bytes());
        assert_eq!(known.as_ref().map(HashSet::len), Some(5));
        assert_eq!(migrated(known, None), ["built", "frob-never-wipe-the-frob", "plain"]);
    }

    #[test]
    fn without_digests_every_refusal_counts_and_no_other_lesson_that_no_command_made() {
        assert_eq!(migrated(None, Some(Vec::new())), ["built", "frob-never-wipe-the-frob"]);
    }

    #[test]
    fn where_nothing_of_ours_was_used_nothing_is_accepted() {
        assert_eq!(migrated(None, None), [""; 0]);
        assert_eq!(digests(br#"{"format":"lesson-manifest","lessons":[{"full":"a"}]}"#), None);
    }
}
