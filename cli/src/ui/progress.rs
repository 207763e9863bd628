//! Progress bars while sessions are read. They are gone when they are dropped.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use lessons_replay::call_log::CallLog;
use lessons_replay::history::{ReadingWatcher, Session};
use lessons_replay::outcome::TrialOutcome;
use lessons_replay::trial::Trial;
use lessons_review::trials::MachineFacts;
use lessons_text::neutral::{line, shortened};

use crate::ui::messages::Output;

/// The most hits that are printed while the sessions are read.
const MOST_EARLY: usize = 3;
/// The longest line about a hit, in characters.
const LINE: usize = 90;

/// A progress bar on a terminal while sessions are read; nothing elsewhere.
#[derive(Debug)]
pub(crate) struct ReadingProgress {
    is_watched: bool,
    /// Made when something is read, which few commands do.
    bar: OnceLock<ProgressBar>,
}

impl ReadingProgress {
    /// A bar if a person watches, else none.
    pub(crate) fn of(output: Output) -> Self {
        let is_watched = output == Output::Text && std::io::stderr().is_terminal();
        Self { is_watched, bar: OnceLock::new() }
    }

    fn bar(&self) -> &ProgressBar {
        self.bar.get_or_init(|| {
            let bar = if self.is_watched { ProgressBar::new(0) } else { ProgressBar::hidden() };
            let bar = bar.with_finish(ProgressFinish::AndClear);
            let style = ProgressStyle::with_template("Reading sessions {bar:30} {bytes}/{total_bytes}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        })
    }
}

impl ReadingWatcher for ReadingProgress {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<()> {
        let bar = self.bar();
        if bar.is_finished() {
            bar.reset();
        }
        bar.set_length(total);
        bar.set_position(done);
        ControlFlow::Continue(())
    }

    fn done(&self) {
        self.bar().finish_and_clear();
    }
}

/// A progress bar with the first hits above it, printed as they are found.
#[derive(Debug)]
pub(crate) struct HitProgress<'a> {
    reading: ReadingProgress,
    trial: &'a Trial,
    machine: &'a MachineFacts,
    shown: Mutex<usize>,
}

impl<'a> HitProgress<'a> {
    /// A watcher for hits of `trial`.
    pub(crate) fn new(output: Output, trial: &'a Trial, machine: &'a MachineFacts) -> Self {
        Self { reading: ReadingProgress::of(output), trial, machine, shown: Mutex::new(0) }
    }
}

impl ReadingWatcher for HitProgress<'_> {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.reading.progress(done, total)
    }

    fn done(&self) {
        self.reading.done();
    }

    fn read(&self, session: &Session, log: &CallLog) {
        let enough = || self.shown.lock().is_ok_and(|shown| *shown >= MOST_EARLY);
        if !self.reading.is_watched || enough() {
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
                self.reading.bar().println(format!("  {}", shortened(&line(&sample.to_string()), LINE)));
            }
        }
    }
}
