//! Taking an answer in: each of its lessons is tried, what passes becomes a candidate, and the reading is closed.

use std::fmt;

use lessons_context::{Context, Error, Result, error, refused};
use lessons_ledger::recording::reflection::{ReadingAnswer, Reflected};
use lessons_ledger::{Database, Finding, Reach, ReflectedFinding};
use lessons_lesson::Contents;
use lessons_scanner::digest::Reading;
use lessons_text::{counted, line, shortened};
use serde::Serialize;
use serde_json::Value;

use super::next::OpenReading;
use super::trial::Trials;
use super::{answer, candidate};
use crate::lint::placeholder_warning;
use crate::trials;

/// The longest reason, in characters.
const REASON: usize = 400;

/// What became of the lessons of an answer, in their order.
#[derive(Debug, Default, Serialize)]
pub struct Taken {
    /// What became of each.
    pub lessons: Vec<LessonOutcome>,
    /// The lessons that were not looked at.
    pub left: usize,
}

/// What became of a lesson.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LessonOutcome {
    /// It waits for a person.
    Candidate {
        /// The candidate.
        id: String,
        /// What was changed about it.
        notes: Vec<String>,
    },
    /// It would be this candidate. Nothing was recorded.
    Passed(Box<Finding>),
    /// It comes back for this reason.
    Back(String),
}

impl Taken {
    /// The number of candidates.
    pub fn candidates(&self) -> usize {
        self.lessons.iter().filter(|outcome| matches!(outcome, LessonOutcome::Candidate { .. })).count()
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, outcome) in self.lessons.iter().enumerate() {
            let number = number + 1;
            match outcome {
                LessonOutcome::Candidate { id, notes } => {
                    writeln!(f, "{number}: candidate {id}")?;
                    notes.iter().try_for_each(|note| writeln!(f, "   {note}"))?;
                }
                LessonOutcome::Passed(found) => writeln!(f, "{number}: passes: {}", found.fix)?,
                LessonOutcome::Back(reason) => writeln!(f, "{number}: not taken: {reason}")?,
            }
        }
        if self.left > 0 {
            writeln!(f, "{} not looked at.", counted(self.left, "lesson"))?;
        }
        match self.candidates() {
            0 => f.write_str("Nothing became a candidate."),
            1 => f.write_str("1 waits for a person: lessons review"),
            _ => f.write_str("They wait for a person: lessons review"),
        }
    }
}

/// Takes the answer to a reading in, at most as many lessons as its reader was asked for, and closes the reading. An answer without a list of lessons
/// closes nothing.
pub fn take(
    context: &Context,
    database: &mut Database,
    open: &OpenReading,
    given: &[u8],
    reader: &str,
) -> Result<Taken> {
    let lessons = answer::lessons(given)?;
    let history = trials::history(context, Contents::Keep)?;
    let trials = Trials::new(context, &open.reading, &history);
    let left = lessons.len().saturating_sub(open.most);
    let (mut findings, mut tried) = (Vec::new(), Vec::new());
    for lesson in lessons.into_iter().take(open.most) {
        tried.push(passed(&trials, lesson).map(|found| findings.push(found)));
    }
    let marks: Vec<String> = open.reading.items.values().map(|item| item.mark.clone()).collect();
    let by = format!("{reader}, after a reading of {} tokens", open.reading.tokens);
    let answer = ReadingAnswer { reading: open.id, marks: &marks, reader, by: &by, findings: &findings };
    let Some(became) = database.take_answer(&answer, context.now_ms())? else {
        return refused("this reading was answered meanwhile; `lessons reflect` prints the next one");
    };
    let mut became = became.into_iter().zip(&findings).map(|(became, found)| outcome(became, found));
    let lessons = tried.into_iter().filter_map(|tried| match tried {
        Ok(()) => became.next(),
        Err(error) => Some(back(&error)),
    });
    Ok(Taken { lessons: lessons.collect(), left })
}

/// Tries the answer to a reading, and records nothing.
pub fn tried(context: &Context, reading: &Reading, given: &[u8]) -> Result<Taken> {
    let lessons = answer::lessons(given)?;
    let history = trials::history(context, Contents::Keep)?;
    let trials = Trials::new(context, reading, &history);
    let lessons = lessons.into_iter().map(|lesson| match passed(&trials, lesson) {
        Ok(found) => LessonOutcome::Passed(Box::new(found.finding)),
        Err(error) => back(&error),
    });
    Ok(Taken { lessons: lessons.collect(), left: 0 })
}

/// What becomes of a lesson that does not pass.
fn back(error: &Error) -> LessonOutcome {
    LessonOutcome::Back(shortened(&line(&error::sentence(error)), REASON))
}

fn passed(trials: &Trials<'_>, value: Value) -> Result<ReflectedFinding> {
    let written = answer::lesson(value)?;
    let reach = if written.everywhere { Reach::Everywhere } else { Reach::Seen };
    Ok(candidate::of(&trials.tried(&written)?, reach))
}

/// What became of a lesson that passed.
fn outcome(became: Reflected, found: &ReflectedFinding) -> LessonOutcome {
    match became {
        Reflected::Recorded(id) | Reflected::Merged(id) => {
            let notes = found.finding.evidence.iter().filter_map(|line| line.strip_prefix("trial: "));
            let notes = notes.map(str::to_owned).chain(placeholder_warning(&found.finding.fix)).collect();
            LessonOutcome::Candidate { id, notes }
        }
        Reflected::Known(id) => LessonOutcome::Back(format!("candidate {id} says the same")),
        Reflected::Rejected(meaning) => LessonOutcome::Back(format!("it {meaning}")),
        Reflected::Forgotten => LessonOutcome::Back("it holds a text that you had forgotten".to_owned()),
    }
}
