//! `lessons propose`: take the lessons in that a model wrote about a reading.

use std::fmt;

use anyhow::{Result, bail};
use lessons_context::error::{Exit, Refused};
use lessons_ledger::database::Database;
use lessons_scanner::digest::Reading;
use lessons_text::wording::counted;

use crate::app::App;
use crate::args::Propose;
use crate::json_input::{self, Input};
use crate::reflection::next::{self, ReadProject};
use crate::reflection::take::{self, LessonOutcome, Taken};

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
        take::take(app, &mut database, &project, &open, &given.bytes, "/lessons:reflect")?
    };
    app.recorded(&taken)?;
    let is_back = |outcome: &LessonOutcome| matches!(outcome, LessonOutcome::Back(_));
    let all_passed = taken.left == 0 && !taken.lessons.iter().any(is_back);
    Ok(if all_passed { Exit::Done } else { Exit::Findings })
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
