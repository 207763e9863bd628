//! Lessons tried on the past before they may refuse calls.
//!
//! To read the past takes seconds, and whoever holds the lock keeps every other command waiting. So a change is
//! worked out first; where a lesson has to be tried for it, the change is given up with [`Untried`], the lesson is
//! tried without the lock, and the change is worked out again.

use std::fmt;

use anyhow::Result;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Lesson;
use lessons_lesson::payload::Contents;
use lessons_replay::history::ReadingWatcher;
use lessons_replay::report::Replay;
use lessons_replay::trial::Trial;

use super::{Way, fire_alike};
use crate::app::App;
use crate::messages;
use crate::trials::{self, Machine, Reading};

/// What came of trying lessons: a replay, or why there is none.
#[derive(Debug, Default)]
pub(crate) struct Tried(Vec<(Lesson, Result<Replay, String>)>);

/// Lessons that have to be tried before it can be told whether they may refuse calls.
#[derive(Debug)]
pub(crate) struct Untried {
    pub(crate) lessons: Vec<Lesson>,
    pub(crate) way: Way,
}

impl fmt::Display for Untried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it has to be tried on the past first")
    }
}

impl std::error::Error for Untried {}

/// Attempts a change until all that it needs has been tried. The lock must not be held.
pub(crate) fn proving<T>(app: &App, mut attempt: impl FnMut(&Tried) -> Result<T>) -> Result<T> {
    let mut tried = Tried::default();
    loop {
        match attempt(&tried).map_err(anyhow::Error::downcast::<Untried>) {
            Ok(done) => return Ok(done),
            Err(Ok(untried)) => tried.add(app, untried)?,
            Err(Err(error)) => return Err(error),
        }
    }
}

impl Tried {
    /// What came of trying a lesson, if one was tried that fires where it does.
    pub(crate) fn get(&self, lesson: &Lesson) -> Option<&Result<Replay, String>> {
        let is_it = |tried: &&(Lesson, _)| tried.0.id == lesson.id && fire_alike(&tried.0, lesson);
        self.0.iter().find(is_it).map(|(_, result)| result)
    }

    fn add(&mut self, app: &App, Untried { lessons, way }: Untried) -> Result<()> {
        let machine = Machine::of(app);
        let ready: Vec<(Lesson, Result<Trial>)> = lessons
            .into_iter()
            .map(|lesson| {
                let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
                let trial = trials::trial(app, &id, &lesson);
                (lesson, trial)
            })
            .collect();
        let looks = |(_, trial): &(Lesson, Result<Trial>)| {
            trial.as_ref().is_ok_and(|trial| trial.contents() == Contents::Keep)
        };
        let contents = if ready.iter().any(looks) { Contents::Keep } else { Contents::Skip };
        let reading = Reading::of(app);
        // The screen has a terminal of its own.
        let watcher: &dyn ReadingWatcher = if way == Way::Screen { &() } else { &reading };
        let history = trials::history(app, contents, watcher)?;
        reading.finish();
        for (lesson, trial) in ready {
            let result = match trial {
                _ if history.is_empty() => {
                    Err("there are no sessions on this machine to try it on first".to_owned())
                }
                Ok(trial) => Ok(Replay::of(&trial, &history, &machine.context())),
                Err(why) => Err(messages::sentence(&why)),
            };
            self.0.push((lesson, result));
        }
        Ok(())
    }
}
