//! `lessons trust` and `lessons untrust`: approve the lessons that a project brings along.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_home::disk::RealDisk;
use lessons_ledger::database::Database;
use lessons_ledger::trust_changes::{self, Approval};
use lessons_lesson::id::LessonId;
use lessons_lesson::project::find_roots;
use lessons_store::trust::{self, Preview, Refusals};
use lessons_text::neutral::{line, shortened};
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::{Actor, App, Exit, Output, Refused};
use crate::args::{Project, Trust};
use crate::building;
use crate::messages::Message;

/// The longest line about a lesson, in characters.
const LINE: usize = 100;

pub(crate) fn run(app: &App, args: &Trust) -> Result<Exit> {
    let root = root(&args.project)?;
    let preview = trust::preview(&app.home, &root)?;
    let shown = Shown::of(&preview, args);
    if app.output == Output::Text {
        app.recorded(&shown)?;
    }
    if !args.yes && !confirmed(app)? {
        app.say(&"Nothing was changed.")?;
        return Ok(Exit::Findings);
    }
    let accept = args.accept.iter().map(|id| LessonId::new(id)).collect::<Result<BTreeSet<_>, _>>()?;
    let approval = Approval {
        actor: app.actor.words(),
        at: app.now_text(),
        accept,
        refusals: if args.allow_refusals { Refusals::Allowed } else { Refusals::BecomeAdvice },
    };
    let lock = app.lock()?;
    trust_changes::approve(
        &lock,
        &mut Database::open(&app.home)?,
        &app.deed("trusted"),
        &preview,
        &approval,
    )?;
    drop(lock);
    let outcome = building::build(app)?;
    match app.output {
        Output::Json => app.recorded(&shown)?,
        Output::Text => app.say(&format!(
            "Trusted as it is now. {} of projects in force.\nNext: lessons list, or to end it lessons untrust {}",
            counted(outcome.report.project, "lesson"),
            root.display()
        ))?,
    }
    Ok(Exit::Done)
}

pub(crate) fn withdraw(app: &App, args: &Project) -> Result<Exit> {
    let root = root(&args.project)?;
    let name = root.to_string_lossy();
    let lock = app.lock()?;
    let withdrawn =
        trust_changes::withdraw(&lock, &mut Database::open(&app.home)?, &app.deed("untrusted"), &name)?;
    drop(lock);
    // Build even if there was no trust: an interrupted run may have left its lessons in force.
    building::build(app)?;
    if withdrawn.is_none() {
        bail!(Refused(format!("{name} is not trusted")));
    }
    let message = format!("{name} is no longer trusted; its lessons are out of force");
    app.answer(&Message::new("untrusted", name, message).then("lessons list"))?;
    Ok(Exit::Done)
}

/// The root of the project around a folder, links resolved.
fn root(folder: &Path) -> Result<std::path::PathBuf> {
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    Ok(find_roots(&folder.to_string_lossy(), &RealDisk).root.into())
}

/// Asks the person. Without a terminal, an agent's command was already approved.
fn confirmed(app: &App) -> Result<bool> {
    if matches!(app.actor, Actor::Agent { .. }) {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() || app.output == Output::Json {
        bail!(Refused("nobody is there to ask; look at the list and run it again with --yes".into()));
    }
    write!(std::io::stdout(), "Use these lessons in this project? [y/N] ")?;
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// The content of a project store, shown before it is trusted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    root: String,
    sha256: String,
    lessons: Vec<(String, String)>,
    refusing: Vec<String>,
    refusals_allowed: bool,
    flagged: Vec<(String, Vec<&'static str>)>,
    added: Vec<String>,
    changed: Vec<String>,
    removed: Vec<String>,
    problems: Vec<String>,
    settings: Vec<String>,
    settings_differ: bool,
    settings_problems: Vec<String>,
}

impl Shown {
    fn of(preview: &Preview, args: &Trust) -> Self {
        Self {
            root: preview.root.clone(),
            sha256: preview.sha256.clone(),
            lessons: preview
                .lessons
                .iter()
                .map(|lesson| (lesson.id.to_string(), line(&lesson.one_line())))
                .collect(),
            refusing: preview.refusing.iter().map(|(id, _)| id.to_string()).collect(),
            refusals_allowed: args.allow_refusals,
            flagged: preview
                .flagged
                .iter()
                .map(|flagged| {
                    (flagged.id.to_string(), flagged.flags.iter().map(|flag| flag.meaning).collect())
                })
                .collect(),
            added: preview.difference.added.clone(),
            changed: preview.difference.changed.clone(),
            removed: preview.difference.removed.clone(),
            problems: preview.problems.iter().map(ToString::to_string).collect(),
            settings: preview.settings.iter().flat_map(|settings| settings.values.lines()).collect(),
            settings_differ: preview.settings_differ,
            settings_problems: preview.settings_flaws.iter().map(ToString::to_string).collect(),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} brings {}:", line(&self.root), counted(self.lessons.len(), "lesson"))?;
        for (id, summary) in &self.lessons {
            writeln!(f, "  {}", shortened(&format!("{id}: {summary}"), LINE))?;
        }
        for (name, ids) in [("new", &self.added), ("changed", &self.changed), ("gone", &self.removed)] {
            if !ids.is_empty() {
                writeln!(f, "Against what you approved before, {name}: {}", line(&ids.join(", ")))?;
            }
        }
        if !self.refusing.is_empty() {
            let what = if self.refusals_allowed {
                "may refuse calls"
            } else {
                "would refuse calls and will only advise (--allow-refusals lets them)"
            };
            writeln!(f, "{} {what}", line(&self.refusing.join(", ")))?;
        }
        for (id, meanings) in &self.flagged {
            writeln!(f, "{id} {}: left out, unless --accept {id}", meanings.join(", and "))?;
        }
        for problem in &self.problems {
            writeln!(f, "{}", line(problem))?;
        }
        if !self.settings.is_empty() {
            let new = if self.settings_differ { ", new against what you approved before" } else { "" };
            writeln!(f, "Its settings count in this project{new}: {}", self.settings.join(", "))?;
        } else if self.settings_differ {
            writeln!(
                f,
                "Against what you approved before it has no settings, or other ones that do nothing"
            )?;
        }
        for problem in &self.settings_problems {
            writeln!(f, ".lessons/config.toml: {}", line(problem))?;
        }
        write!(f, "They fire in this project only, and after your own.")
    }
}
