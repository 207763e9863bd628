//! Whether a lesson is in force to the word, by a manifest.

use std::collections::BTreeSet;

use lessons_index::manifest::Manifest;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Lesson;
use lessons_lesson::render;
use lessons_pattern::trigger::Trigger;

/// Whether a lesson of the user says, in a manifest, what it says here: in the same words, at the same triggers.
pub(crate) fn is_compiled(lesson: &Lesson, manifest: &Manifest) -> bool {
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
