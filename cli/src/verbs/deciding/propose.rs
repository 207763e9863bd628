//! `lessons propose`: take the lessons in that a model wrote about a reading.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lessons_context::error::{Exit, Refused};
use lessons_ledger::database::Database;
use lessons_review::reflection::next::{self, ReadProject};
use lessons_review::reflection::take::{self, LessonOutcome};
use lessons_scanner::digest::Reading;

use crate::app::App;
use crate::ui::json_input::{self, Input};

/// The help text about the file.
const PROPOSE: &str =
    "The file is the answer of a model to the last reading of `lessons reflect`: a JSON list of lessons,
in the form that `lessons reflect --instruction` asks for. A lesson names the items that show it by
their ids. A trigger that is too wide is narrowed; one that fires on the wrong calls is left out,
and the lesson is told at the start of sessions. A person reviews what passes. With it the reading
counts as read, also where the list is empty.";

/// Arguments of `lessons propose`.
#[derive(Debug, Args)]
#[command(after_help = PROPOSE)]
pub struct Propose {
    /// The file; `-` is standard input
    pub file: PathBuf,
    /// They answer the reading over every project, not that of this one
    #[arg(long)]
    pub all_projects: bool,
    /// Only try them, as an answer to this reading of `lessons reflect --all --json`; nothing is recorded
    #[arg(long, value_name = "FILE")]
    pub reading: Option<PathBuf>,
}

pub(crate) fn run(app: &App, args: &Propose) -> Result<Exit> {
    let given = Input::read(&args.file)?;
    let taken = if let Some(reading) = &args.reading {
        let reading: Reading = json_input::understood(Input::read(reading)?.value()?, "the reading")?;
        take::tried(app, &reading, &given.bytes)?
    } else {
        let mut database = Database::open(&app.home)?;
        let project = if args.all_projects { ReadProject::every() } else { ReadProject::here(&database)? };
        let Some(open) = next::open(&database, &project)? else {
            bail!(Refused("no reading waits for an answer; `lessons reflect` prints the next one".into()));
        };
        take::take(app, &mut database, &open, &given.bytes, "/lessons:reflect")?
    };
    app.recorded(&taken)?;
    let is_back = |outcome: &LessonOutcome| matches!(outcome, LessonOutcome::Back(_));
    let all_passed = taken.left == 0 && !taken.lessons.iter().any(is_back);
    Ok(if all_passed { Exit::Done } else { Exit::Findings })
}
