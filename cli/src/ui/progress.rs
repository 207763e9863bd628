//! Progress bars while sessions are read. They are gone when they are dropped.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use lessons_replay::call_log::CallLog;
use lessons_replay::history::{ReadingWatcher, Session};
use lessons_replay::outcome::TrialOutcome;
use lessons_replay::trial::Trial;
use lessons_review::proof::ChangeOrigin;
use lessons_review::trials::MachineFacts;
use lessons_text::neutral::{line, shortened};

use crate::app::{App, Output};

/// The most hits that are printed while the sessions are read.
const MOST_EARLY: usize = 3;
/// The longest line about a hit, in characters.
const LINE: usize = 90;

/// A progress bar on a terminal while sessions are read; nothing elsewhere.
#[derive(Debug)]
pub(crate) struct ReadingProgress(ProgressBar);

impl ReadingProgress {
    /// A bar if a person watches, else none.
    pub(crate) fn of(app: &App) -> Self {
        let is_watched = app.ui.output == Output::Text && std::io::stderr().is_terminal();
        let bar = if is_watched { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let bar = bar.with_finish(ProgressFinish::AndClear);
        let style = ProgressStyle::with_template("Reading sessions {bar:30} {bytes}/{total_bytes}");
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// A bar for a change, which would be drawn over the screen of a review.
    pub(crate) fn beside(app: &App, origin: ChangeOrigin) -> Self {
        if origin == ChangeOrigin::Screen { Self(ProgressBar::hidden()) } else { Self::of(app) }
    }

    /// Shows how much is read, in bytes.
    pub(crate) fn show(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

impl ReadingWatcher for ReadingProgress {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.show(done, total);
        ControlFlow::Continue(())
    }
}

/// A progress bar with the first hits above it, printed as they are found.
pub(crate) struct HitProgress<'a> {
    reading: ReadingProgress,
    trial: &'a Trial,
    machine: &'a MachineFacts,
    shown: Mutex<usize>,
}

impl<'a> HitProgress<'a> {
    /// A watcher for hits of `trial`.
    pub(crate) fn new(app: &App, trial: &'a Trial, machine: &'a MachineFacts) -> Self {
        Self { reading: ReadingProgress::of(app), trial, machine, shown: Mutex::new(0) }
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
