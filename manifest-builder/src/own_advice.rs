//! The trial of a lesson on its own advice: the commands that its texts say to use.

use std::collections::HashSet;

use lessons_lesson::advised::{code_spans, fired_advice};
use lessons_lesson::{Lesson, Mode, SampleCall, When};
use lessons_pattern::TriggerKind;

use crate::examples;
use crate::patterns::Patterns;

/// What a lesson does at the commands that it names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnAdvice {
    /// The commands that it is there to stop, as far as its examples and its texts name them.
    pub stopped: Vec<String>,
    /// The commands that it advises, and at which it fires all the same.
    pub fired: Vec<String>,
}

/// The trial of a lesson on the commands in its texts. The mistake names what is wrong, the reason what was seen, and the
/// summary either; rule and detail advise. A reminder may have a keyword that finds whatever speaks of it. Empty for a lesson with a pattern that is
/// none, which is reported elsewhere.
pub fn of(lesson: &Lesson, patterns: &Patterns) -> OwnAdvice {
    // A summary says in short what went wrong as often as what to do.
    let texts = || std::iter::once(&lesson.rule).chain(&lesson.detail);
    if lesson.when == When::Session || !texts().any(|text| text.contains('`')) {
        return OwnAdvice::default();
    }
    let mut tried = lesson.clone();
    tried.triggers.retain(|trigger| lesson.mode != Mode::Advise || trigger.kind != TriggerKind::Keyword);
    let Ok(index) = examples::alone(&lesson.user_id(), &tried, patterns) else { return OwnAdvice::default() };
    let Ok(alone) = index.ask() else { return OwnAdvice::default() };
    let fires = |command: &str| examples::fires(&alone, &SampleCall::bash(command)).unwrap_or(false);
    let examples = lesson.examples.fires.iter().filter_map(|sample| sample.command.clone());
    let named = lesson.mistake.iter().chain(texts()).flat_map(|text| code_spans(text)).map(str::to_owned);
    let stopped: Vec<String> = examples.chain(named).filter(|command| fires(command)).collect();
    let mut seen = HashSet::new();
    let advised = texts().flat_map(|text| fired_advice(text, &stopped, fires));
    let advised = advised.filter(|command| seen.insert(command.clone())).collect();
    OwnAdvice { stopped, fired: advised }
}
