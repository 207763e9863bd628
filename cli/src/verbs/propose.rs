//! `lessons propose`: try the lessons that a model wrote, and make candidates of those that pass.

use std::fmt;

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_ledger::database::Database;
use lessons_ledger::reflection::Reflected;
use lessons_lesson::payload::Contents;
use lessons_review::project_names;
use lessons_text::neutral::{line, shortened};
use lessons_text::wording::counted;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::args::Propose;
use crate::json_input::{self, Input};
use crate::messages;
use crate::reflection::trial::{self as reflection, MOST_A_DAY, ProposedLesson, Reflection};
use crate::trials::{self, ReadingProgress};

/// The most groups of signals that a proposal may name.
const MOST_SIGNALS: usize = 1_000;
/// The longest reason, in characters.
const REASON: usize = 400;
/// The most lessons of which each gets a reason of its own.
const MOST_REASONS: usize = 20;

/// A file of proposed lessons. Each is parsed by itself, so that one that is wrong does not take the others with it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProposalFile {
    lessons: Vec<Value>,
}

/// What became of each proposed lesson, in their order.
#[derive(Debug, Serialize)]
struct Answer {
    lessons: Vec<ProposalOutcome>,
    /// The lessons that were not looked at.
    left: usize,
}

/// What became of a proposed lesson.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum ProposalOutcome {
    /// It waits for a person as the candidate with this id.
    Candidate(String),
    /// It comes back for this reason.
    Back(String),
}

pub(crate) fn run(app: &App, args: &Propose) -> Result<Exit> {
    let file: ProposalFile = json_input::understood(Input::read(&args.file)?.value()?, "the file")?;
    let mut database = Database::open(&app.home)?;
    let here = project_names::here().map(|root| root.display().to_string());
    let project = if args.all_projects { None } else { Some(here.unwrap_or_default()) };
    let waiting = ReadingProgress::of(app);
    let history = trials::history(app, Contents::Keep, &waiting)?;
    waiting.finish();
    let mut answer = Answer { lessons: Vec::new(), left: file.lessons.len().saturating_sub(MOST_REASONS) };
    for lesson in file.lessons.into_iter().take(MOST_REASONS) {
        // A lesson before it may have explained its signals.
        let signals = database.unexplained_signals(project.as_deref(), MOST_SIGNALS)?;
        let reflection = Reflection { app, signals, history: &history };
        let outcome = outcome(&reflection, &mut database, lesson).unwrap_or_else(|error| {
            ProposalOutcome::Back(shortened(&line(&messages::sentence(&error)), REASON))
        });
        answer.lessons.push(outcome);
    }
    let all_passed = answer.left == 0
        && answer.lessons.iter().all(|outcome| matches!(outcome, ProposalOutcome::Candidate(_)));
    app.recorded(&answer)?;
    Ok(if all_passed { Exit::Done } else { Exit::Findings })
}

fn outcome(reflection: &Reflection<'_>, database: &mut Database, lesson: Value) -> Result<ProposalOutcome> {
    let app = reflection.app;
    let back = |reason: String| Ok(ProposalOutcome::Back(reason));
    if reflection::left_today(app, database)? == 0 {
        return back(format!("{MOST_A_DAY} were proposed in the last 24 hours, and no more are taken"));
    }
    let proposed: ProposedLesson = json_input::understood(lesson, "the lesson")?;
    let tried = reflection.tried(&proposed)?;
    match database.record_reflected(&tried, app.now_ms())? {
        Reflected::Recorded(id) => Ok(ProposalOutcome::Candidate(id)),
        Reflected::Known(id) => back(format!("candidate {id} says the same")),
        Reflected::Forgotten => back("it holds a text that the user had forgotten".to_owned()),
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut taken = 0;
        for (number, outcome) in self.lessons.iter().enumerate() {
            let number = number + 1;
            match outcome {
                ProposalOutcome::Candidate(id) => {
                    taken += 1;
                    writeln!(f, "{number}: candidate {id}")?;
                }
                ProposalOutcome::Back(reason) => writeln!(f, "{number}: not taken: {reason}")?,
            }
        }
        if self.left > 0 {
            writeln!(f, "{} not looked at: {MOST_REASONS} at once.", counted(self.left, "lesson"))?;
        }
        if taken == 0 {
            return f.write_str("Nothing became a candidate.");
        }
        write!(f, "{} for a person: lessons review", if taken == 1 { "1 waits" } else { "They wait" })
    }
}
