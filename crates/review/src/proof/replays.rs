//! Replays of lessons that are recorded or are to refuse calls, over the past sessions.
//!
//! Reading the past sessions takes seconds, and a command that holds the lock blocks every other command. So a change
//! is worked out first. If a lesson must be replayed for it, the attempt fails with [`ReplayNeeded`], the lesson is
//! replayed without the lock, and the change is worked out again.

use lessons_context::context::Context;
use lessons_context::error;
use lessons_context::error::{Error, Result};
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Lesson;
use lessons_lesson::payload::Contents;
use lessons_replay::report::Replay;
use lessons_replay::trial::Trial;

use super::fire_alike;
use crate::trials::{self, MachineFacts};

/// Lessons that were replayed, each with its replay or the reason why there is none.
#[derive(Debug, Default)]
pub struct LessonReplays(Vec<(Lesson, Result<Replay, String>)>);

/// An error: these lessons must be replayed before the change can be judged.
#[derive(Debug, thiserror::Error)]
#[error("it has to be tried on the past first")]
struct ReplayNeeded(Vec<Lesson>);

/// Attempts a change until every lesson that it needs replayed has been. The caller must not hold the lock.
pub fn with_replays<T>(context: &Context, mut attempt: impl FnMut(&LessonReplays) -> Result<T>) -> Result<T> {
    let mut replays = LessonReplays::default();
    loop {
        match attempt(&replays).map_err(Error::downcast::<ReplayNeeded>) {
            Ok(done) => return Ok(done),
            Err(Ok(needed)) => replays.add(context, needed)?,
            Err(Err(error)) => return Err(error),
        }
    }
}

impl LessonReplays {
    /// The replay of a lesson that fires at the same calls, if there was one.
    pub fn get(&self, lesson: &Lesson) -> Option<&Result<Replay, String>> {
        let is_same = |replayed: &&(Lesson, _)| replayed.0.id == lesson.id && fire_alike(&replayed.0, lesson);
        self.0.iter().find(is_same).map(|(_, replay)| replay)
    }

    /// Fails with [`ReplayNeeded`] if one of the lessons was not replayed yet.
    pub(super) fn require<'l>(&self, lessons: impl Iterator<Item = &'l Lesson>) -> Result<()> {
        let missing: Vec<Lesson> = lessons.filter(|lesson| self.get(lesson).is_none()).cloned().collect();
        if missing.is_empty() { Ok(()) } else { Err(Error::of(ReplayNeeded(missing))) }
    }

    /// Replays lessons over the sessions of this machine.
    fn add(&mut self, context: &Context, ReplayNeeded(lessons): ReplayNeeded) -> Result<()> {
        let machine = MachineFacts::of(context);
        let trials: Vec<(Lesson, Result<Trial>)> = lessons
            .into_iter()
            .map(|lesson| {
                let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
                let trial = trials::trial(context, &id, &lesson);
                (lesson, trial)
            })
            .collect();
        let needs_contents = |(_, trial): &(Lesson, Result<Trial>)| {
            trial.as_ref().is_ok_and(|trial| trial.contents() == Contents::Keep)
        };
        let contents = if trials.iter().any(needs_contents) { Contents::Keep } else { Contents::Skip };
        let history = trials::history(context, contents)?;
        for (lesson, trial) in trials {
            let replay = match trial {
                _ if history.is_empty() => {
                    Err("there are no sessions on this machine to try it on first".to_owned())
                }
                Ok(trial) => Ok(Replay::of(&trial, &history, &machine.context())),
                Err(why) => Err(error::sentence(&why)),
            };
            self.0.push((lesson, replay));
        }
        Ok(())
    }
}
