//! `lessons review`: decide about candidates, on a screen or by a file of decisions.

use std::collections::HashSet;
use std::fmt;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use lessons_context::context::Actor;
use lessons_context::error::{Exit, Refused};
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_review::candidates::breadth;
use lessons_review::candidates::carry_out::{self as decisions, DecisionResult, PlannedDecision};
use lessons_review::proof::ChangeOrigin;
use lessons_text::neutral::line;
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::{App, Output};
use crate::change::{self, Changed};
use crate::review::batch::Batch;
use crate::review::candidate_details::{Brief, CandidateDetails, DetailsReader};
use crate::review::{carry_out, screen};
use crate::ui::messages::Message;
use crate::ui::progress::ReadingProgress;

const REVIEW: &str = r#"Without an option it opens a screen with one candidate at a time; ? shows every key.
With --json alone it lists all waiting candidates.

A file of decisions:
  {"decisions": [
    {"do": "promote", "candidate": "3f2a", "fields": {"rule": "…", "mode": "bump"}},
    {"do": "promote", "candidate": "77ab", "accept": {"flags": ["echo"], "reason": "…"}},
    {"do": "merge",   "candidate": "9c01", "lesson": "git-stash"},
    {"do": "edit",    "candidate": "52d0", "lesson": "git-stash", "fields": {"rule": "…"}},
    {"do": "reject",  "candidate": "10fe", "reason": "…"},
    {"do": "skip",    "candidate": "e4b8"}
  ]}
`fields` are named like the flags of `lessons promote`, without dashes: scopeProject for
--scope-project."#;

/// Arguments of `lessons review`.
#[derive(Debug, Args)]
#[command(after_help = REVIEW)]
pub struct Review {
    /// Print the first waiting candidate with all its details
    #[arg(long, conflicts_with_all = ["check", "apply"])]
    pub next: bool,
    /// Print the one after this candidate instead
    #[arg(long, value_name = "ID", requires = "next")]
    pub after: Option<String>,
    /// Show what a file of decisions would do, and the command that does it; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    pub check: Option<PathBuf>,
    /// Carry out a file of decisions, all of them or none
    #[arg(long, value_name = "FILE")]
    pub apply: Option<PathBuf>,
}

pub(crate) fn run(app: &App, args: &Review) -> Result<Exit> {
    match (&args.check, &args.apply) {
        (Some(file), _) => check(app, file),
        (None, Some(file)) => apply(app, file),
        (None, None) if args.next => next(app, args.after.as_deref()),
        (None, None) if app.ui.output == Output::Json => list(app),
        (None, None) => screen(app),
    }
}

/// Opens the screen, for a person at a suitable terminal.
fn screen(app: &App) -> Result<Exit> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if app.is_person() && is_terminal && !is_dumb {
        return screen::run(app);
    }
    let why = match &app.actor {
        Actor::Person if is_dumb && is_terminal => "this terminal (TERM=dumb) can show no screen",
        Actor::Person => "the screen needs a terminal",
        Actor::Agent { .. } | Actor::Background => "the screen is for a person at a terminal",
    };
    bail!(Refused(format!(
        "{why}. Without it: `lessons review --next` shows what waits, `lessons promote ID` and `lessons reject ID` \
         decide, and `lessons review --apply FILE` carries out many decisions at once"
    )))
}

/// The answer: the waiting candidates.
#[derive(Serialize)]
struct CandidatePage {
    waiting: usize,
    candidates: Vec<CandidateDetails>,
    /// The reader's words for a candidate.
    #[serde(skip)]
    form: Form,
}

/// How much of a candidate is printed.
#[derive(Clone, Copy)]
enum Form {
    /// Everything, for a person.
    Full,
    /// A few lines, for an agent.
    Brief,
}

impl fmt::Display for CandidatePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.candidates.as_slice() {
            [] => f.write_str(
                "Nothing waits for you. `lessons scan` looks for mistakes in the sessions on this machine.",
            ),
            some => some.iter().try_for_each(|details| match self.form {
                Form::Full => writeln!(f, "{details}"),
                Form::Brief => writeln!(f, "{} waiting\n{}", self.waiting, Brief(details)),
            }),
        }
    }
}

fn list(app: &App) -> Result<Exit> {
    let waiting = breadth::waiting(app, &ReadingProgress::of(app))?;
    told(app, waiting.len(), waiting)
}

fn next(app: &App, after: Option<&str>) -> Result<Exit> {
    let mut waiting = breadth::waiting(app, &ReadingProgress::of(app))?;
    let all = waiting.len();
    if let Some(after) = after {
        let database = Database::open(&app.home)?;
        let id = decisions::find(&database, after)?.id;
        // The candidate may have been decided about since, and no longer wait.
        let order = database.candidates(&CandidateStatus::ALL)?;
        let before: HashSet<String> = order
            .into_iter()
            .map(|candidate| candidate.id)
            .take_while(|other| *other != id)
            .chain([id.clone()])
            .collect();
        waiting.retain(|candidate| !before.contains(&candidate.id));
    }
    waiting.truncate(1);
    told(app, all, waiting)
}

fn told(app: &App, waiting: usize, candidates: Vec<Candidate>) -> Result<Exit> {
    let reader = DetailsReader::new(app)?;
    let candidates =
        candidates.into_iter().map(|candidate| reader.details(app, candidate)).collect::<Result<_>>()?;
    let form = match app.actor {
        Actor::Agent { .. } => Form::Brief,
        Actor::Person | Actor::Background => Form::Full,
    };
    app.recorded(&CandidatePage { waiting, candidates, form })?;
    Ok(Exit::Done)
}

/// The answer to a check: what a file of decisions would do.
#[derive(Serialize)]
struct Checked {
    /// Each decision in a sentence.
    decisions: Vec<String>,
    /// Warnings.
    warnings: Vec<String>,
    /// The command that carries the file out.
    next: String,
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for decision in &self.decisions {
            writeln!(f, "  {}", line(decision))?;
        }
        for warning in &self.warnings {
            writeln!(f, "  warning: {}", line(warning))?;
        }
        write!(f, "Nothing was done yet\nNext: {}", self.next)
    }
}

fn check(app: &App, file: &Path) -> Result<Exit> {
    let batch = Batch::read(file)?;
    let planned = carry_out::preview(app, ChangeOrigin::Decisions, &batch.decisions)?;
    let words = ["review", "--apply", &file.display().to_string()].map(str::to_owned);
    let warnings = planned.iter().flat_map(PlannedDecision::warnings).map(|warning| warning.message.clone());
    app.recorded(&Checked {
        decisions: planned.iter().map(PlannedDecision::told).collect(),
        warnings: warnings.collect(),
        next: format!("lessons {}", lessons_context::context::typed(&words)),
    })?;
    Ok(Exit::Done)
}

/// The answer: what a file of decisions did.
#[derive(Serialize)]
struct Applied {
    done: &'static str,
    changed: Vec<Changed>,
    others: Vec<Message>,
}

impl fmt::Display for Applied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for changed in &self.changed {
            writeln!(f, "  {}", changed.line())?;
        }
        for said in &self.others {
            writeln!(f, "  {}", said.message)?;
        }
        let all = counted(self.changed.len() + self.others.len(), "decision");
        write!(f, "{all} carried out\nNext: lessons list")
    }
}

fn apply(app: &App, file: &Path) -> Result<Exit> {
    let batch = Batch::read(file)?;
    let (done, _) = carry_out::all(app, "reviewed", ChangeOrigin::Decisions, &batch.decisions)?;
    let mut applied = Applied { done: "reviewed", changed: Vec::new(), others: Vec::new() };
    for done in done {
        match done {
            DecisionResult::Lesson(changed) => applied.changed.push(changed),
            DecisionResult::Candidate(said) => applied.others.push(said),
        }
    }
    app.answer(&applied)?;
    applied.changed.iter().for_each(|changed| change::warn(app, changed));
    let is_in_force = applied.changed.iter().all(|changed| changed.exit() == Exit::Done);
    Ok(if is_in_force { Exit::Done } else { Exit::Findings })
}
