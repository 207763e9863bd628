//! What is done beside the screen, so that no key waits for it.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::Result;
use jiff::Timestamp;

use super::state::{News, Ticket};
use crate::app::App;
use crate::change::undo;
use crate::messages;
use crate::proof::Way;
use crate::review::decision::Decision;
use crate::review::execute::{self, Done};

/// One who carries decisions out, one after the other, in the order in which they were made.
#[derive(Debug)]
pub struct Clerk {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

enum Job {
    Decide(Ticket, Decision),
    TakeBack(Ticket),
}

impl Clerk {
    /// One who tells `news` what came of it.
    pub fn hire(app: &App, news: Sender<News>) -> std::io::Result<Self> {
        let (jobs, given) = channel();
        let app = app.clone();
        let thread =
            thread::Builder::new().name("decisions".into()).spawn(move || work(&app, &given, &news))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Has a decision carried out.
    pub fn decide(&self, ticket: Ticket, decision: Decision) {
        self.give(Job::Decide(ticket, decision));
    }

    /// Has a decision taken back.
    pub fn take_back(&self, ticket: Ticket) {
        self.give(Job::TakeBack(ticket));
    }

    fn give(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // It lives as long as its jobs come.
            let _ = jobs.send(job);
        }
    }

    /// Waits until everything is done.
    pub fn finish(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic in it has been told.
            let _ = thread.join();
        }
    }
}

impl Drop for Clerk {
    fn drop(&mut self) {
        self.finish();
    }
}

fn work(app: &App, jobs: &Receiver<Job>, news: &Sender<News>) {
    // The change in the journal that each decision was.
    let mut changes: BTreeMap<u64, u64> = BTreeMap::new();
    for job in jobs {
        let app = App { now: Timestamp::now(), ..app.clone() };
        let told = match job {
            Job::Decide(ticket, decision) => match decide(&app, &decision) {
                Ok((told, change)) => {
                    changes.extend(change.map(|change| (ticket.number, change)));
                    News::Done(ticket, told)
                }
                Err(error) => News::NotDone(ticket, messages::sentence(&error)),
            },
            Job::TakeBack(ticket) => match changes.remove(&ticket.number) {
                // It was never carried out.
                None => News::TakenBack(ticket),
                Some(change) => match undo::take_back(&app, change) {
                    Ok(_) => News::TakenBack(ticket),
                    Err(error) => News::NotTakenBack(ticket, messages::sentence(&error)),
                },
            },
        };
        // Where the screen is gone, what was decided is carried out all the same.
        let _ = news.send(told);
    }
}

/// Carries a decision out. Returns what came of it in a line, and the change in the journal that it was.
fn decide(app: &App, decision: &Decision) -> Result<(String, Option<u64>)> {
    let (done, change) = execute::one(app, action(decision), Way::Screen, decision)?;
    let told = match done {
        Done::Lesson(changed) => {
            let look = changed.warnings.first().map(|warning| format!("; look: {}", warning.message));
            format!("{}{}", changed.line(), look.unwrap_or_default())
        }
        Done::Candidate(said) => said.message,
    };
    Ok((told, change))
}

/// What the journal calls a decision.
fn action(decision: &Decision) -> &'static str {
    match decision {
        Decision::Promote { .. } => "promoted",
        Decision::Edit { .. } => "changed",
        Decision::Merge { .. } => "merged",
        Decision::Reject { .. } => "rejected",
        Decision::Skip { .. } => "skipped",
    }
}
