//! Progress bars while sessions are read. They are gone when they are dropped.

use std::io::IsTerminal;
use std::sync::OnceLock;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use lessons_replay::ReadingWatcher;

use crate::ui::messages::Output;

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
    fn progress(&self, done: u64, total: u64) {
        let bar = self.bar();
        if bar.is_finished() {
            bar.reset();
        }
        bar.set_length(total);
        bar.set_position(done);
    }

    fn done(&self) {
        self.bar().finish_and_clear();
    }
}
