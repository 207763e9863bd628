//! The outcome of a lesson at a call.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use lessons_core::answer::{Advice, Decision, Situation, answer};
use lessons_core::approval::Guarded;
use lessons_core::claims::Fresh;
use lessons_core::compiled::Terms;
use lessons_core::matching::{self, Quiet, Views};
use lessons_core::project::Place;
use lessons_core::witness::Witness;
use serde::Serialize;

use crate::call_log::RecordedCall;
use crate::history::History;
use crate::trial::{Trial, TrialContext};

/// The outcome of a trial at one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialOutcome {
    /// None of its triggers matches.
    Quiet,
    /// A trigger matches, and this keeps the lesson quiet. Triggers are positions of the lesson alone.
    Near(Quiet),
    /// The lesson matches.
    Matched(LessonOutcome),
}

/// The outcome of a lesson that matches, in a session that has just begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LessonOutcome {
    /// The model is told, and the call runs.
    Told,
    /// The call is refused.
    Refused,
    /// Other lessons have precedence, or its text does not fit.
    LeftOut,
    /// The call needs the permission of a person, or is denied, so no lesson is told.
    Asked,
}

impl LessonOutcome {
    /// Whether the model would have been told of the lesson.
    pub fn is_fired(self) -> bool {
        matches!(self, Self::Told | Self::Refused)
    }
}

impl Trial {
    /// The outcome of the lesson at one call.
    pub fn outcome(
        &self,
        recorded: &RecordedCall<'_>,
        place: &Place<'_>,
        context: &TrialContext<'_>,
    ) -> TrialOutcome {
        let views = Views::new(&recorded.call, place);
        // Most calls end here. Whatever matches with all its conditions matches without them.
        let Ok(loose) = matching::matches(&self.loose, &views, recorded.agent, &context.now);
        if loose.is_empty() {
            return TrialOutcome::Quiet;
        }
        let mut first = First(None);
        let Ok(strict) =
            matching::matches_seen(self.alone(), &views, recorded.agent, &context.now, &mut first);
        if let (true, Some(why)) = (strict.is_empty(), first.0) {
            return TrialOutcome::Near(why);
        }
        let guarded = Guarded { home: context.home, user_home: context.user_home };
        let situation = Situation {
            lessons: Some(self.everything()),
            call: &recorded.call,
            agent: recorded.agent,
            place,
            guarded: &guarded,
            advice: &Advice::default(),
            clock: &context.now,
        };
        let Ok(answer) = answer(&situation, &mut Fresh);
        TrialOutcome::Matched(match answer.decision {
            Decision::Advise { lessons, .. } if lessons.contains(self.id()) => LessonOutcome::Told,
            Decision::Refuse { lessons, .. } if lessons.contains(self.id()) => LessonOutcome::Refused,
            Decision::Ask { .. } | Decision::Deny { .. } => LessonOutcome::Asked,
            Decision::Silent | Decision::Advise { .. } | Decision::Refuse { .. } => LessonOutcome::LeftOut,
        })
    }

    /// The number of calls on which the lesson would have fired, for a display that changes while somebody types.
    /// `stop` ends the count early, with what was counted by then.
    pub fn count(&self, history: &History, context: &TrialContext<'_>, stop: &AtomicBool) -> Count {
        let counted = history.each(|log| {
            let place = history.place(log);
            let mut count = Count::default();
            for recorded in log.calls() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                count.calls += 1;
                match self.outcome(&recorded, &place, context) {
                    TrialOutcome::Quiet => {}
                    TrialOutcome::Near(_) => count.near += 1,
                    TrialOutcome::Matched(outcome) => count.fired += usize::from(outcome.is_fired()),
                }
            }
            (log.session(), count)
        });
        let mut total = Count::default();
        let mut sessions = BTreeSet::new();
        for (session, count) in counted {
            total.calls += count.calls;
            total.fired += count.fired;
            total.near += count.near;
            if count.fired > 0 {
                sessions.insert(session);
            }
        }
        total.sessions = sessions.len();
        total
    }
}

/// The counts of a trial over a whole history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Count {
    /// Calls looked at.
    pub calls: usize,
    /// Those on which it would have fired.
    pub fired: usize,
    /// The sessions of those.
    pub sessions: usize,
    /// Those on which one of its triggers matches and something else keeps it quiet.
    pub near: usize,
}

/// The first reason that kept the lesson quiet.
struct First(Option<Quiet>);

impl Witness for First {
    fn quiet(&mut self, _: u32, _: &Terms, why: Quiet) {
        self.0 = Some(why);
    }
}
