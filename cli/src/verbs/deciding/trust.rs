//! `lessons trust` and `lessons untrust`: approve the lessons that a project brings along.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use lessons_context::context::Actor;
use lessons_context::error::{Coded, Exit, Refused};
use lessons_context::lesson_difference::ChangedLesson;
use lessons_home::machine::ThisMachine;
use lessons_incident::kind::{Severity, SourceKind};
use lessons_incident::trust::Origin;
use lessons_incident_check::check::{self, IncidentChecker};
use lessons_incident_check::record;
use lessons_ledger::database::Database;
use lessons_ledger::trust_changes::{self, Approval};
use lessons_lesson::id::{Layer, LessonId, ProjectHash};
use lessons_lesson::project::find_roots;
use lessons_manifest_builder::report::{Reason, Report};
use lessons_publish::building;
use lessons_store::trust::{self, Preview, Refusals, TrustError};
use lessons_text::neutral::line;
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::{App, Output};
use crate::ui::messages::Message;
use crate::ui::prompt;

/// Arguments of `lessons untrust`.
#[derive(Debug, Args)]
pub struct Project {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
}

/// Arguments of `lessons trust`.
#[derive(Debug, Args)]
pub struct Trust {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
    /// Approve without asking
    #[arg(long)]
    pub yes: bool,
    /// Accept a lesson although its text is flagged; `incident` accepts those that are like a critical incident
    #[arg(long, value_name = "ID")]
    pub accept: Vec<String>,
    /// The reason for `--accept incident`
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
    /// Let its lessons block calls; without this they only advise
    #[arg(long)]
    pub allow_refusals: bool,
}

pub(crate) fn run(app: &App, args: &Trust) -> Result<Exit> {
    let root = root(&args.project)?;
    let preview = match trust::preview(&app.home, &root) {
        Err(error @ TrustError::Missing { .. }) => return Err(missing(&root, error)),
        preview => preview?,
    };
    let mut shown = Shown::of(&preview, args);
    shown.incidents = incidents(app, &preview, args)?;
    let source = (SourceKind::Store, preview.root.as_str());
    record::record(app, &record::untrusted(app, Origin::ProjectStore, source, preview.lessons.iter()));
    if app.ui.output == Output::Text {
        app.recorded(&shown)?;
    }
    if !args.yes && !confirmed(app)? {
        app.say(&"Nothing was changed.")?;
        return Ok(Exit::Findings);
    }
    let ids = args.accept.iter().filter(|id| *id != check::FLAG || is_lesson(&preview, id));
    let accept = ids.map(|id| LessonId::new(id)).collect::<Result<BTreeSet<_>, _>>()?;
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
    shown.not_in_force = left_out(&outcome.report, &preview.root);
    match app.ui.output {
        Output::Json => app.recorded(&shown)?,
        Output::Text => app.recorded(&Trusted { shown: &shown, in_force: outcome.report.project })?,
    }
    Ok(Exit::Done)
}

/// The lessons of a project that are like an incident, in words. A critical one has to be accepted.
fn incidents(app: &App, preview: &Preview, args: &Trust) -> Result<Vec<String>> {
    let Some(checker) = IncidentChecker::of(app).filter(|checker| !checker.is_empty()) else {
        return Ok(Vec::new());
    };
    let accepts = args.accept.iter().any(|flag| flag == check::FLAG)
        && args.reason.as_ref().is_some_and(|reason| !reason.trim().is_empty());
    let mut said = Vec::new();
    for lesson in &preview.lessons {
        for matched in checker.about(lesson) {
            if matched.severity == Severity::Critical && !accepts {
                bail!(Coded::refused(
                    "INCIDENT",
                    format!(
                        "{} of this project is like {}. Nothing was changed. If it is right all the same: lessons trust \
                         --accept {} --reason TEXT",
                        lesson.id,
                        matched.words(),
                        check::FLAG
                    )
                ));
            }
            said.push(format!("{} is like {}", lesson.id, matched.words()));
        }
    }
    Ok(said)
}

/// Whether a project has a lesson of this id.
fn is_lesson(preview: &Preview, id: &str) -> bool {
    preview.lessons.iter().any(|lesson| lesson.id.as_str() == id)
}

/// The error for a project without a store, which names lessons in an older layout.
fn missing(root: &Path, error: TrustError) -> anyhow::Error {
    match trust::older_layout(root) {
        Some(index) => Refused(format!("{error}. {}", of_older_layout(&index.display().to_string()))).into(),
        None => error.into(),
    }
}

/// What is said of lessons in an older layout.
fn of_older_layout(index: &str) -> String {
    let folder = index.strip_suffix("/index.yaml").unwrap_or(index);
    format!(
        "{index} holds lessons in an older layout, which nothing reads; to take them into your own lessons: lessons import \
         --format lessons-folder '{folder}'"
    )
}

/// The lessons of the project at `root` that are not in force, each with the reason. One that is retired is so on purpose.
fn left_out(report: &Report, root: &str) -> Vec<NotInForce> {
    let layer = Layer::Project(ProjectHash::of_root(root));
    let left_out = report.left_out.iter().filter(|noted| noted.id.layer == layer);
    left_out
        .filter(|noted| !matches!(noted.reason, Reason::Inactive))
        .map(|noted| NotInForce { id: noted.id.id.to_string(), reason: noted.reason.to_string() })
        .collect()
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
    let message = format!("{name} is no longer trusted; its lessons are no longer in force");
    app.done(&Message::new("untrusted", name, message).then("lessons list"))
}

/// The root of the project around a folder, links resolved.
fn root(folder: &Path) -> Result<std::path::PathBuf> {
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    Ok(find_roots(&folder.to_string_lossy(), &ThisMachine).root.into())
}

/// Asks the person. Without a terminal, an agent's command was already approved.
fn confirmed(app: &App) -> Result<bool> {
    if matches!(app.actor, Actor::Agent { .. }) {
        return Ok(true);
    }
    if !prompt::is_possible(app) {
        bail!(Refused("there is no terminal to ask in; read the list and run it again with --yes".into()));
    }
    Ok(prompt::is_yes(&prompt::ask("Use these lessons in this project? [y/N]")?))
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
    /// The lessons that are like an incident.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incidents: Vec<String>,
    /// Whether a store of this project was approved before.
    was_approved: bool,
    /// The lessons that differ from what was approved before; the first time all of them.
    differences: Vec<ChangedLesson>,
    /// The lessons that are not in force although the project is trusted.
    not_in_force: Vec<NotInForce>,
    /// Lessons in an older layout, which nothing reads: the path of their index.
    #[serde(skip_serializing_if = "Option::is_none")]
    older_layout: Option<String>,
    problems: Vec<String>,
    settings: Vec<String>,
    settings_differ: bool,
    settings_problems: Vec<String>,
}

/// A lesson that is not in force.
#[derive(Debug, Serialize)]
struct NotInForce {
    id: String,
    reason: String,
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
            incidents: Vec::new(),
            was_approved: preview.was_approved,
            differences: preview
                .differences
                .iter()
                .map(|it| ChangedLesson::between(&it.id, it.change, it.before.as_ref(), it.after.as_ref()))
                .collect(),
            not_in_force: Vec::new(),
            older_layout: preview.older_layout.as_ref().map(|path| path.display().to_string()),
            problems: preview.problems.iter().map(ToString::to_string).collect(),
            settings: preview.settings.iter().flat_map(|settings| settings.values.lines()).collect(),
            settings_differ: preview.settings_differ,
            settings_problems: preview.settings_flaws.iter().map(ToString::to_string).collect(),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lessons = counted(self.lessons.len(), "lesson");
        match (self.was_approved, self.differences.is_empty()) {
            (true, true) => {
                writeln!(f, "{} brings {lessons}, as you approved them before.", line(&self.root))?;
            }
            (true, false) => {
                writeln!(f, "{} brings {lessons}. Against what you approved before:", line(&self.root))?;
            }
            (false, _) => writeln!(f, "{} brings {lessons}:", line(&self.root))?,
        }
        for difference in &self.differences {
            writeln!(f, "{difference}")?;
        }
        if !self.refusing.is_empty() {
            let what = if self.refusals_allowed {
                "may block calls"
            } else {
                "would block calls and will only advise (--allow-refusals lets them)"
            };
            writeln!(f, "{} {what}", line(&self.refusing.join(", ")))?;
        }
        for (id, meanings) in &self.flagged {
            writeln!(f, "{id} {}: left out, unless --accept {id}", meanings.join(", and "))?;
        }
        for incident in &self.incidents {
            writeln!(f, "{}", line(incident))?;
        }
        for problem in &self.problems {
            writeln!(f, "{}", line(problem))?;
        }
        if !self.settings.is_empty() {
            let is_new = self.was_approved && self.settings_differ;
            let new = if is_new { ", new against what you approved before" } else { "" };
            writeln!(f, "Its settings count in this project{new}: {}", self.settings.join(", "))?;
        } else if self.was_approved && self.settings_differ {
            writeln!(
                f,
                "Against what you approved before it has no settings, or other ones that do nothing"
            )?;
        }
        for problem in &self.settings_problems {
            writeln!(f, ".lessons/config.toml: {}", line(problem))?;
        }
        if let Some(index) = &self.older_layout {
            writeln!(f, "{}", line(&of_older_layout(index)))?;
        }
        write!(f, "They fire in this project only, and after your own.")
    }
}

/// What is said after a project was trusted.
#[derive(Serialize)]
struct Trusted<'s> {
    shown: &'s Shown,
    in_force: usize,
}

impl fmt::Display for Trusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shown, in_force } = self;
        writeln!(f, "Trusted as it is now. {} of projects in force.", counted(*in_force, "lesson"))?;
        for NotInForce { id, reason } in &shown.not_in_force {
            writeln!(f, "{} is not in force: {}", line(id), line(reason))?;
        }
        write!(f, "Next: lessons list, or to end it lessons untrust {}", line(&shown.root))
    }
}
