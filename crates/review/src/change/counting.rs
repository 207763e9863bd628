//! Counting captures, if the user wants that.
//!
//! A row that cannot be written is dropped: counting never fails a command.

use lessons_context::context::Context;
use lessons_context::error::Exit;
use lessons_decide::claims;
use lessons_store::capture::Warning;
use lessons_store::telemetry::{self, Capture, CaptureOutcome, NewParts, Row};

use crate::change::Saved;

/// Counts a recorded lesson.
pub fn captured(context: &Context, saved: &Saved) {
    let Saved::Lesson(changed) = saved else { return };
    let outcome = match changed.done {
        "added" => CaptureOutcome::Added,
        "promoted" => CaptureOutcome::Promoted,
        "unchanged" => CaptureOutcome::Unchanged,
        _ => CaptureOutcome::Updated,
    };
    count(context, outcome, &changed.warnings, changed.new_parts.clone());
}

/// Counts a lesson that was not recorded, if it was refused. A failure such as a full disk is not a refusal.
pub fn refused(context: &Context, exit: Exit) {
    if exit == Exit::Refused {
        count(context, CaptureOutcome::Refused, &[], NewParts::default());
    }
}

fn count(context: &Context, outcome: CaptureOutcome, warnings: &[Warning], new: NewParts) {
    if !context.settings().is_ok_and(|(config, _)| config.telemetry) {
        return;
    }
    let session = context.session().map(claims::session_hash);
    let codes = warnings.iter().filter_map(|warning| warning.code).map(str::to_owned).collect();
    let capture = Capture { t: context.now_ms(), outcome, warnings: warnings.len(), session, codes, new };
    let _ = telemetry::record(&context.home, &Row::Capture(capture));
}
