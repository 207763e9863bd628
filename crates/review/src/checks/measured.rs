//! The past calls at which lessons fire, measured together: the sessions are read once.

use lessons_context::{Context, Error, Result};
use lessons_index::Settings;
use lessons_lesson::{Layer, Lesson, QualifiedId};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::single;
use lessons_replay::CallShare;
use lessons_replay::call_share::FEWEST_CALLS;
use lessons_replay::report::Replay;
use lessons_replay::trial::Trial;

use crate::trials::{self, MachineFacts};

/// The most lessons that are replayed, the first ones.
pub const MOST_LESSONS: usize = 300;

/// A lesson to measure, which fires under `roots`, or everywhere for `None`.
pub struct MeasuredLesson<'l> {
    /// Its id.
    pub id: QualifiedId,
    /// The lesson.
    pub lesson: &'l Lesson,
    /// The folders below which it fires; `None` for everywhere.
    pub roots: Option<Vec<String>>,
}

impl<'l> MeasuredLesson<'l> {
    /// A lesson of the user; `None` if it is for projects that this machine does not know.
    pub fn of_user(context: &Context, lesson: &'l Lesson) -> Option<Self> {
        let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
        Some(Self { id, lesson, roots: trials::roots(context, lesson).ok()? })
    }
}

/// The shares of the past calls at which lessons fire.
#[derive(Debug, Default)]
pub struct MeasuredShares {
    /// The share of each lesson. None where there are too few calls to judge by.
    pub of: Vec<(QualifiedId, CallShare)>,
    /// The number of lessons that were not tried, because it would take too long.
    pub untried: usize,
}

impl MeasuredShares {
    /// The lessons that are too broad.
    pub fn too_broad(&self) -> impl Iterator<Item = &(QualifiedId, CallShare)> {
        self.of.iter().filter(|(_, share)| share.is_too_broad())
    }
}

/// Replays lessons, each alone, over the sessions of this machine. A lesson that cannot be compiled is left out.
pub fn measure(
    context: &Context,
    lessons: &[MeasuredLesson<'_>],
    patterns: &Patterns,
) -> Result<MeasuredShares> {
    let untried = lessons.len().saturating_sub(MOST_LESSONS);
    let mut trials = Vec::new();
    for MeasuredLesson { id, lesson, roots } in lessons.iter().take(MOST_LESSONS) {
        let Ok(alone) = single::alone(id, lesson, roots.clone(), Settings::default(), patterns) else {
            continue;
        };
        trials.push((id, Trial::new(alone, patterns).map_err(Error::of)?));
    }
    let history = trials::history_for(context, trials.iter().map(|(_, trial)| trial))?;
    if history.len() < FEWEST_CALLS {
        return Ok(MeasuredShares::default());
    }
    let machine = MachineFacts::of(context);
    let share = |trial: &Trial| Replay::numbers(trial, &history, &machine.context()).share;
    let shares = trials.iter().map(|(id, trial)| ((*id).clone(), share(trial)));
    Ok(MeasuredShares { of: shares.collect(), untried })
}
