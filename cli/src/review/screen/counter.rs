//! How often a lesson would have fired, counted beside the screen.
//!
//! The sessions on disk are read once. What was asked last is counted first, and a count that nobody waits for
//! any more is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use anyhow::Result;
use lessons_core::id::{Layer, QualifiedId};
use lessons_core::lesson::When;
use lessons_core::payload::Contents;
use lessons_replay::history::History;
use lessons_replay::report::Replay;

use super::draft::Draft;
use super::state::{Count, Detail, Measure, News};
use crate::app::App;
use crate::change;
use crate::review::dossier::Whole;
use crate::review::promotion;
use crate::trials::{self, Machine};
use crate::{fields, messages, project_names};

/// How many examples are handed on.
const EXAMPLES: usize = 3;

/// One who counts.
#[derive(Debug)]
pub struct Counter {
    jobs: Sender<Job>,
    /// Whether something else is to be counted now.
    stop: Arc<AtomicBool>,
}

/// A draft of a candidate.
type Job = (usize, Draft);

impl Counter {
    /// One who tells `news` what was counted. It ends with the program: nothing that it does has to be finished.
    pub fn hire(app: &App, candidates: Vec<Whole>, news: Sender<News>) -> std::io::Result<Self> {
        let (jobs, given) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            machine: Machine::of(app),
            app: app.clone(),
            candidates,
            history: None,
            stop: Arc::clone(&stop),
        };
        thread::Builder::new().name("replay".into()).spawn(move || work.run(&given, &news))?;
        Ok(Self { jobs, stop })
    }

    /// Has a draft of a candidate counted.
    pub fn count(&self, at: usize, draft: Draft) {
        self.stop.store(true, Ordering::SeqCst);
        // It lives as long as its jobs come.
        let _ = self.jobs.send((at, draft));
    }
}

struct Work {
    app: App,
    machine: Machine,
    candidates: Vec<Whole>,
    history: Option<(Contents, History)>,
    stop: Arc<AtomicBool>,
}

impl Work {
    fn run(&mut self, jobs: &Receiver<Job>, news: &Sender<News>) {
        let mut waiting: Vec<Job> = Vec::new();
        loop {
            if waiting.is_empty() {
                let Ok(job) = jobs.recv() else { return };
                waiting.push(job);
            }
            self.stop.store(false, Ordering::SeqCst);
            loop {
                match jobs.try_recv() {
                    Ok(job) => {
                        // Of one candidate only the latest draft is asked for.
                        waiting.retain(|(at, _)| *at != job.0);
                        waiting.push(job);
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            let Some((at, draft)) = waiting.pop() else { continue };
            let told = |measure| news.send(News::Measured(at, draft.clone(), measure)).is_ok();
            let counted = self.measure(at, &draft, &told);
            let measure = counted.unwrap_or_else(|error| Some(Measure::Cannot(messages::sentence(&error))));
            match measure {
                Some(measure) => {
                    if !told(measure) {
                        return;
                    }
                }
                // Something else came first.
                None => waiting.insert(0, (at, draft)),
            }
        }
    }

    /// Counts a draft: first how often, then what came of it. `None` where it was stopped.
    fn measure(
        &mut self,
        at: usize,
        draft: &Draft,
        told: &dyn Fn(Measure) -> bool,
    ) -> Result<Option<Measure>> {
        let Some(whole) = self.candidates.get(at) else { return Ok(Some(Measure::Unasked)) };
        if draft.when == When::Session {
            return Ok(Some(Measure::Cannot("it is told at the start of every session".into())));
        }
        if draft.triggers.is_empty() {
            return Ok(Some(Measure::Cannot("it has no trigger, so it fires nowhere".into())));
        }
        let mut lesson = promotion::proposed(&self.app, &whole.candidate)?;
        let project = |text: &str| project_names::project_key(&self.app, text);
        fields::apply(&draft.changes(whole), &mut lesson, &project)?;
        let id = QualifiedId { layer: Layer::User, id: change::placeholder_id()? };
        let trial = trials::trial(&self.app, &id, &lesson)?;
        let wanted = trial.contents();
        let is_enough =
            |(contents, _): &(Contents, History)| *contents == wanted || *contents == Contents::Keep;
        if !self.history.as_ref().is_some_and(is_enough) {
            self.history = Some((wanted, trials::history(&self.app, wanted, &())?));
        }
        let Some((_, history)) = &self.history else { return Ok(None) };
        if history.is_empty() {
            return Ok(Some(Measure::Cannot("no session on this machine has a call to try it on".into())));
        }
        let around = self.machine.around();
        let quick = trial.count(history, &around, &self.stop);
        if self.stop.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let mut count =
            Count { all: quick.calls, calls: quick.fired, sessions: quick.sessions, detail: None };
        told(Measure::Counted(Box::new(count.clone())));
        let Some(replay) = Replay::unless_stopped(&trial, history, &around, &self.stop) else {
            return Ok(None);
        };
        count.detail = Some(Detail {
            projects: replay.fired.projects,
            failed: replay.fired.failed,
            refused: replay.fired.refused,
            examples: replay
                .hits
                .iter()
                .take(EXAMPLES)
                .map(|hit| format!("{}x {}", hit.calls, hit.sample))
                .collect(),
        });
        Ok(Some(Measure::Counted(Box::new(count))))
    }
}
