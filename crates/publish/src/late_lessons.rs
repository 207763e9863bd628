//! The lessons for the start of sessions that come into force while sessions run.

use std::collections::BTreeSet;

use lessons_index::manifest::{LateLesson, LessonEntry, Manifest};
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::When;
use lessons_manifest_builder::compile::Built;

/// The lessons of a build at `now` that running sessions have to be told at a call, newest first. A built-in lesson comes
/// with a new version, and can wait for the next session.
pub fn lessons(previous: Option<&Manifest>, built: &Built, now: u64) -> Vec<LateLesson> {
    // Without a readable index it is unknown which lessons are new.
    let Some(previous) = previous else { return Vec::new() };
    let before: BTreeSet<&QualifiedId> = at_start(previous).map(|lesson| &lesson.terms.id).collect();
    let lessons = || at_start(&built.manifest);
    let fresh = lessons()
        .filter(|lesson| lesson.terms.id.layer != Layer::Seed && !before.contains(&lesson.terms.id))
        .map(|lesson| LateLesson { id: lesson.terms.id.clone(), at: now });
    let is_still = |late: &&LateLesson| late.is_due(now) && lessons().any(|it| it.terms.id == late.id);
    fresh.chain(previous.late.iter().filter(is_still).cloned()).take(LateLesson::MOST).collect()
}

fn at_start(manifest: &Manifest) -> impl Iterator<Item = &LessonEntry> {
    manifest.lessons.iter().filter(|lesson| lesson.terms.when == When::Session)
}
