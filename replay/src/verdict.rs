//! One call tried.

use lessons_core::answer::{Advice, Decision, Situation, answer};
use lessons_core::approval::Guarded;
use lessons_core::claims::Fresh;
use lessons_core::compiled::Terms;
use lessons_core::matching::{self, Quiet, Views};
use lessons_core::project::Place;
use lessons_core::witness::Witness;
use serde::Serialize;

use crate::tape::Recorded;
use crate::trial::{Around, Trial};

/// What a lesson would have done at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// None of its triggers matches.
    Quiet,
    /// A trigger matches, and this keeps it quiet. Triggers are positions of the lesson alone.
    Near(Quiet),
    /// It matches.
    Matched(Fate),
}

/// What becomes of a lesson that matches, in a session that has just begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// The model is told, and the call runs.
    Told,
    /// The call is refused.
    Refused,
    /// Other lessons came first, or its text does not fit.
    LeftOut,
    /// The call is one that only a person may allow, or none at all: nothing else is said.
    Asked,
}

impl Fate {
    /// Whether the model would have heard of the lesson.
    pub fn is_fired(self) -> bool {
        matches!(self, Self::Told | Self::Refused)
    }
}

/// Tries a call.
pub(crate) fn of(trial: &Trial, recorded: &Recorded<'_>, place: &Place<'_>, around: &Around<'_>) -> Verdict {
    let views = Views::new(&recorded.call, place);
    // Most calls end here. Whatever matches with all its conditions matches without them.
    let Ok(loose) = matching::matches(&trial.loose, &views, recorded.agent, &around.now);
    if loose.is_empty() {
        return Verdict::Quiet;
    }
    let mut first = First(None);
    let Ok(strict) = matching::matches_seen(trial.alone(), &views, recorded.agent, &around.now, &mut first);
    if let (true, Some(why)) = (strict.is_empty(), first.0) {
        return Verdict::Near(why);
    }
    let guarded = Guarded { home: around.home, user_home: around.user_home };
    let situation = Situation {
        lessons: Some(trial.everything()),
        call: &recorded.call,
        agent: recorded.agent,
        place,
        guarded: &guarded,
        advice: &Advice::default(),
        clock: &around.now,
    };
    let Ok(answer) = answer(&situation, &mut Fresh);
    Verdict::Matched(match answer.decision {
        Decision::Advise { lessons, .. } if lessons.contains(trial.id()) => Fate::Told,
        Decision::Refuse { lessons, .. } if lessons.contains(trial.id()) => Fate::Refused,
        Decision::Ask { .. } | Decision::Deny { .. } => Fate::Asked,
        Decision::Silent | Decision::Advise { .. } | Decision::Refuse { .. } => Fate::LeftOut,
    })
}

/// What kept the one lesson quiet.
struct First(Option<Quiet>);

impl Witness for First {
    fn quiet(&mut self, _: u32, _: &Terms, why: Quiet) {
        self.0 = Some(why);
    }
}
