//! `lessons reflect`: print what a model should read next, or how much there is.

use std::fmt;

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_home::home::SESSION_VARIABLE;
use lessons_ledger::database::Database;
use lessons_scanner::digest::{Reading, Wanted};
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::args::Reflect;
use crate::reflection::next::{self, ReadProject};
use crate::reflection::instruction;

/// What is printed.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(skip)]
    instruction: String,
    /// The readings: the next one, or with `--all` every one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<Reading>,
    /// The readings that wait after these, and their tokens.
    waiting: Size,
}

#[derive(Debug, Default, Serialize)]
struct Size {
    readings: usize,
    items: usize,
    tokens: usize,
}

pub(crate) fn run(app: &App, args: &Reflect) -> Result<Exit> {
    let mut database = Database::open(&app.home)?;
    if let Ok(session) = std::env::var(SESSION_VARIABLE) {
        database.note_reflecting_session(&session)?;
    }
    next::refresh(app, &mut database)?;
    let project = if args.all_projects { ReadProject::every() } else { ReadProject::here(&database)? };
    let wanted = if args.all { Wanted::All } else { Wanted::Unread };
    let instruction = if args.instruction { instruction(project.most(&database)?) } else { String::new() };
    let mut answer = Answer { instruction, readings: Vec::new(), waiting: Size::default() };
    let readings = project.readings(app, &database, wanted)?;
    if args.dry_run {
        answer.waiting = Size::of(&readings);
    } else if args.all {
        answer.readings = readings;
    } else if let Some((open, _)) = next::next(app, &mut database, &project)? {
        answer.waiting = Size::of(readings.get(1..).unwrap_or_default());
        answer.readings.push(open.reading);
    }
    app.recorded(&answer)?;
    Ok(Exit::Done)
}

impl Size {
    fn of(readings: &[Reading]) -> Self {
        Self {
            readings: readings.len(),
            items: readings.iter().map(|reading| reading.items.len()).sum(),
            tokens: readings.iter().map(|reading| reading.tokens).sum(),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size { readings, items, tokens } = self.waiting;
        if self.readings.is_empty() && readings == 0 {
            return f.write_str("Nothing is unread in this project.");
        }
        if !self.instruction.is_empty() {
            writeln!(f, "{}", self.instruction)?;
        }
        for reading in &self.readings {
            writeln!(f, "{}", reading.text)?;
        }
        if readings > 0 {
            let items = counted(items, "item");
            write!(f, "{} to read: {items}, about {}.", counted(readings, "reading"), counted(tokens, "token"))?;
        }
        Ok(())
    }
}
