//! Counting queries and captures, if the user wants that.
//!
//! A row that cannot be written is dropped: counting never fails a command.

use lessons_context::error::Exit;
use lessons_decide::claims;
use lessons_store::capture::Warning;
use lessons_store::telemetry::{self, Capture, CaptureOutcome, NewParts, Recall, Row};

use crate::app::App;
use crate::change::Saved;
use crate::ui::failure;

/// Counts a query.
pub(crate) fn recalled(app: &App, recall: Recall) {
    let _ = telemetry::record(&app.home, &Row::Recall(recall));
}

/// Counts a recorded lesson.
pub(crate) fn captured(app: &App, saved: &Saved) {
    let Saved::Lesson(changed) = saved else { return };
    let outcome = match changed.done {
        "added" => CaptureOutcome::Added,
        "promoted" => CaptureOutcome::Promoted,
        "unchanged" => CaptureOutcome::Unchanged,
        _ => CaptureOutcome::Updated,
    };
    count(app, outcome, &changed.warnings, changed.new_parts.clone());
}

/// Counts a lesson that was refused. A failure such as a full disk is not a refusal.
pub(crate) fn refused(app: &App, error: &anyhow::Error) {
    if failure::exit(error) == Exit::Refused {
        count(app, CaptureOutcome::Refused, &[], NewParts::default());
    }
}

fn count(app: &App, outcome: CaptureOutcome, warnings: &[Warning], new: NewParts) {
    if !app.settings().is_ok_and(|(config, _)| config.telemetry) {
        return;
    }
    let session = app.session().map(claims::session_hash);
    let codes = warnings.iter().filter_map(|warning| warning.code).map(str::to_owned).collect();
    let capture = Capture { t: app.now_ms(), outcome, warnings: warnings.len(), session, codes, new };
    let _ = telemetry::record(&app.home, &Row::Capture(capture));
}
