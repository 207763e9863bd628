//! The triggers that no hook tries: those of lessons that are told at the start of sessions, and of retired ones. What hooks
//! read does not hold them; whoever looks back at the calls of a session does.

use lessons_index::{LessonEntry, Manifest, Settings};
use lessons_lesson::{Lesson, Terms, When};
use lessons_pattern::Trigger;
use lessons_store::interchange::lesson_in_braces;

use crate::patterns::Patterns;
use crate::single;

/// The manifest of such lessons, each as if it were told at calls: a lesson is given by its terms, and as it was recorded. Left
/// out is what no call can match: a lesson without a trigger, or with a pattern that is none.
pub fn manifest<'l>(
    lessons: impl IntoIterator<Item = (&'l Terms, &'l Lesson)>,
    patterns: &Patterns,
) -> Manifest {
    let mut manifest = Manifest::new(Settings::default(), "");
    for (terms, lesson) in lessons {
        let in_braces = lesson_in_braces(lesson);
        let lesson = in_braces.as_ref().unwrap_or(lesson);
        let is_usable = |(_, trigger): (_, &Trigger)| patterns.get(trigger).is_ok();
        if lesson.triggers.is_empty() || !lesson.all_triggers().all(is_usable) {
            continue;
        }
        let mut terms = Terms { when: When::Tool, ..terms.clone() };
        single::add_triggers(&mut manifest, &mut terms, lesson, patterns);
        manifest.lessons.push(LessonEntry::new(terms, ""));
    }
    manifest
}
