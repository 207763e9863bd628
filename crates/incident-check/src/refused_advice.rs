//! Lessons that refuse a call which another lesson advises.

use lessons_index::manifest::Settings;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, SampleCall, When};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::single;
use lessons_replay::trial::Trial;

use crate::code_spans;

/// A lesson alone, ready to be tried; `None` if it cannot be compiled.
pub fn trial(id: &QualifiedId, lesson: &Lesson) -> Option<Trial> {
    let patterns = Patterns::default();
    let alone = single::alone(id, lesson, None, Settings::default(), &patterns).ok()?;
    Trial::new(alone, &patterns).ok()
}

/// Whether a lesson refuses a call that another one holds to be right, by its examples or by the commands in its rule.
pub fn refuses_what_is_right(id: &QualifiedId, refuser: &Lesson, lesson: &Lesson) -> bool {
    let right = || lesson.examples.quiet.iter().cloned().chain(advised(lesson));
    refuser.mode.refuses()
        && refuser.when == When::Tool
        && right().next().is_some()
        && trial(id, refuser).is_some_and(|trial| right().any(|call| trial.fires_on(&call)))
}

/// The commands in a rule, as calls.
pub fn advised(lesson: &Lesson) -> Vec<SampleCall> {
    code_spans::commands(&lesson.rule).into_iter().map(|span| bash(span.command)).collect()
}

/// A command as a call of the Bash tool.
pub fn bash(command: String) -> SampleCall {
    SampleCall::bash(command)
}
