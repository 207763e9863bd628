//! Counting recalls and captures, where the user wants that.
//!
//! A row that cannot be written is lost: it is never worth an answer.

use lessons_store::telemetry::{self, Capture, Outcome, Recall, Row};

use crate::app::{App, Coded, Exit, Refused};

/// Counts a recall.
pub(crate) fn recalled(app: &App, recall: Recall) {
    let _ = telemetry::record(&app.home, &Row::Recall(recall));
}

/// Counts a lesson that was recorded. `done` is what was said of it.
pub(crate) fn captured(app: &App, done: &str, warnings: usize) {
    let outcome = match done {
        "added" => Outcome::Added,
        "promoted" => Outcome::Promoted,
        "unchanged" => Outcome::Unchanged,
        _ => Outcome::Updated,
    };
    count(app, outcome, warnings);
}

/// Counts a lesson that was to be recorded and was refused. That a disk is full is no refusal.
pub(crate) fn refused(app: &App, error: &anyhow::Error) {
    let is_refused = error.chain().any(|cause| {
        cause.is::<Refused>()
            || cause.downcast_ref::<Coded>().is_some_and(|coded| coded.exit == Exit::Refused)
    });
    if is_refused {
        count(app, Outcome::Refused, 0);
    }
}

fn count(app: &App, outcome: Outcome, warnings: usize) {
    if app.settings().is_ok_and(|(config, _)| config.telemetry) {
        let _ = telemetry::record(&app.home, &Row::Capture(Capture { t: app.now_ms(), outcome, warnings }));
    }
}
