//! A thread that saves and undoes decisions, so that no key waits for the disk.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::Result;
use jiff::Timestamp;
use lessons_context::context::Context;
use lessons_review::candidates::carry_out::DecisionResult;
use lessons_review::change::undo;
use lessons_review::proof::ChangeOrigin;

use super::state::EffectResult;
use crate::app::App;
use crate::review::Decision;
use crate::review::carry_out;
use crate::ui::messages;

/// The thread that saves decisions one after another, in the order in which they were made.
#[derive(Debug)]
pub(super) struct DecisionWorker {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// What is done about the candidate at a position.
pub(super) enum Job {
    Decide(usize, Decision),
    TakeBack(usize),
}

impl DecisionWorker {
    /// Starts the thread. It reports each result to `results`.
    pub(super) fn spawn(app: &App, results: Sender<EffectResult>) -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        let app = app.clone();
        let thread =
            thread::Builder::new().name("decisions".into()).spawn(move || work(&app, &queue, &results))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Queues a job.
    pub(super) fn give(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The thread lives until this sender is dropped, so sending cannot fail.
            let _ = jobs.send(job);
        }
    }

    /// Waits until every queued decision is saved.
    pub(super) fn finish(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already printed its message.
            let _ = thread.join();
        }
    }
}

impl Drop for DecisionWorker {
    fn drop(&mut self) {
        self.finish();
    }
}

fn work(app: &App, jobs: &Receiver<Job>, results: &Sender<EffectResult>) {
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
                EffectResult::Decided(at, result.map_err(|error| messages::sentence(&error)))
            }
            Job::TakeBack(at) => {
                // Without a change, the decision was never saved.
                let result =
                    changes.remove(&at).map_or(Ok(()), |change| undo::take_back(&app, change).map(drop));
                EffectResult::TakenBack(at, result.map_err(|error| messages::sentence(&error)))
            }
        };
        // The screen may be closed already; the decisions are saved all the same.
        let _ = results.send(result);
    }
}

/// Saves a decision. Returns one line for the person, and the number of its change in the journal.
fn decide(app: &App, decision: &Decision) -> Result<(String, Option<u64>)> {
    let (done, change) = carry_out::one(app, journal_word(decision), ChangeOrigin::Screen, decision)?;
    let result = match done {
        DecisionResult::Lesson(changed) => {
            let warning = changed.warnings.first().map(|warning| format!("; warning: {}", warning.message));
            format!("{}{}", changed.line(), warning.unwrap_or_default())
        }
        DecisionResult::Candidate(said) => said.message,
    };
    Ok((result, change))
}

/// The word for a decision in the journal.
fn journal_word(decision: &Decision) -> &'static str {
    match decision {
        Decision::Promote { .. } => "promoted",
        Decision::Edit { .. } => "changed",
        Decision::Merge { .. } => "merged",
        Decision::Reject { .. } => "rejected",
        Decision::Skip { .. } => "skipped",
    }
}
