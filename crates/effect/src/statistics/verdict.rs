//! What the numbers say of a lesson, and the change that they propose. A person decides.

use std::fmt;

use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Mode;
use lessons_text::wording::counted;
use serde::Serialize;

use super::conduct::{AfterRefusal, Untold};
use crate::join::measure::{HasUnless, Measure};
use lessons_replay::bounds::{HARDLY_ANY, clopper_pearson_upper, hardly_comes_again, wilson_lower};
use lessons_replay::tally::{NotEnoughData, Tally};

/// A trigger is too wide where at least this share of refused calls was meant, with 95 % certainty.
const TOO_MANY: f64 = 0.2;
/// The fewest refused calls, and the fewest sessions of them, by which that is judged.
const FEWEST_REFUSED: (u64, u64) = (10, 5);
/// The fewest sessions of a model without a mistake that are worth a word: as many as make the mistake rare.
const FEWEST_WITHOUT: u64 = 29;

/// The verdict on a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "is")]
pub enum Verdict {
    /// Told lessons: the call hardly ever comes again in a session, and advice arrives after it.
    CannotHelp,
    /// Lessons that refuse: too many of the refused calls were made again unchanged.
    TooWide,
    /// The model gets it right before it is told anything.
    NoLongerNeeded {
        /// The model.
        model: String,
    },
    /// The lesson has not come up with the newest model. No change follows from that: nobody knows whether it had a chance.
    NotComeUp {
        /// The sessions of that model.
        sessions: u64,
        /// The model.
        model: String,
        /// The time at which it came up last, in milliseconds since 1970.
        last: u64,
    },
    /// The lesson has no trigger, so no call can show what it does.
    NotMeasured,
    /// Too few sessions to say anything.
    NotEnough {
        /// How many there are.
        data: NotEnoughData,
    },
    /// None of these. Whether telling changes anything takes sessions in which the lesson is left out by lot.
    Open,
}

impl fmt::Display for Verdict {
    /// The heading under which lessons with this verdict stand.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CannotHelp => "cannot help as advice",
            Self::TooWide => "too wide",
            Self::NoLongerNeeded { .. } => "no longer needed",
            Self::NotComeUp { .. } => "has not come up",
            Self::NotMeasured => "not measured",
            Self::NotEnough { .. } => "not enough data",
            Self::Open => "open",
        })
    }
}

/// A proposed change of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// The reason, in a sentence without its period: `comes once in 59 of 61 sessions, advice comes after it`.
    pub reason: String,
    /// The command that carries it out, such as `lessons deprecate venv-pip`.
    pub command: String,
}

/// What is at stake where a mistake is not stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stake {
    /// Data, or something as bad: the lesson is critical, or tagged so.
    Data,
    /// Time.
    Time,
}

/// What a verdict is based on.
pub(super) struct Evidence<'e> {
    pub(super) id: &'e QualifiedId,
    pub(super) mode: Mode,
    pub(super) stake: Stake,
    pub(super) measure: Measure,
    pub(super) has_unless: HasUnless,
    /// The sessions that count.
    pub(super) sessions: u64,
    pub(super) room: Tally,
    pub(super) refused: AfterRefusal,
    /// The sessions whose first refused call was made again unchanged.
    pub(super) overruled_in: u64,
    pub(super) untold: &'e [Untold],
    /// The newest model.
    pub(super) newest: Option<&'e str>,
    /// If it has not come up with the newest model: when it came up last, and the sessions of that model.
    pub(super) since_last: Option<(u64, u64)>,
}

/// The verdict: the first rule that holds.
pub(super) fn of(evidence: &Evidence<'_>) -> (Verdict, Option<Proposal>) {
    let Evidence { mode, room, refused, .. } = *evidence;
    if evidence.measure == Measure::None {
        return (Verdict::NotMeasured, None);
    }
    let is_measured = matches!(evidence.measure, Measure::Repeat | Measure::Failure);
    if mode == Mode::Advise && is_measured && hardly_comes_again(room) {
        let reason = format!(
            "the call comes once in {} of {}, and a reminder arrives after it",
            room.n - room.k,
            counted(room.n, "session")
        );
        return (Verdict::CannotHelp, Some(Proposal { reason, command: evidence.other_mode() }));
    }
    let (calls, sessions) = FEWEST_REFUSED;
    if refused.calls() >= calls
        && refused.sessions >= sessions
        && wilson_lower(evidence.overruled_in, refused.sessions) >= TOO_MANY
    {
        let reason = format!(
            "{} of {} were made again unchanged: narrow it with `unless`",
            refused.overruled,
            counted(refused.calls(), "blocked call")
        );
        return (
            Verdict::TooWide,
            Some(Proposal { reason, command: format!("lessons replay {}", evidence.id) }),
        );
    }
    let newest = evidence.untold.iter().find(|untold| evidence.newest == Some(untold.model.as_str()));
    if let Some(Untold { model, right, wrong }) = newest
        && evidence.has_unless == HasUnless::Yes
        && clopper_pearson_upper(*wrong, right + wrong) <= HARDLY_ANY
    {
        let reason = format!("right {right} of {} times untold since {model}", right + wrong);
        let model = model.clone();
        return (Verdict::NoLongerNeeded { model }, Some(Proposal { reason, command: evidence.retiring() }));
    }
    if let (Some((last, sessions)), Some(model)) = (evidence.since_last, evidence.newest)
        && sessions >= FEWEST_WITHOUT
    {
        return (Verdict::NotComeUp { sessions, model: model.to_owned(), last }, None);
    }
    match NotEnoughData::unless(evidence.sessions) {
        Some(data) => (Verdict::NotEnough { data }, None),
        None => (Verdict::Open, None),
    }
}

impl Evidence<'_> {
    /// The command for a lesson that comes too late as advice.
    fn other_mode(&self) -> String {
        match (&self.id.layer, self.stake) {
            (Layer::User, Stake::Data) => format!("lessons edit {} --mode bump", self.id.id),
            (Layer::User, Stake::Time) => format!("lessons edit {} --when session", self.id.id),
            (Layer::Seed | Layer::Project(_) | Layer::Peer(_), _) => self.retiring(),
        }
    }

    /// The command that takes the lesson out of force. Those of other people are switched off.
    fn retiring(&self) -> String {
        match self.id.layer {
            Layer::User => format!("lessons deprecate {}", self.id.id),
            Layer::Seed | Layer::Project(_) | Layer::Peer(_) => format!("lessons off {}", self.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(change: impl FnOnce(&mut Evidence<'_>)) -> (Verdict, Option<Proposal>) {
        judged_of("user/a", change)
    }

    fn judged_of(id: &str, change: impl FnOnce(&mut Evidence<'_>)) -> (Verdict, Option<Proposal>) {
        let id: QualifiedId = id.parse().unwrap();
        let untold = [Untold { model: "new".into(), right: 45, wrong: 1 }];
        let mut evidence = Evidence {
            id: &id,
            mode: Mode::Advise,
            stake: Stake::Time,
            measure: Measure::Repeat,
            has_unless: HasUnless::No,
            sessions: 61,
            room: Tally::new(30, 61),
            refused: AfterRefusal::default(),
            overruled_in: 0,
            untold: &untold,
            newest: Some("new"),
            since_last: None,
        };
        change(&mut evidence);
        of(&evidence)
    }

    #[test]
    fn advice_cannot_help_where_the_call_comes_once() {
        for (k, n, cannot) in [(0, 28, false), (0, 29, true), (1, 46, true), (2, 60, false), (2, 61, true)] {
            let (verdict, proposal) = judged(|evidence| evidence.room = Tally::new(k, n));
            assert_eq!(verdict == Verdict::CannotHelp, cannot, "{k} of {n}");
            assert_eq!(proposal.is_some(), cannot);
        }
        let once = |evidence: &mut Evidence<'_>| evidence.room = Tally::new(0, 59);
        assert_eq!(judged(once).1.unwrap().command, "lessons edit a --when session");
        let (_, proposal) = judged(|evidence| {
            once(evidence);
            evidence.stake = Stake::Data;
        });
        let proposal = proposal.unwrap();
        assert_eq!(
            proposal.reason,
            "the call comes once in 59 of 59 sessions, and a reminder arrives after it"
        );
        assert_eq!(proposal.command, "lessons edit a --mode bump");
        let (verdict, _) = judged(|evidence| {
            once(evidence);
            evidence.mode = Mode::Bump;
        });
        assert_eq!(verdict, Verdict::Open, "a refusal acts at once");
    }

    #[test]
    fn a_refusal_is_too_wide_where_many_calls_were_meant() {
        let refusing = |calls: u64, sessions, overruled_in| {
            judged(|evidence| {
                evidence.mode = Mode::Bump;
                evidence.refused = AfterRefusal { changed: calls - 5, overruled: 5, given_up: 0, sessions };
                evidence.overruled_in = overruled_in;
            })
        };
        assert_eq!(refusing(10, 5, 3).0, Verdict::TooWide);
        assert_eq!(refusing(9, 5, 3).0, Verdict::Open, "too few calls");
        assert_eq!(refusing(10, 4, 4).0, Verdict::Open, "too few sessions");
        assert_eq!(refusing(10, 9, 3).0, Verdict::Open);
        assert_eq!(refusing(10, 5, 3).1.unwrap().command, "lessons replay user/a");
    }

    #[test]
    fn a_lesson_is_no_longer_needed_where_the_newest_model_knows() {
        let knowing = |evidence: &mut Evidence<'_>| evidence.has_unless = HasUnless::Yes;
        let (verdict, proposal) = judged(knowing);
        assert_eq!(verdict, Verdict::NoLongerNeeded { model: "new".into() });
        let proposal = proposal.unwrap();
        assert_eq!(proposal.reason, "right 45 of 46 times untold since new");
        assert_eq!(proposal.command, "lessons deprecate a");
        let (verdict, _) = judged(|evidence| {
            knowing(evidence);
            evidence.newest = Some("newer");
        });
        assert_eq!(verdict, Verdict::Open, "of that one nothing is known");
        let (_, proposal) = judged_of("seed/a", knowing);
        assert_eq!(proposal.unwrap().command, "lessons off seed/a");
    }

    #[test]
    fn a_lesson_for_the_start_of_sessions_is_no_advice_that_comes_too_late() {
        let never = |evidence: &mut Evidence<'_>| evidence.room = Tally::new(0, 61);
        let (verdict, proposal) = judged(|evidence| {
            never(evidence);
            evidence.measure = Measure::First;
        });
        assert_eq!((verdict, proposal), (Verdict::Open, None));
        let (verdict, proposal) = judged(|evidence| {
            never(evidence);
            evidence.measure = Measure::None;
        });
        assert_eq!((verdict, proposal), (Verdict::NotMeasured, None));
    }

    #[test]
    fn what_has_not_come_up_is_said_and_proposes_nothing() {
        let (verdict, proposal) = judged(|evidence| evidence.since_last = Some((7, 140)));
        assert_eq!(verdict, Verdict::NotComeUp { sessions: 140, model: "new".into(), last: 7 });
        assert_eq!(proposal, None);
        let (verdict, _) = judged(|evidence| evidence.sessions = 7);
        assert_eq!(verdict, Verdict::NotEnough { data: NotEnoughData { sessions: 7 } });
    }
}
