//! Checks of the whole installation. Each finding names the command that fixes it.
//!
//! One file for each area: `install`, `client` (what Claude Code does with our hooks), `home` (the data folder and what was accepted), `published` (manifest and index), `stores`, `conflict` (lessons against
//! each other and against a project's `CLAUDE.md`), `incidents` (lessons and memory files that are like one), `received` (what peers share), `activity` (hooks, scans and nightly runs) and `too_broad`
//! (lessons replayed over past sessions). [`fix`] applies what is safe to fix.
//!
//! Nothing here decides whether a lesson matches a call: the hook's own code does, through [`lessons_replay::trial`].

mod activity;
mod client;
pub(crate) mod conflict;
pub mod fix;
mod home;
mod incidents;
mod install;
mod published;
mod received;
mod stores;
mod too_broad;

use std::collections::HashSet;
use std::fmt::Display;

use anyhow::Result;
use lessons_ledger::database::Database;
use lessons_ledger::events;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, Status};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_publish::in_force;
use lessons_review::lookup;
use lessons_store::config::Config;
use lessons_text::neutral::line;
use serde::Serialize;

use self::fix::Fix;
use crate::app::App;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// Something does not work.
    Error,
    /// Something works, but not as it should.
    Warning,
    /// Information.
    Note,
}

/// A problem of the installation, or a note about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// Its severity.
    pub severity: FindingSeverity,
    /// A stable code for programs.
    pub code: &'static str,
    /// The problem in one sentence. It may hold recorded text.
    pub message: String,
    /// The command that fixes it, or the one to investigate with.
    pub remedy: String,
    /// The fix that `--fix` applies, if there is a safe one.
    pub fix: Option<Fix>,
}

impl DoctorFinding {
    fn error(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            severity: FindingSeverity::Error,
            code,
            message: message.into(),
            remedy: remedy.into(),
            fix: None,
        }
    }

    fn warning(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: FindingSeverity::Warning, ..Self::error(code, message, remedy) }
    }

    fn note(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: FindingSeverity::Note, ..Self::error(code, message, remedy) }
    }

    /// The finding of an error, with the remedy that the error knows, or else another.
    fn of(code: &'static str, error: &impl Display, remedy: Option<String>, otherwise: &str) -> Self {
        Self::error(code, line(&error.to_string()), remedy.unwrap_or_else(|| otherwise.to_owned()))
    }

    fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }
}

/// The data that the checks share, read once.
struct DoctorContext<'a> {
    app: &'a App,
    config: Config,
    index: Option<LoadedIndex>,
    /// Every lesson of every layer.
    lessons: Vec<(QualifiedId, Lesson)>,
    database: Option<Database>,
}

impl DoctorContext<'_> {
    /// The active lessons in the manifest.
    fn in_force(&self) -> impl Iterator<Item = &(QualifiedId, Lesson)> {
        let compiled: HashSet<QualifiedId> =
            self.index.iter().flat_map(|index| index.ids().unwrap_or_default()).collect();
        self.lessons
            .iter()
            .filter(move |(id, lesson)| lesson.status == Status::Active && compiled.contains(id))
    }
}

type Check = fn(&DoctorContext<'_>) -> Result<Vec<DoctorFinding>>;

/// Runs all checks, the most severe finding first. A check that fails becomes a finding.
pub fn findings(app: &App) -> Vec<DoctorFinding> {
    if let Some(unusable) = home::unusable(app) {
        return vec![unusable];
    }
    let mut found = Vec::new();
    let database = Database::open(&app.home).map_err(|error| found.push(stores::no_database(&error)));
    let mut database = database.ok();
    if let Some(database) = &mut database {
        // What cannot be read of the events is said by the next scan.
        let _ = events::take_in(&app.home, database, app.now_ms());
    }
    let config = app.settings().map(|(config, _)| config).unwrap_or_default();
    let context = DoctorContext {
        app,
        config,
        index: in_force::readable_index(app),
        lessons: lookup::every_lesson(app).unwrap_or_default(),
        database,
    };
    let checks: [(&str, Check); 9] = [
        ("the installation", install::check),
        ("the data folder", home::check),
        ("what the hooks read", published::check),
        ("your lessons and settings", stores::check),
        ("lessons against each other", |context| Ok(conflict::check(context))),
        ("incidents", incidents::check),
        ("what peers share", received::check),
        ("hooks, scans and nightly runs", activity::check),
        ("lessons on past sessions", too_broad::check),
    ];
    for (area, check) in checks {
        match check(&context) {
            Ok(more) => found.extend(more),
            Err(error) => found.push(DoctorFinding::error(
                "NOT_CHECKED",
                format!("{area} could not be checked: {}", crate::ui::messages::sentence(&error)),
                "lessons doctor",
            )),
        }
    }
    // What kept an area from being checked is mostly a finding of another area, with a better remedy.
    found.sort_by_key(|finding| (finding.severity, finding.code == "NOT_CHECKED"));
    found
}
