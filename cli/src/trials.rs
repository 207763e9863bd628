//! Replaying lessons over the past sessions of this machine.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use lessons_context::error::Refused;
use lessons_ledger::database::Database;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Lesson;
use lessons_lesson::payload::Contents;
use lessons_manifest_builder::report::Reason;
use lessons_manifest_builder::single;
use lessons_publish::in_force;
use lessons_replay::call_log::CallLog;
use lessons_replay::history::{History, ReadingWatcher, Session};
use lessons_replay::outcome::TrialOutcome;
use lessons_replay::trial::{Trial, TrialContext};
use lessons_review::lookup;
use lessons_text::neutral::{line, shortened};

use crate::app::{App, Output};

/// The most hits that are shown while the sessions are still being read.
const MOST_EARLY: usize = 3;
/// The longest line about a call, in characters.
const LINE: usize = 90;

/// The facts about this machine that an answer depends on.
#[derive(Debug, Clone)]
pub struct MachineFacts {
    home: String,
    user_home: Option<String>,
    now: u64,
}

impl MachineFacts {
    /// The facts as the hook would find them now.
    pub fn of(app: &App) -> Self {
        let user_home = std::env::var_os("HOME").map(|home| home.to_string_lossy().into_owned());
        Self { home: app.home.root().to_string_lossy().into_owned(), user_home, now: app.now_ms() }
    }

    /// The same facts for a replay.
    pub fn context(&self) -> TrialContext<'_> {
        TrialContext { home: &self.home, user_home: self.user_home.as_deref(), now: self.now }
    }
}

/// Prepares a lesson of any layer for a replay among the lessons in force. The lesson itself need not be in force, nor
/// saved: this is how a proposal is tried.
pub fn trial(app: &App, id: &QualifiedId, lesson: &Lesson) -> Result<Trial> {
    let corrupt = |error| anyhow::anyhow!(in_force::cannot_be_read(app, error));
    let index = in_force::readable_index(app);
    let settings = app.settings()?.0.for_hooks();
    let roots = match &id.layer {
        Layer::User => roots(app, lesson)?,
        // The index knows where the lessons of others fire.
        Layer::Project(_) | Layer::Peer(_) | Layer::Seed => {
            let found = index.as_ref().map(|index| index.find(id)).transpose().map_err(corrupt)?.flatten();
            if found.is_none() && id.layer != Layer::Seed {
                bail!(Refused(format!(
                    "{id} is not in force, so it is not known where it would fire; run `lessons build`"
                )));
            }
            found.and_then(|(_, terms)| terms.roots)
        }
    };
    let patterns = index.as_ref().and_then(|index| index.patterns().ok()).unwrap_or_default();
    let alone = single::alone(id, lesson, roots, settings, &patterns)
        .map_err(|reason| Refused(format!("{id} cannot be tried: {reason}")))?;
    let trial = Trial::new(alone, &patterns)?;
    Ok(match index {
        Some(index) => trial.among(index.manifest().map_err(corrupt)?, &patterns)?,
        None => trial,
    })
}

/// The roots of the projects in a lesson's scope; `None` means everywhere.
pub(crate) fn roots(app: &App, lesson: &Lesson) -> Result<Option<Vec<String>>> {
    let projects = &lesson.scope.projects;
    if projects.is_empty() {
        return Ok(None);
    }
    let database = Database::open(&app.home)?;
    let mut roots = Vec::new();
    for key in projects {
        roots.extend(database.roots_of(key)?);
    }
    if roots.is_empty() {
        let reason = Reason::UnknownProject { projects: projects.join(", ") };
        bail!(Refused(format!("{} cannot be tried: {reason}", lesson.id)));
    }
    Ok(Some(roots))
}

/// All calls of the sessions on this machine.
pub fn history(app: &App, contents: Contents, watcher: &dyn ReadingWatcher) -> Result<History> {
    Ok(History::read(&lookup::transcript_folders(app, &[])?, contents, watcher))
}

/// A progress bar on a terminal while sessions are read; nothing elsewhere.
#[derive(Debug)]
pub struct ReadingProgress(ProgressBar);

impl ReadingProgress {
    /// A bar if a person watches, else none.
    pub fn of(app: &App) -> Self {
        let is_watched = app.ui.output == Output::Text && std::io::stderr().is_terminal();
        let bar = if is_watched { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("Reading sessions {bar:30} {bytes}/{total_bytes}");
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl ReadingWatcher for ReadingProgress {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.set_length(total);
        self.0.set_position(done);
        ControlFlow::Continue(())
    }
}

/// A progress bar with the first hits above it, printed as they are found.
pub struct HitProgress<'a> {
    reading: ReadingProgress,
    trial: &'a Trial,
    machine: &'a MachineFacts,
    shown: Mutex<usize>,
}

impl<'a> HitProgress<'a> {
    /// A watcher for hits of `trial`.
    pub fn new(app: &App, trial: &'a Trial, machine: &'a MachineFacts) -> Self {
        Self { reading: ReadingProgress::of(app), trial, machine, shown: Mutex::new(0) }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.reading.finish();
    }
}

impl ReadingWatcher for HitProgress<'_> {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.reading.progress(done, total)
    }

    fn read(&self, session: &Session, log: &CallLog) {
        let enough = || self.shown.lock().is_ok_and(|shown| *shown >= MOST_EARLY);
        if self.reading.0.is_hidden() || enough() {
            return;
        }
        let place = session.place();
        for recorded in log.calls() {
            let outcome = self.trial.outcome(&recorded, &place, &self.machine.context());
            let TrialOutcome::Matched(outcome) = outcome else { continue };
            let Ok(mut shown) = self.shown.lock() else { return };
            if *shown >= MOST_EARLY {
                return;
            }
            if outcome.is_fired() {
                *shown += 1;
                let (sample, _) = self.trial.sample(&recorded, session.roots.as_ref());
                self.reading.0.println(format!("  {}", shortened(&line(&sample.to_string()), LINE)));
            }
        }
    }
}
