//! The rules by which a verdict on a lesson is found, and the change that is proposed. A person decides.

use lessons_lesson::{Layer, Mode, QualifiedId, Severity};
use lessons_replay::bounds::{hardly_comes_again, wilson_lower};
use lessons_replay::tally::NotEnoughData;
use lessons_text::wording::{counted, listed};

use super::answer::Finding;
use super::summary::{LessonEffect, Proposal, Untold, Verdict, retirement};
use crate::join::lessons::Measure;

/// A trigger is too wide where at least this share of refused calls was meant, with 95 % certainty.
const TOO_MANY: f64 = 0.2;
/// The fewest refused calls, and the fewest sessions of them, by which that is judged.
const FEWEST_REFUSED: (u64, u64) = (10, 5);

/// What a verdict is based on besides the numbers.
pub(super) struct Grounds {
    /// The sessions in which the mistake came again since the lesson was retired; `None` for one in force.
    pub(super) came_back: Option<u64>,
    /// What the comparison by lot says.
    pub(super) found: Finding,
    pub(super) severity: Severity,
    /// What is said where it has not come up with the newest model.
    pub(super) not_come_up: Option<Verdict>,
}

/// The verdict: the first rule that holds.
pub(super) fn judged(effect: &LessonEffect, grounds: Grounds) -> (Verdict, Option<Proposal>) {
    let LessonEffect { id, mode, measure, refused, .. } = effect;
    let room = effect.again.quiet;
    if let Some(sessions) = grounds.came_back {
        let reason = format!("came again in {} since it was retired", counted(sessions, "session"));
        return proposed(Verdict::CameBack, reason, format!("lessons restore {}", id.id));
    }
    if *measure == Measure::None {
        return (Verdict::NotMeasured, None);
    }
    if grounds.found == Finding::DoesHarm {
        return proposed(Verdict::DoesHarm, effect.comparison.to_string(), retirement(id));
    }
    let is_measured = matches!(measure, Measure::Repeat | Measure::Failure);
    if *mode == Mode::Advise && is_measured && hardly_comes_again(room) {
        let reason = format!(
            "the call comes once in {} of {}, and a reminder arrives after it",
            room.n - room.k,
            counted(room.n, "session")
        );
        return proposed(Verdict::CannotHelp, reason, other_mode(id, grounds.severity));
    }
    let (calls, sessions) = FEWEST_REFUSED;
    if refused.calls() >= calls
        && refused.sessions >= sessions
        && wilson_lower(refused.overruled_in, refused.sessions) >= TOO_MANY
    {
        let reason = format!(
            "{} of {} were made again unchanged: narrow it with `unless`",
            refused.overruled,
            counted(refused.calls(), "blocked call")
        );
        return proposed(Verdict::TooWide, reason, format!("lessons replay {id}"));
    }
    if !effect.untold.is_empty() && effect.untold.iter().all(Untold::is_right) {
        let right = |it: &Untold| format!("{} of {} times untold since {}", it.right.k, it.right.n, it.model);
        let reason = format!("right {}", listed(effect.untold.iter().map(right)));
        return proposed(Verdict::NoLongerNeeded, reason, retirement(id));
    }
    match grounds.found {
        Finding::Helps => return (Verdict::Helps, None),
        Finding::NoUsefulEffect => {
            return proposed(Verdict::NoUsefulEffect, effect.comparison.to_string(), retirement(id));
        }
        Finding::NotEnough | Finding::Broken | Finding::DoesHarm | Finding::Open => {}
    }
    if let Some(verdict) = grounds.not_come_up {
        return (verdict, None);
    }
    match NotEnoughData::unless(effect.sessions) {
        Some(data) => (Verdict::NotEnough { data }, None),
        None => (Verdict::Open, None),
    }
}

fn proposed(verdict: Verdict, reason: String, command: String) -> (Verdict, Option<Proposal>) {
    (verdict, Some(Proposal { reason, command }))
}

/// The command for a lesson that comes too late as advice.
fn other_mode(id: &QualifiedId, severity: Severity) -> String {
    match id.layer {
        Layer::User if severity >= Severity::High => format!("lessons edit {} --mode bump", id.id),
        Layer::User => format!("lessons edit {} --when session", id.id),
        Layer::Seed | Layer::Project(_) | Layer::Peer(_) => retirement(id),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lessons_replay::tally::Tally;

    use super::*;
    use crate::statistics::summary::{AfterRefusal, AfterTelling, Arms};

    fn judged(change: impl FnOnce(&mut LessonEffect, &mut Grounds)) -> (Verdict, Option<Proposal>) {
        judged_of("user/a", change)
    }

    fn judged_of(
        id: &str,
        change: impl FnOnce(&mut LessonEffect, &mut Grounds),
    ) -> (Verdict, Option<Proposal>) {
        let mut effect = LessonEffect {
            id: id.parse().unwrap(),
            title: String::new(),
            mode: Mode::Advise,
            measure: Measure::Repeat,
            sessions: 61,
            again: Arms { quiet: Tally::new(30, 61), ..Arms::default() },
            followed: AfterTelling::default(),
            refused: AfterRefusal::default(),
            untold: Vec::new(),
            clients: BTreeMap::new(),
            corrected: 0,
            cost: 0,
            recent: Vec::new(),
            comparison: crate::statistics::comparison::Comparison::default(),
            verdict: Verdict::Open,
            proposal: None,
        };
        let mut grounds = Grounds {
            came_back: None,
            found: Finding::NotEnough,
            severity: Severity::Medium,
            not_come_up: None,
        };
        change(&mut effect, &mut grounds);
        super::judged(&effect, grounds)
    }

    #[test]
    fn advice_cannot_help_where_the_call_comes_once() {
        for (k, n, cannot) in [(0, 28, false), (0, 29, true), (1, 46, true), (2, 60, false), (2, 61, true)] {
            let (verdict, proposal) = judged(|effect, _| effect.again.quiet = Tally::new(k, n));
            assert_eq!(verdict == Verdict::CannotHelp, cannot, "{k} of {n}");
            assert_eq!(proposal.is_some(), cannot);
        }
        let once = |effect: &mut LessonEffect, _: &mut Grounds| effect.again.quiet = Tally::new(0, 59);
        assert_eq!(judged(once).1.unwrap().command, "lessons edit a --when session");
        let (_, proposal) = judged(|effect, grounds| {
            once(effect, grounds);
            grounds.severity = Severity::High;
        });
        let proposal = proposal.unwrap();
        assert_eq!(
            proposal.reason,
            "the call comes once in 59 of 59 sessions, and a reminder arrives after it"
        );
        assert_eq!(proposal.command, "lessons edit a --mode bump");
        let (verdict, _) = judged(|effect, grounds| {
            once(effect, grounds);
            effect.mode = Mode::Bump;
        });
        assert_eq!(verdict, Verdict::Open, "a refusal acts at once");
    }

    #[test]
    fn a_refusal_is_too_wide_where_many_calls_were_meant() {
        let refusing = |calls: u64, sessions, overruled_in| {
            judged(|effect, _| {
                effect.mode = Mode::Bump;
                let changed = calls - 5;
                effect.refused = AfterRefusal { changed, overruled: 5, given_up: 0, sessions, overruled_in };
            })
        };
        assert_eq!(refusing(10, 5, 3).0, Verdict::TooWide);
        assert_eq!(refusing(9, 5, 3).0, Verdict::Open, "too few calls");
        assert_eq!(refusing(10, 4, 4).0, Verdict::Open, "too few sessions");
        assert_eq!(refusing(10, 9, 3).0, Verdict::Open);
        assert_eq!(refusing(10, 5, 3).1.unwrap().command, "lessons replay user/a");
    }

    #[test]
    fn a_lesson_is_no_longer_needed_where_every_model_in_use_knows() {
        let untold = |model: &str, right, n| Untold { model: model.into(), right: Tally::new(right, n) };
        let knowing =
            |effect: &mut LessonEffect, _: &mut Grounds| effect.untold = vec![untold("new", 45, 46)];
        let (verdict, proposal) = judged(knowing);
        assert_eq!(verdict, Verdict::NoLongerNeeded);
        let proposal = proposal.unwrap();
        assert_eq!(proposal.reason, "right 45 of 46 times untold since new");
        assert_eq!(proposal.command, "lessons retire a");
        let (_, proposal) = judged_of("seed/a", knowing);
        assert_eq!(proposal.unwrap().command, "lessons off seed/a");

        let both = |right, n| {
            judged(|effect, _| effect.untold = vec![untold("new", 45, 46), untold("small", right, n)])
        };
        assert_eq!(
            both(30, 30).1.unwrap().reason,
            "right 45 of 46 times untold since new, 30 of 30 times untold since small"
        );
        assert_eq!(both(20, 30).0, Verdict::Open, "the other one does not know");
        assert_eq!(both(0, 0).0, Verdict::Open, "of the other one nothing is known");
    }

    #[test]
    fn it_is_said_with_which_model_a_lesson_is_no_longer_needed() {
        let mut observed = String::new();
        judged(|effect, _| {
            let untold = |model: &str, right| Untold { model: model.into(), right: Tally::new(right, 46) };
            effect.untold = vec![untold("new", 45), untold("small", 20)];
            observed = effect.observed();
        });
        assert_eq!(observed, "comes again in 49 % of 61 untold sessions; no longer needed with new");
    }

    #[test]
    fn a_retired_lesson_whose_mistake_came_again_is_proposed_once_more() {
        let (verdict, proposal) = judged(|_, grounds| grounds.came_back = Some(3));
        assert_eq!(verdict, Verdict::CameBack);
        let proposal = proposal.unwrap();
        assert_eq!(proposal.reason, "came again in 3 sessions since it was retired");
        assert_eq!(proposal.command, "lessons restore a");
    }

    #[test]
    fn a_lesson_for_the_start_of_sessions_is_no_advice_that_comes_too_late() {
        let never = |effect: &mut LessonEffect| effect.again.quiet = Tally::new(0, 61);
        let (verdict, proposal) = judged(|effect, _| {
            never(effect);
            effect.measure = Measure::First;
        });
        assert_eq!((verdict, proposal), (Verdict::Open, None));
        let (verdict, proposal) = judged(|effect, _| {
            never(effect);
            effect.measure = Measure::None;
        });
        assert_eq!((verdict, proposal), (Verdict::NotMeasured, None));
    }

    #[test]
    fn what_has_not_come_up_is_said_and_proposes_nothing() {
        let said = Verdict::NotComeUp { sessions: 140, model: "new".into(), last: 7 };
        let (verdict, proposal) = judged(|_, grounds| grounds.not_come_up = Some(said.clone()));
        assert_eq!(verdict, said);
        assert_eq!(proposal, None);
        let (verdict, _) = judged(|effect, _| effect.sessions = 7);
        assert_eq!(verdict, Verdict::NotEnough { data: NotEnoughData { sessions: 7 } });
    }
}
