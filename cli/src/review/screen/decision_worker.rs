//! Saving and undoing decisions in a thread of its own, so that no key waits for the disk.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender};

use anyhow::Result;
use jiff::Timestamp;
use lessons_context::context::Context;
use lessons_review::candidates::carry_out;
use lessons_review::change::{Saved, undo};
use lessons_review::proof::ChangeOrigin;

use super::state::EffectResult;
use crate::app::App;
use crate::review::Decision;
use crate::ui::{failure, prompt};

/// What is done about the candidate at a position.
pub(super) enum Job {
    Decide(usize, Decision),
    TakeBack(usize),
}

/// Saves decisions one after another, in the order in which they were made, until no more can come. Reports each result.
pub(super) fn work(app: &App, jobs: &Receiver<Job>, results: &Sender<EffectResult>) {
    // The journal change of the last decision about each candidate, by its position.
    let mut changes: BTreeMap<usize, u64> = BTreeMap::new();
    for job in jobs {
        let app = app.within(Context { now: Timestamp::now(), ..app.context.clone() });
        let result = match job {
            Job::Decide(at, decision) => {
                let result = decide(&app, &decision).map(|(told, change)| {
                    changes.extend(change.map(|change| (at, change)));
                    told
                });
                EffectResult::Decided(at, result.map_err(|error| failure::sentence(&error)))
            }
            Job::TakeBack(at) => {
                // Without a change, the decision was never saved.
                let result =
                    changes.remove(&at).map_or(Ok(()), |change| undo::take_back(&app, change).map(drop));
                EffectResult::TakenBack(at, result.map_err(|error| failure::sentence(&error)))
            }
        };
        // The screen may be closed already; the decisions are saved all the same.
        let _ = results.send(result);
    }
}

/// Saves a decision. Returns one line for the person, and the number of its change in the journal.
fn decide(app: &App, decision: &Decision) -> Result<(String, Option<u64>)> {
    let (done, change) = carry_out::one(app, ChangeOrigin::Screen, prompt::remedy(app), decision)?;
    let result = match done {
        Saved::Lesson(changed) => {
            let warning = changed.warnings.first().map(|warning| format!("; warning: {}", warning.message));
            format!("{}{}", changed.line(), warning.unwrap_or_default())
        }
        Saved::NoLesson(said) => said.message,
    };
    Ok((result, change))
}
