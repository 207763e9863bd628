//! The triggers of lessons that are told at the start of sessions. No hook tries them, so what hooks read does not hold them;
//! whoever looks back at the calls of a session does.

use std::collections::HashMap;

use lessons_index::manifest::{LessonEntry, Manifest, Settings, TriggerEntry};
use lessons_lesson::compiled::Terms;
use lessons_lesson::lesson::{Lesson, When};
use lessons_pattern::trigger::Trigger;

use crate::globs;
use crate::patterns::Patterns;

/// The manifest of lessons that are told at the start of sessions, each as if it were told at calls: a lesson is given by its
/// terms in force, and as it was recorded. Left out is what no call can match: a lesson without a trigger, or with a pattern
/// that is none.
pub fn manifest<'l>(
    in_force: impl IntoIterator<Item = (&'l Terms, &'l Lesson)>,
    patterns: &Patterns,
) -> Manifest {
    let mut manifest = Manifest::new(Settings::default(), "");
    let mut known: HashMap<Trigger, u32> = HashMap::new();
    for (terms, lesson) in in_force {
        let lesson = globs::supported(lesson);
        let is_usable = |(_, trigger): (_, &Trigger)| patterns.get(trigger).is_ok();
        if lesson.triggers.is_empty() || !lesson.all_triggers().all(is_usable) {
            continue;
        }
        let mut place = |triggers: &[Trigger]| {
            let mut places: Vec<u32> =
                triggers.iter().filter_map(|trigger| intern(&mut manifest, &mut known, trigger)).collect();
            places.sort_unstable();
            places.dedup();
            places
        };
        let terms = Terms {
            when: When::Tool,
            triggers: place(&lesson.triggers),
            also: place(&lesson.also),
            unless: place(&lesson.unless),
            ..terms.clone()
        };
        manifest.lessons.push(LessonEntry::new(terms, ""));
    }
    manifest
}

/// The position of a trigger, which is added where it is new.
fn intern(manifest: &mut Manifest, known: &mut HashMap<Trigger, u32>, trigger: &Trigger) -> Option<u32> {
    if let Some(known) = known.get(trigger) {
        return Some(*known);
    }
    let position = u32::try_from(manifest.triggers.len()).ok()?;
    manifest.triggers.push(TriggerEntry {
        kind: trigger.kind,
        pattern: trigger.pattern.clone(),
        document_frequency: 1,
    });
    known.insert(trigger.clone(), position);
    Some(position)
}
