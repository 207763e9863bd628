//! What is wrong or doubtful on this machine, and the command that mends each thing.
//!
//! One file for each area: [`install`], [`published`] (what the hooks read), [`stores`], [`conflict`] (lessons
//! against each other and against a project's `CLAUDE.md`), [`activity`] (hooks, scans and nights as they went)
//! and [`too_broad`] (lessons tried on the past). [`fix`] mends what is safe to mend.
//!
//! Nothing here decides whether a lesson matches a call: core does, through [`lessons_replay::trial`].

mod activity;
mod code_spans;
mod conflict;
pub mod fix;
mod install;
mod published;
mod stores;
mod too_broad;

use std::collections::HashSet;

use anyhow::Result;
use lessons_ledger::database::Database;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, Status};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_store::config::Config;
use serde::Serialize;

use self::fix::Fix;
use crate::app::App;
use crate::in_force;
use crate::lookup;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// It keeps something from working.
    Error,
    /// It works, but not as it should.
    Warning,
    /// Good to know.
    Note,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// How bad it is.
    pub severity: FindingSeverity,
    /// A name for programs. It never changes its meaning.
    pub code: &'static str,
    /// One sentence. It may hold recorded text.
    pub message: String,
    /// The command that fixes it, or the one to investigate with.
    #[serde(rename = "mend")]
    pub remedy: String,
    /// What `--fix` would do about it.
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

    fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }
}

/// What the checks look at, read once.
struct DoctorContext<'a> {
    app: &'a App,
    config: Config,
    index: Option<LoadedIndex>,
    /// Every lesson of every layer.
    lessons: Vec<(QualifiedId, Lesson)>,
    database: Option<Database>,
}

impl DoctorContext<'_> {
    /// The active lessons that the hooks act on.
    fn in_force(&self) -> impl Iterator<Item = &(QualifiedId, Lesson)> {
        let compiled: HashSet<QualifiedId> =
            self.index.iter().flat_map(|index| index.ids().unwrap_or_default()).collect();
        self.lessons
            .iter()
            .filter(move |(id, lesson)| lesson.status == Status::Active && compiled.contains(id))
    }
}

type Check = fn(&DoctorContext<'_>) -> Result<Vec<DoctorFinding>>;

/// Looks at everything. What cannot be looked at is a finding, too.
pub fn findings(app: &App) -> Vec<DoctorFinding> {
    let mut found = Vec::new();
    let database = Database::open(&app.home).map_err(|error| found.push(stores::no_database(app, &error)));
    let config = app.settings().map(|(config, _)| config).unwrap_or_default();
    let context = DoctorContext {
        app,
        config,
        index: in_force::readable_index(app),
        lessons: lookup::every_lesson(app).unwrap_or_default(),
        database: database.ok(),
    };
    let checks: [(&str, Check); 6] = [
        ("the installation", install::check),
        ("what the hooks read", published::check),
        ("your lessons and settings", stores::check),
        ("lessons against each other", |context| Ok(conflict::check(context))),
        ("hooks, scans and nights", activity::check),
        ("lessons on the past", too_broad::check),
    ];
    for (area, check) in checks {
        match check(&context) {
            Ok(more) => found.extend(more),
            Err(error) => found.push(DoctorFinding::error(
                "NOT_CHECKED",
                format!("{area} could not be looked at: {}", crate::messages::sentence(&error)),
                "lessons doctor",
            )),
        }
    }
    found.sort_by_key(|finding| finding.severity);
    found
}
