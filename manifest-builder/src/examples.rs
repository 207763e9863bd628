//! A lesson's own tests.

use lessons_core::call::Call;
use lessons_core::id::QualifiedId;
use lessons_core::lesson::{Lesson, SampleCall, When};
use lessons_core::manifest::{LessonEntry, Manifest, Settings};
use lessons_core::matching::{self, Views};
use lessons_core::neutral;
use lessons_core::project::Place;

use crate::patterns::Patterns;
use crate::single;

/// The longest example that a message shows, in characters.
const SHOWN: usize = 100;

/// Tries a lesson on its examples. The error is a sentence for its owner.
///
/// Only matching is tested: an example counts as made by the main thread, inside the lesson's scope.
pub(crate) fn check(lesson: &Lesson, entry: &LessonEntry, patterns: &Patterns) -> Result<(), String> {
    if lesson.examples.is_empty() || lesson.when == When::Session {
        return Ok(());
    }
    let mut anywhere = entry.clone();
    anywhere.terms.roots = None;
    anywhere.terms.agents.clear();
    anywhere.terms.off_until = None;
    let alone = single::only(lesson, anywhere, Settings::default(), patterns);
    let failing = |samples: &[SampleCall], should: bool| {
        samples.iter().find(|sample| fires(&alone, sample) != should).map(ToString::to_string)
    };
    let shown = |sample: &str| neutral::shortened(&neutral::line(sample), SHOWN);
    if let Some(sample) = failing(&lesson.examples.fires, true) {
        return Err(format!("it should fire on this example of its own and does not: {}", shown(&sample)));
    }
    if let Some(sample) = failing(&lesson.examples.quiet, false) {
        return Err(format!(
            "it should keep quiet on this example of its own and does not: {}",
            shown(&sample)
        ));
    }
    Ok(())
}

/// Tries a lesson alone on its examples.
pub fn try_lesson(id: &QualifiedId, lesson: &Lesson, patterns: &Patterns) -> Result<(), String> {
    single::usable(lesson, patterns).map_err(|reason| reason.to_string())?;
    check(lesson, &single::entry(id, lesson), patterns)
}

fn fires(manifest: &Manifest, sample: &SampleCall) -> bool {
    let call = Call::of_sample(sample);
    let place = Place::fixed(Call::SAMPLE_ROOT);
    let Ok(found) = matching::matches(manifest, &Views::new(&call, &place), "main", &0);
    !found.is_empty()
}
