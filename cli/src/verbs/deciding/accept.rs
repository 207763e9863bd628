//! `lessons accept` and `lessons restore --store`: accept or discard lessons and settings that were changed in their
//! files.

use std::fmt;

use anyhow::Result;
use clap::Args;
use lessons_context::error::Exit;
use lessons_ledger::accepting::{self, Comparison};
use lessons_ledger::database::Database;
use lessons_lesson::id::{Layer, LessonId};
use lessons_lesson::lesson::Lesson;
use lessons_publish::in_force;
use lessons_store::accepted::LessonChange;
use lessons_text::neutral::{line, shortened};
use serde::Serialize;
use serde_json::Value;

use crate::app::{App, Output};
use crate::change;
use crate::ui::messages::Message;

/// Arguments of `lessons accept`.
#[derive(Debug, Args)]
pub struct Accept {
    /// Only show the differences from what you accepted
    #[arg(long)]
    pub dry_run: bool,
}

/// The longest line about a lesson, in characters.
const LINE: usize = 100;
/// The most lessons that are shown to a person.
const MOST_SHOWN: usize = 30;

/// The answer: the differences from the accepted copies.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    lessons: Vec<ShownLesson>,
    settings: Vec<ShownSetting>,
    /// The reason why the accepted copies are unreadable.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrupt: Option<String>,
    /// Lessons that are in force and missing from the store, if the accepted copies are unreadable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    only_in_force: Vec<String>,
    /// Whether the differences were accepted.
    accepted: bool,
    /// The number of the change in the journal.
    change: Option<u64>,
}

#[derive(Debug, Serialize)]
struct ShownLesson {
    id: String,
    change: LessonChange,
    /// The accepted lesson in one line; `None` without an accepted copy.
    before: Option<String>,
    /// The lesson of the store in one line; `None` if it was removed.
    after: Option<String>,
}

#[derive(Debug, Serialize)]
struct ShownSetting {
    key: String,
    before: Option<String>,
    after: Option<String>,
}

pub(crate) fn run(app: &App, args: &Accept) -> Result<Exit> {
    if args.dry_run {
        app.recorded(&Shown::of(&Comparison::of(&app.home)?, None))?;
        return Ok(Exit::Done);
    }
    let lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    // Looked at before, as what is in force changes with the build.
    let own = in_force::lessons(app).into_keys().filter(|id| id.layer == Layer::User).map(|id| id.id);
    let settled = accepting::accept(&lock, &mut database, &app.deed("accepted"), own.collect())?;
    let mut shown = Shown::of(&settled.comparison, settled.change);
    shown.only_in_force = settled.only_in_force.iter().map(|id| format!("user/{id}")).collect();
    shown.accepted = true;
    app.recorded(&shown)?;
    let outcome = change::bring_into_force(app, &lock, &database)?;
    let left_out: Vec<_> = outcome
        .report
        .findings()
        .filter(|noted| shown.lessons.iter().any(|lesson| lesson.id == noted.id.to_string()))
        .map(|noted| format!("{} is not in force: {}", noted.id, noted.reason))
        .collect();
    if app.ui.output == Output::Text && !left_out.is_empty() {
        app.say(&line(&left_out.join("; ")))?;
    }
    Ok(if left_out.is_empty() { Exit::Done } else { Exit::Findings })
}

/// Runs `lessons restore --store`.
pub(crate) fn restore_store(app: &App) -> Result<Exit> {
    let lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    let change = accepting::restore_store(&lock, &mut database, &app.deed("restored"))?;
    change::bring_into_force(app, &lock, &database)?;
    let said = match change {
        Some(_) => Message::new(
            "restored",
            "lessons.json",
            "lessons.json is restored to what you accepted".to_owned(),
        ),
        None => Message::new(
            "unchanged",
            "lessons.json",
            "lessons.json holds what you accepted already".to_owned(),
        ),
    };
    app.done(&match change {
        Some(number) => said.then(format!("lessons undo {number}, to undo that")),
        None => said.then("lessons list"),
    })
}

impl Shown {
    fn of(comparison: &Comparison, change: Option<u64>) -> Self {
        let unaccepted = &comparison.unaccepted;
        let lessons = unaccepted.lessons.iter().map(|(id, change)| ShownLesson::of(comparison, id, *change));
        let settings = unaccepted.settings.iter().map(|key| {
            let (before, after) = comparison.setting(key);
            ShownSetting { key: key.clone(), before: before.map(line), after: after.map(line) }
        });
        Self {
            lessons: lessons.collect(),
            settings: settings.collect(),
            corrupt: comparison.corrupt.clone(),
            only_in_force: Vec::new(),
            accepted: false,
            change,
        }
    }
}

impl ShownLesson {
    fn of(comparison: &Comparison, id: &LessonId, change: LessonChange) -> Self {
        let (before, after) = comparison.lesson(id);
        Self { id: format!("user/{id}"), change, before: before.map(told), after: after.map(told) }
    }
}

/// A lesson in one line, with everything that decides when it fires and what it does.
fn told(lesson: &Lesson) -> String {
    let triggers: Vec<String> =
        lesson.all_triggers().map(|(role, trigger)| format!("{role} {trigger}")).collect();
    let word = |value: Result<Value, _>| value.ok().and_then(|it: Value| it.as_str().map(str::to_owned));
    let words: Vec<String> =
        [word(serde_json::to_value(lesson.mode)), word(serde_json::to_value(lesson.status))]
            .into_iter()
            .flatten()
            .collect();
    let rule = shortened(&line(&lesson.rule), LINE);
    line(&format!("{rule} ({}; {})", words.join(", "), triggers.join(", ")))
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(corrupt) = &self.corrupt {
            writeln!(f, "{}\nWhat was accepted before is not known, so every lesson is new.", line(corrupt))?;
        }
        if self.lessons.is_empty() && self.settings.is_empty() && self.only_in_force.is_empty() {
            return write!(f, "Nothing differs from what you accepted.");
        }
        for ShownLesson { id, change, before, after } in self.lessons.iter().take(MOST_SHOWN) {
            writeln!(f, "{change:7}  {id}")?;
            for (sign, text) in [('-', before), ('+', after)] {
                if let Some(text) = text {
                    writeln!(f, "         {sign} {text}")?;
                }
            }
        }
        if let more @ 1.. = self.lessons.len().saturating_sub(MOST_SHOWN) {
            writeln!(f, "… and {more} more; with --json all of them are shown")?;
        }
        for id in &self.only_in_force {
            writeln!(f, "removed  {id}")?;
        }
        for ShownSetting { key, before, after } in &self.settings {
            let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "not set".into());
            writeln!(f, "setting  {}: {} -> {}", line(key), value(before), value(after))?;
        }
        match (self.accepted, self.change) {
            (true, Some(number)) => write!(f, "Accepted. Next: lessons undo {number}, to undo that"),
            (true, None) => Ok(()),
            (false, _) => write!(
                f,
                "Next: lessons accept, to put this into force, or lessons restore --store, to restore lessons.json"
            ),
        }
    }
}
