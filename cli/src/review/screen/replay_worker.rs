//! A thread that replays drafts over the past sessions.
//!
//! The sessions on disk are read once. The newest request is served first; a replay that is no longer wanted is
//! interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use anyhow::Result;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::{Mode, When};
use lessons_lesson::payload::Contents;
use lessons_replay::history::History;
use lessons_replay::report::{Group, Replay};
use lessons_review::project_names;

use super::draft::LessonDraft;
use super::state::{EffectResult, FireCount, FireDetail, ReplayStatus};
use crate::app::App;
use crate::review::candidate_details::FullDetails;
use crate::review::promotion;
use crate::trials::{self, MachineFacts};
use crate::{change, fields, messages};

/// The most examples that a result carries.
const EXAMPLES: usize = 3;

/// The thread that replays drafts.
#[derive(Debug)]
pub struct ReplayWorker {
    jobs: Sender<Job>,
    /// Set to interrupt the running replay for a newer request.
    stop: Arc<AtomicBool>,
}

/// A request: the position of a candidate and the draft to replay.
type Job = (usize, LessonDraft);

impl ReplayWorker {
    /// Starts the thread. It reports each count to `results` and ends with the program: none of its work has to be
    /// finished.
    pub fn spawn(
        app: &App,
        candidates: Vec<FullDetails>,
        results: Sender<EffectResult>,
    ) -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            machine: MachineFacts::of(app),
            app: app.clone(),
            candidates,
            history: None,
            stop: Arc::clone(&stop),
        };
        thread::Builder::new().name("replay".into()).spawn(move || work.run(&queue, &results))?;
        Ok(Self { jobs, stop })
    }

    /// Requests the replay of a draft.
    pub fn count(&self, at: usize, draft: LessonDraft) {
        self.stop.store(true, Ordering::SeqCst);
        // The thread lives until this sender is dropped, so sending cannot fail.
        let _ = self.jobs.send((at, draft));
    }
}

struct Work {
    app: App,
    machine: MachineFacts,
    candidates: Vec<FullDetails>,
    history: Option<(Contents, History)>,
    stop: Arc<AtomicBool>,
}

impl Work {
    fn run(&mut self, jobs: &Receiver<Job>, results: &Sender<EffectResult>) {
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
                        // Only the latest draft of a candidate matters.
                        waiting.retain(|(at, _)| *at != job.0);
                        waiting.push(job);
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            let Some((at, draft)) = waiting.pop() else { continue };
            let report = |measure| results.send(EffectResult::Replayed(at, draft.clone(), measure)).is_ok();
            let counted = self.measure(at, &draft, &report);
            let measure =
                counted.unwrap_or_else(|error| Some(ReplayStatus::Cannot(messages::sentence(&error))));
            match measure {
                Some(measure) => {
                    if !report(measure) {
                        return;
                    }
                }
                // A newer request interrupted it: try again later.
                None => waiting.insert(0, (at, draft)),
            }
        }
    }

    /// Replays a draft: first the count, then the facts about the calls. `None` if it was interrupted.
    fn measure(
        &mut self,
        at: usize,
        draft: &LessonDraft,
        report: &dyn Fn(ReplayStatus) -> bool,
    ) -> Result<Option<ReplayStatus>> {
        let Some(details) = self.candidates.get(at) else { return Ok(Some(ReplayStatus::Unasked)) };
        if draft.when == When::Session {
            return Ok(Some(ReplayStatus::Cannot("it is given at the start of every session".into())));
        }
        if draft.triggers.is_empty() {
            return Ok(Some(ReplayStatus::Cannot("it has no trigger, so it fires nowhere".into())));
        }
        let mut lesson = promotion::proposed(&self.app, &details.candidate)?;
        let project = |text: &str| project_names::project_key(&self.app, text);
        fields::apply(&draft.changes(details), &mut lesson, &project)?;
        if details.proposes_bump && lesson.mode == Mode::Advise {
            // Before the person is asked, the replay shows what the proposed mode would do.
            lesson.mode = Mode::Bump;
        }
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
            return Ok(Some(ReplayStatus::Cannot(
                "no session on this machine has a call to try it on".into(),
            )));
        }
        let context = self.machine.context();
        let quick = trial.count(history, &context, &self.stop);
        if self.stop.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let mut count = FireCount {
            all: quick.calls,
            calls: quick.fired,
            sessions: quick.sessions,
            room: quick.room,
            detail: None,
        };
        report(ReplayStatus::Counted(Box::new(count.clone())));
        let Some(replay) = Replay::unless_stopped(&trial, history, &context, &self.stop) else {
            return Ok(None);
        };
        count.detail = Some(FireDetail {
            projects: replay.fired.projects,
            failed: replay.fired.failed,
            refused: replay.fired.refused,
            examples: in_words(&replay.hits),
            passes: in_words(&replay.near_misses),
        });
        Ok(Some(ReplayStatus::Counted(Box::new(count))))
    }
}

/// A few groups of calls, each in one line.
fn in_words(groups: &[Group]) -> Vec<String> {
    groups.iter().take(EXAMPLES).map(|group| format!("{}x {}", group.calls, group.sample)).collect()
}
