//! The lessons for the start of sessions that come into force while sessions run.

use std::collections::BTreeSet;

use lessons_index::manifest::LateLesson;
use lessons_lesson::id::Layer;
use lessons_lesson::lesson::When;
use lessons_manifest_builder::compile::Built;

use crate::previous::Previous;

/// The lessons of a build at `now` that running sessions have to be told at a call, newest first. A built-in lesson comes
/// with a new version, and can wait for the next session.
pub fn lessons(previous: &Previous, built: &Built, now: u64) -> Vec<LateLesson> {
    let none = BTreeSet::new();
    let (before, known) = match previous {
        Previous::Known { at_start, late, .. } => (at_start, late.as_slice()),
        Previous::Nothing => (&none, &[][..]),
        // Without a readable index it is unknown which lessons are new.
        Previous::Unknown => return Vec::new(),
    };
    let lessons = || built.manifest.lessons.iter().filter(|lesson| lesson.terms.when == When::Session);
    let fresh = lessons()
        .filter(|lesson| lesson.terms.id.layer != Layer::Seed && !before.contains(&lesson.terms.id))
        .map(|lesson| LateLesson { id: lesson.terms.id.clone(), at: now });
    let is_still = |late: &&LateLesson| late.is_due(now) && lessons().any(|it| it.terms.id == late.id);
    fresh.chain(known.iter().filter(is_still).cloned()).take(LateLesson::MOST).collect()
}
