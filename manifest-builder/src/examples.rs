//! A lesson's own tests.

use std::fmt;

use lessons_index::{Corrupt, Index, LessonEntry, Settings, Views, matching};
use lessons_lesson::{Call, Lesson, ProjectLocation, QualifiedId, SampleCall, When};
use lessons_text::neutral;

use crate::index::{self, LoadedIndex};
use crate::patterns::Patterns;
use crate::single;

/// The longest example that a message shows, in characters.
const SHOWN: usize = 100;

/// An example that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// The call.
    pub sample: SampleCall,
    /// Whether the lesson fires on it, and should not; else it should, and does not.
    pub fires: bool,
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let should = if self.fires { "keep quiet" } else { "fire" };
        let sample = neutral::shortened(&neutral::line(&self.sample.to_string()), SHOWN);
        write!(f, "it should {should} on this example of its own and does not: {sample}")
    }
}

/// Tries a lesson on its examples, and says in a sentence for its owner why it must stay out of force. One call
/// in many on which it fires and should not can be lived with: see [`Examples::tolerate`].
///
/// [`Examples::tolerate`]: lessons_lesson::lesson::Examples::tolerate
pub(crate) fn check(lesson: &Lesson, entry: &LessonEntry, patterns: &Patterns) -> Result<(), String> {
    let failing = failing(lesson, entry, patterns)?;
    let wrong = failing.iter().filter(|failing| failing.fires).count();
    let is_lived_with = |failing: &Failing| failing.fires && lesson.examples.tolerate(wrong);
    let defect = failing.iter().find(|failing| !is_lived_with(failing));
    defect.map_or(Ok(()), |failing| Err(failing.to_string()))
}

/// Why a lesson must stay out of force because of its examples, in a sentence for its owner. `None` if nothing in them speaks
/// against it, and for a lesson that cannot be tried.
pub fn unmet(id: &QualifiedId, lesson: &Lesson, patterns: &Patterns) -> Option<String> {
    single::usable(lesson, patterns).ok()?;
    check(lesson, &single::entry(id, lesson), patterns).err()
}

/// Tries a lesson alone on its examples: those that do not hold, however few. The error is a
/// sentence for its owner.
pub fn try_lesson(id: &QualifiedId, lesson: &Lesson, patterns: &Patterns) -> Result<Vec<Failing>, String> {
    single::usable(lesson, patterns).map_err(|reason| reason.to_string())?;
    failing(lesson, &single::entry(id, lesson), patterns)
}

/// The examples that do not hold. Only matching is tested: an example counts as made by the main thread, inside
/// the lesson's scope, on a machine on which the lesson holds.
fn failing(lesson: &Lesson, entry: &LessonEntry, patterns: &Patterns) -> Result<Vec<Failing>, String> {
    if lesson.examples.is_empty() || lesson.when == When::Session {
        return Ok(Vec::new());
    }
    let alone = anywhere(lesson, entry, patterns)?;
    let alone = alone.ask().map_err(|error| error.to_string())?;
    let mut failing = Vec::new();
    for (samples, should_fire) in [(&lesson.examples.fires, true), (&lesson.examples.quiet, false)] {
        for sample in samples {
            let fires = fires(&alone, sample).map_err(|error| error.to_string())?;
            if fires != should_fire {
                failing.push(Failing { sample: sample.clone(), fires });
            }
        }
    }
    Ok(failing)
}

/// The index of a lesson for examples. The error is a sentence for its owner.
pub(crate) fn alone(id: &QualifiedId, lesson: &Lesson, patterns: &Patterns) -> Result<LoadedIndex, String> {
    single::usable(lesson, patterns).map_err(|reason| reason.to_string())?;
    anywhere(lesson, &single::entry(id, lesson), patterns)
}

/// The index of one lesson, as if it held everywhere.
fn anywhere(lesson: &Lesson, entry: &LessonEntry, patterns: &Patterns) -> Result<LoadedIndex, String> {
    let mut anywhere = entry.clone();
    anywhere.terms.roots = None;
    anywhere.terms.agents.clear();
    anywhere.terms.conditions = anywhere.terms.conditions.on_any_machine();
    anywhere.terms.off_until = None;
    let alone = single::only(lesson, anywhere, Settings::default(), patterns);
    index::in_memory(&alone, patterns).map_err(|error| error.to_string())
}

/// Whether the one lesson of an index fires on an example.
pub fn fires(alone: &Index<'_>, sample: &SampleCall) -> Result<bool, Corrupt> {
    let call = Call::of_sample(sample);
    let place = ProjectLocation::fixed(Call::SAMPLE_ROOT);
    Ok(!matching::matches(alone, &Views::new(&call, &place), "main", &0, &mut ())?.is_empty())
}
