//! The outcome of a lesson at a call.

use lessons_decide::answer::answer;
use lessons_decide::{Advice, Decision, Fresh, GuardedPaths, Situation};
use lessons_index::{Index, Mismatch, Tracer, Views, matching};
use lessons_lesson::{Call, ProjectLocation, Terms};
use serde::Serialize;

use crate::call_log::RecordedCall;
use crate::trial::{ReadyTrial, TrialContext};

/// The outcome of a trial at one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialOutcome {
    /// None of its triggers matches.
    Quiet,
    /// A trigger matches, and this keeps the lesson quiet. Triggers are positions of the lesson alone.
    Near(Mismatch),
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

impl TrialContext<'_> {
    /// What a call gets in a session that has just begun; `None` where the index is corrupt.
    pub fn decision(
        &self,
        index: &Index<'_>,
        call: &Call<'_>,
        agent: &str,
        place: &ProjectLocation<'_>,
    ) -> Option<Decision> {
        let guarded = GuardedPaths { home: self.home, user_home: self.user_home };
        let (index, guarded, clock) = (Some(index), &guarded, &self.now);
        let situation = Situation { index, call, agent, place, guarded, advice: &Advice::default(), clock };
        answer(&situation, &mut Fresh).ok().map(|answer| answer.decision)
    }
}

impl ReadyTrial<'_> {
    /// The outcome of the lesson at one call.
    pub(crate) fn outcome(&self, recorded: &RecordedCall) -> TrialOutcome {
        let before = self.outcome_of(&recorded.call, &recorded.agent);
        let failed = if self.trial.looks_at_errors() { recorded.failed() } else { None };
        match (before, failed.map(|failed| self.outcome_of(&failed, &recorded.agent))) {
            (TrialOutcome::Matched(_), _) | (_, None) => before,
            (_, Some(after @ TrialOutcome::Matched(_))) | (TrialOutcome::Quiet, Some(after)) => after,
            (TrialOutcome::Near(_), Some(_)) => before,
        }
    }

    /// The outcome at a call, before it was made or after it has failed.
    fn outcome_of(&self, call: &Call<'_>, agent: &str) -> TrialOutcome {
        let views = Views::new(call, &self.place);
        let mut first = FirstMismatch(None);
        let found = matching::matches(&self.alone, &views, agent, &self.context.now, &mut first);
        if found.is_ok_and(|found| found.is_empty()) {
            return first.0.map_or(TrialOutcome::Quiet, TrialOutcome::Near);
        }
        let Some(decision) = self.context.decision(&self.everything, call, agent, &self.place) else {
            return TrialOutcome::Quiet;
        };
        let id = self.trial.id();
        TrialOutcome::Matched(match decision {
            Decision::Advise { lessons, .. } if lessons.contains(id) => LessonOutcome::Told,
            Decision::Refuse { lessons, .. } if lessons.contains(id) => LessonOutcome::Refused,
            Decision::Ask { .. } | Decision::Question(_) => LessonOutcome::Asked,
            Decision::Silent | Decision::Advise { .. } | Decision::Refuse { .. } => LessonOutcome::LeftOut,
        })
    }
}

/// The first reason that kept the one lesson from matching although one of its triggers matches.
struct FirstMismatch(Option<Mismatch>);

impl Tracer for FirstMismatch {
    fn mismatch(&mut self, _: u32, _: &Terms, why: Mismatch) {
        self.0 = Some(why);
    }
}
