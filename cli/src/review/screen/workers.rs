//! A thread that tries lessons on the past sessions. The sessions on disk are read once; the newest request is served first.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use jiff::Timestamp;
use lessons_context::Context;
use lessons_home::files;
use lessons_ledger::candidates::MIN_PREFIX;
use lessons_lesson::{Contents, Lesson, When};
use lessons_replay::{Group, History, Replay};
use lessons_review::change::{Saved, undo};
use lessons_review::{ChangeOrigin, MachineFacts, Terms, carry_out, trials};
use lessons_store::durable;

use super::state::EffectResult;
use crate::prelude::*;
use crate::review::Decision;
use crate::review::candidate_details::CandidateDetails;
use crate::ui::rows::Rows;

/// The most bytes of the bookmark file that are read.
const LIMIT: u64 = 64;

/// The position among `candidates` at which the last review stopped; 0 if unknown.
pub(super) fn bookmarked(app: &App, candidates: &[CandidateDetails]) -> usize {
    let Ok(Some(bytes)) = files::read(&app.home.bookmark(), LIMIT) else { return 0 };
    let text = String::from_utf8_lossy(&bytes);
    let start = text.trim();
    let is_meant =
        |details: &CandidateDetails| start.len() >= MIN_PREFIX && details.candidate.id.starts_with(start);
    candidates.iter().position(is_meant).unwrap_or(0)
}

/// Stores the id of the candidate at which the review stopped; `None` removes the bookmark.
pub(super) fn bookmark(app: &App, candidate: Option<&str>) -> Result<()> {
    let file = app.home.bookmark();
    match candidate.and_then(|id| id.get(..MIN_PREFIX)) {
        Some(start) => durable::replace(&file, format!("{start}\n").as_bytes())?,
        None => durable::remove(&file)?,
    }
    Ok(())
}

/// A decision about the candidate at a position; without one, the last one about it is taken back.
pub(super) type DecisionJob = (usize, Option<Decision>);

/// Saves decisions one after another, in the order in which they were made, until no more can come. Reports each result.
pub(super) fn carry_out_decisions(app: &App, jobs: &Receiver<DecisionJob>, results: &Sender<EffectResult>) {
    // The journal change of the last decision about each candidate, by its position.
    let mut changes: BTreeMap<usize, u64> = BTreeMap::new();
    for (at, decision) in jobs {
        let app = app.within(Context { now: Timestamp::now(), ..app.context.clone() });
        let result = if let Some(decision) = decision {
            let result = decide(&app, &decision).map(|(told, change)| {
                changes.extend(change.map(|change| (at, change)));
                told
            });
            EffectResult::Decided(at, result.map_err(|error| messages::sentence(&error)))
        } else {
            // Without a change, the decision was never saved.
            let result = changes.remove(&at).map_or(Ok(()), |change| undo::take_back(&app, change).map(drop));
            EffectResult::TakenBack(at, result.map_err(|error| messages::sentence(&error)))
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

/// The most calls that a result shows.
const EXAMPLES: usize = 3;
/// The longest line about a call, in characters.
const LINE: usize = 100;

/// What is tried: the position of a candidate, its lesson, and the decision that would save it, whose warnings are wanted.
pub(super) type TrialJob = (usize, Box<Lesson>, Option<Decision>);

/// Starts the thread, which takes jobs from the sender and reports to `results`. It ends with the program: none of its work has to be
/// finished.
pub(super) fn spawn(app: &App, results: Sender<EffectResult>) -> std::io::Result<Sender<TrialJob>> {
    let (jobs, queue) = channel();
    let mut work = Work { machine: MachineFacts::of(app), app: app.clone(), history: None };
    thread::Builder::new().name("trials".into()).spawn(move || work.run(&queue, &results))?;
    Ok(jobs)
}

struct Work {
    app: App,
    machine: MachineFacts,
    history: Option<(Contents, History)>,
}

impl Work {
    fn run(&mut self, jobs: &Receiver<TrialJob>, results: &Sender<EffectResult>) {
        let mut waiting: Vec<TrialJob> = Vec::new();
        loop {
            if waiting.is_empty() {
                let Ok(job) = jobs.recv() else { return };
                waiting.push(job);
            }
            for job in jobs.try_iter() {
                // Only the latest lesson of a candidate matters.
                waiting.retain(|(at, ..)| *at != job.0);
                waiting.push(job);
            }
            let Some((at, lesson, decision)) = waiting.pop() else { continue };
            let mut rows = Rows::default();
            if let Err(error) = self.try_lesson(&lesson, &mut rows) {
                rows.add("replay", messages::sentence(&error));
            }
            self.warn(decision, &mut rows);
            if results.send(EffectResult::Tried(at, lesson, rows)).is_err() {
                return;
            }
        }
    }

    /// Adds what a lesson would have done in the past.
    fn try_lesson(&mut self, lesson: &Lesson, rows: &mut Rows) -> Result<()> {
        if lesson.when == When::Session {
            bail!(Refused("it is given at the start of every session".into()));
        }
        if lesson.triggers.is_empty() {
            bail!(Refused("it has no trigger, so it fires nowhere".into()));
        }
        let trial = trials::trial(&self.app, &lesson.user_id(), lesson)?;
        let wanted = trial.contents();
        let history = match self.history.take() {
            Some((contents, history)) if contents == wanted || contents == Contents::Keep => {
                (contents, history)
            }
            _ => (wanted, trials::history(&self.app, wanted)?),
        };
        let (_, history) = self.history.insert(history);
        if history.is_empty() {
            bail!(Refused("no session on this machine has a call to try it on".into()));
        }
        let replay = Replay::of(&trial, history, &self.machine.context());
        rows.add("replay", in_words(&replay));
        let fired = if replay.fired.refused > 0 { "blocks" } else { "" };
        rows.add_each(fired, calls(&replay.hits));
        rows.add_each("passes", calls(&replay.near_misses));
        Ok(())
    }

    /// Adds what would be said when the lesson is saved.
    fn warn(&self, decision: Option<Decision>, rows: &mut Rows) {
        let Some(decision) = decision else { return };
        let remedy = prompt::remedy(&self.app);
        let terms = Terms { done: decision.done(), origin: ChangeOrigin::Screen, remedy };
        match carry_out::preview(&self.app, terms, &[decision]) {
            Ok(planned) => {
                rows.add_each("warning", planned.warnings().map(|warning| warning.message.clone()));
            }
            Err(error) => {
                rows.add("trouble", format!("p would be refused: {}", messages::sentence(&error)));
            }
        }
    }
}

/// A few groups of calls, each in one line.
fn calls(groups: &[Group]) -> impl Iterator<Item = String> {
    let sample = |group: &Group| shortened(&line(&group.sample.to_string()), LINE);
    groups.iter().take(EXAMPLES).map(move |group| format!("{}x {}", group.calls, sample(group)))
}

fn in_words(replay: &Replay) -> String {
    let (fired, all) = (&replay.fired, counted(replay.looked_at.calls, "call"));
    if fired.calls == 0 {
        return format!("would have fired at none of {all}");
    }
    let sessions = counted(fired.sessions, "session");
    let mut parts = vec![format!("would have fired at {} of {all}, in {sessions}", fired.calls)];
    parts.extend(replay.room.is_known().then(|| format!("it {}", replay.room)));
    parts.push(format!("{} failed", share(fired.failed, fired.calls)));
    if fired.projects > 1 {
        parts.push(format!("they were in {}", counted(fired.projects, "project")));
    }
    if fired.refused > 0 {
        parts.push(format!("it would have blocked {}", share(fired.refused, fired.calls)));
    }
    parts.join("; ")
}

/// A part of a number, with its share in per cent.
fn share(part: usize, all: usize) -> String {
    let all = all.max(1);
    format!("{part} ({} %)", (part * 100 + all / 2) / all)
}
