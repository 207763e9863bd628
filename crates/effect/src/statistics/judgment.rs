//! The verdict that the numbers of a lesson lead to.

use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Mode;
use lessons_replay::bounds::{HARDLY_ANY, clopper_pearson_upper, hardly_comes_again, wilson_lower};
use lessons_replay::tally::NotEnoughData;
use lessons_text::wording::counted;

use super::answer::Finding;
use super::summary::{LessonEffect, Untold};
use super::verdict::{Proposal, Stake, Verdict, retirement};
use crate::join::measure::{HasUnless, Measure};

/// A trigger is too wide where at least this share of refused calls was meant, with 95 % certainty.
const TOO_MANY: f64 = 0.2;
/// The fewest refused calls, and the fewest sessions of them, by which that is judged.
const FEWEST_REFUSED: (u64, u64) = (10, 5);
/// The fewest sessions of a model without a mistake that are worth a word: as many as make the mistake rare.
const FEWEST_WITHOUT: u64 = 29;

/// What a verdict is based on besides the numbers.
pub(super) struct Grounds<'g> {
    /// What the comparison by lot says.
    pub(super) found: Finding,
    pub(super) stake: Stake,
    pub(super) has_unless: HasUnless,
    /// The newest model.
    pub(super) newest: Option<&'g str>,
    /// If it has not come up with the newest model: when it came up last, and the sessions of that model.
    pub(super) since_last: Option<(u64, u64)>,
}

/// The verdict: the first rule that holds.
pub(super) fn of(effect: &LessonEffect, grounds: &Grounds<'_>) -> (Verdict, Option<Proposal>) {
    let LessonEffect { id, mode, measure, refused, .. } = effect;
    let room = effect.again.quiet;
    if *measure == Measure::None {
        return (Verdict::NotMeasured, None);
    }
    let is_measured = matches!(measure, Measure::Repeat | Measure::Failure);
    if grounds.found == Finding::DoesHarm {
        return (Verdict::DoesHarm, Some(by_lot(effect)));
    }
    if *mode == Mode::Advise && is_measured && hardly_comes_again(room) {
        let reason = format!(
            "the call comes once in {} of {}, and a reminder arrives after it",
            room.n - room.k,
            counted(room.n, "session")
        );
        let command = other_mode(id, grounds.stake);
        return (Verdict::CannotHelp, Some(Proposal { reason, command }));
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
        return (Verdict::TooWide, Some(Proposal { reason, command: format!("lessons replay {id}") }));
    }
    if let Some(Untold { model, right }) = &effect.untold
        && grounds.has_unless == HasUnless::Yes
        && clopper_pearson_upper(right.n - right.k, right.n) <= HARDLY_ANY
    {
        let reason = format!("right {} of {} times untold since {model}", right.k, right.n);
        let model = model.clone();
        return (Verdict::NoLongerNeeded { model }, Some(Proposal { reason, command: retirement(id) }));
    }
    match grounds.found {
        Finding::Helps => return (Verdict::Helps, None),
        Finding::NoUsefulEffect => return (Verdict::NoUsefulEffect, Some(by_lot(effect))),
        Finding::NotEnough | Finding::Broken | Finding::DoesHarm | Finding::Open => {}
    }
    if let (Some((last, sessions)), Some(model)) = (grounds.since_last, grounds.newest)
        && sessions >= FEWEST_WITHOUT
    {
        return (Verdict::NotComeUp { sessions, model: model.to_owned(), last }, None);
    }
    match NotEnoughData::unless(effect.sessions) {
        Some(data) => (Verdict::NotEnough { data }, None),
        None => (Verdict::Open, None),
    }
}

/// The proposal to retire a lesson for what the comparison by lot says.
fn by_lot(effect: &LessonEffect) -> Proposal {
    Proposal { reason: effect.comparison.to_string(), command: retirement(&effect.id) }
}

/// The command for a lesson that comes too late as advice.
fn other_mode(id: &QualifiedId, stake: Stake) -> String {
    match (&id.layer, stake) {
        (Layer::User, Stake::Data) => format!("lessons edit {} --mode bump", id.id),
        (Layer::User, Stake::Time) => format!("lessons edit {} --when session", id.id),
        (Layer::Seed | Layer::Project(_) | Layer::Peer(_), _) => retirement(id),
    }
}

#[cfg(test)]
mod tests {
    use lessons_replay::tally::Tally;

    use super::*;
    use crate::statistics::summary::{AfterRefusal, AfterTelling, Arms};

    fn judged(change: impl FnOnce(&mut LessonEffect, &mut Grounds<'_>)) -> (Verdict, Option<Proposal>) {
        judged_of("user/a", change)
    }

    fn judged_of(
        id: &str,
        change: impl FnOnce(&mut LessonEffect, &mut Grounds<'_>),
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
            untold: Some(Untold { model: "new".into(), right: Tally::new(45, 46) }),
            corrected: 0,
            cost: 0,
            recent: Vec::new(),
            comparison: crate::statistics::comparison::Comparison::default(),
            verdict: Verdict::Open,
            proposal: None,
        };
        let mut grounds = Grounds {
            found: Finding::NotEnough,
            stake: Stake::Time,
            has_unless: HasUnless::No,
            newest: Some("new"),
            since_last: None,
        };
        change(&mut effect, &mut grounds);
        of(&effect, &grounds)
    }

    #[test]
    fn advice_cannot_help_where_the_call_comes_once() {
        for (k, n, cannot) in [(0, 28, false), (0, 29, true), (1, 46, true), (2, 60, false), (2, 61, true)] {
            let (verdict, proposal) = judged(|effect, _| effect.again.quiet = Tally::new(k, n));
            assert_eq!(verdict == Verdict::CannotHelp, cannot, "{k} of {n}");
            assert_eq!(proposal.is_some(), cannot);
        }
        let once = |effect: &mut LessonEffect, _: &mut Grounds<'_>| effect.again.quiet = Tally::new(0, 59);
        assert_eq!(judged(once).1.unwrap().command, "lessons edit a --when session");
        let (_, proposal) = judged(|effect, grounds| {
            once(effect, grounds);
            grounds.stake = Stake::Data;
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
    fn a_lesson_is_no_longer_needed_where_the_newest_model_knows() {
        let knowing = |_: &mut LessonEffect, grounds: &mut Grounds<'_>| grounds.has_unless = HasUnless::Yes;
        let (verdict, proposal) = judged(knowing);
        assert_eq!(verdict, Verdict::NoLongerNeeded { model: "new".into() });
        let proposal = proposal.unwrap();
        assert_eq!(proposal.reason, "right 45 of 46 times untold since new");
        assert_eq!(proposal.command, "lessons retire a");
        let (verdict, _) = judged(|effect, grounds| {
            knowing(effect, grounds);
            effect.untold = None;
        });
        assert_eq!(verdict, Verdict::Open, "of that one nothing is known");
        let (_, proposal) = judged_of("seed/a", knowing);
        assert_eq!(proposal.unwrap().command, "lessons off seed/a");
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
        let (verdict, proposal) = judged(|_, grounds| grounds.since_last = Some((7, 140)));
        assert_eq!(verdict, Verdict::NotComeUp { sessions: 140, model: "new".into(), last: 7 });
        assert_eq!(proposal, None);
        let (verdict, _) = judged(|effect, _| effect.sessions = 7);
        assert_eq!(verdict, Verdict::NotEnough { data: NotEnoughData { sessions: 7 } });
    }
}
