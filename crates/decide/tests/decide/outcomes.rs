//! What a tracer hears of each lesson that matches a call. `explain` shows it to people.

use std::collections::BTreeMap;

use lessons_decide::answer::Advice;
use lessons_decide::claims::{Claim, SessionClaims, SessionFiles, off_name};
use lessons_index::manifest::{LessonEntry, Manifest, TriggerEntry};
use lessons_index::matching::tracer::{Outcome, Tracer};
use lessons_lesson::compiled::DedupScope;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Mode, Severity};
use lessons_pattern::trigger::TriggerKind;

use crate::setting::{self, Names, bash, new_session, terms};

/// The outcomes of one call. A lesson has only one.
#[derive(Default)]
struct Outcomes(BTreeMap<String, Outcome>);

impl Tracer for Outcomes {
    fn outcome(&mut self, lesson: &QualifiedId, outcome: Outcome) {
        let earlier = self.0.insert(lesson.to_string(), outcome);
        assert_eq!(earlier, None, "{lesson}");
    }
}

/// A lesson about the command `cmd`, whose full text has so many bytes, and whose brief text has 20.
fn lesson(id: &str, mode: Mode, full: usize) -> LessonEntry {
    let mut terms = terms(id);
    terms.mode = mode;
    terms.triggers = vec![0];
    LessonEntry { brief: "b".repeat(20), ..LessonEntry::new(terms, "f".repeat(full)) }
}

/// A session in which calls are made.
struct Session {
    manifest: Manifest,
    advice: Advice,
    claims: SessionClaims<Names>,
}

impl Session {
    fn with(lessons: Vec<LessonEntry>) -> Self {
        let manifest = setting::manifest(&[(TriggerKind::CommandPattern, r"\bcmd\b")], lessons);
        Self { manifest, advice: Advice::default(), claims: new_session() }
    }

    fn outcomes(&mut self, command: &str) -> Vec<(String, Outcome)> {
        let mut outcomes = Outcomes::default();
        let call = bash(command);
        setting::ask(&self.manifest, &call, "main", &self.advice, &mut self.claims, &mut outcomes);
        outcomes.0.into_iter().collect()
    }
}

/// Asserts the outcomes of a call, in the order of ids.
#[track_caller]
fn assert_outcomes(session: &mut Session, command: &str, expected: &[(&str, Outcome)]) {
    let expected: Vec<(String, Outcome)> =
        expected.iter().map(|(id, outcome)| ((*id).to_owned(), *outcome)).collect();
    assert_eq!(session.outcomes(command), expected, "{command}");
}

#[test]
fn advice_is_told_once_and_in_the_number_that_a_call_may_get() {
    let mut session =
        Session::with(["user/a", "user/b", "user/c"].map(|id| lesson(id, Mode::Advise, 40)).into());
    session.manifest.settings.budget_lessons = 2;
    let (told, taken) = (Outcome::Told, Outcome::Taken);
    assert_outcomes(&mut session, "cmd", &[("user/a", told), ("user/b", told), ("user/c", Outcome::NoPlace)]);
    assert_outcomes(&mut session, "cmd", &[("user/a", taken), ("user/b", taken), ("user/c", told)]);
}

#[test]
fn advice_that_does_not_fit_is_told_briefly_or_has_no_room() {
    let mut session =
        Session::with(["user/a", "user/b", "user/c"].map(|id| lesson(id, Mode::Advise, 300)).into());
    let told = |session: &mut Session, bytes: usize| {
        session.manifest.settings.budget_bytes = bytes;
        session.claims = new_session();
        session.outcomes("cmd").into_iter().map(|(_, outcome)| outcome).collect::<Vec<_>>()
    };
    let frame = lessons_lesson::render::ADVICE_FRAME;
    assert_eq!(told(&mut session, frame + 900), [Outcome::Told; 3]);
    assert_eq!(told(&mut session, frame + 899), [Outcome::Told, Outcome::Told, Outcome::ToldBriefly]);
    assert_eq!(
        told(&mut session, frame + 339),
        [Outcome::Told, Outcome::ToldBriefly, Outcome::NoRoom { needed: 20, left: 19 }]
    );
}

#[test]
fn silenced_advice_is_called_so_and_claims_nothing() {
    let mut session = Session::with(["user/a", "user/b"].map(|id| lesson(id, Mode::Advise, 40)).into());
    session.advice = Advice::from_variables(None, Some("a"));
    assert_outcomes(&mut session, "cmd", &[("user/a", Outcome::Silenced), ("user/b", Outcome::Told)]);
    session.advice = Advice::from_variables(Some("0"), None);
    assert_outcomes(&mut session, "cmd", &[("user/a", Outcome::Silenced), ("user/b", Outcome::Silenced)]);
    session.advice = Advice::default();
    assert_outcomes(&mut session, "cmd", &[("user/a", Outcome::Told), ("user/b", Outcome::Taken)]);
}

#[test]
fn a_block_refuses_and_says_so_of_the_lessons_that_give_way() {
    let mut session = Session::with(vec![
        lesson("user/a", Mode::Advise, 40),
        lesson("user/b", Mode::Bump, 40),
        lesson("user/c", Mode::Block, 40),
    ]);
    let expected = [("user/a", Outcome::Refusal), ("user/b", Outcome::Refusal), ("user/c", Outcome::Refuses)];
    assert_outcomes(&mut session, "cmd", &expected);
    assert_outcomes(&mut session, "cmd", &expected);
}

#[test]
fn a_bump_refuses_then_passes_and_is_settled() {
    let mut session =
        Session::with(vec![lesson("user/a", Mode::Advise, 40), lesson("user/b", Mode::Bump, 40)]);
    for (refused, bump) in [
        (Outcome::Refusal, Outcome::Refuses),
        (Outcome::Told, Outcome::Passes),
        (Outcome::Taken, Outcome::Settled),
    ] {
        assert_outcomes(&mut session, "cmd", &[("user/a", refused), ("user/b", bump)]);
    }
}

#[test]
fn a_bump_that_cannot_be_recorded_is_told_and_can_be_silenced() {
    let mut session = Session::with(vec![lesson("user/a", Mode::Bump, 40), lesson("user/b", Mode::Bump, 40)]);
    session.claims = SessionClaims::new(None, None, DedupScope::Context);
    session.advice = Advice::from_variables(None, Some("user/b"));
    assert_outcomes(&mut session, "cmd", &[("user/a", Outcome::Told), ("user/b", Outcome::Silenced)]);
}

#[test]
fn a_question_to_the_person_carries_no_advice() {
    let mut session =
        Session::with(vec![lesson("user/a", Mode::Advise, 40), lesson("user/b", Mode::Bump, 40)]);
    let command = "cmd > .lessons/x";
    assert_outcomes(&mut session, command, &[("user/a", Outcome::Refusal), ("user/b", Outcome::Refuses)]);
    assert_outcomes(&mut session, command, &[("user/a", Outcome::Question), ("user/b", Outcome::Passes)]);
}

#[test]
fn a_lesson_that_is_off_for_the_session_is_called_so() {
    let mut session =
        Session::with(vec![lesson("user/a", Mode::Block, 40), lesson("user/b", Mode::Advise, 40)]);
    let mut names = Names::default();
    assert_eq!(names.create(&off_name("user/a")), Claim::Won);
    session.claims = SessionClaims::new(Some(names), None, DedupScope::Context);
    assert_outcomes(&mut session, "cmd", &[("user/a", Outcome::OffForSession), ("user/b", Outcome::Told)]);
}

/// A session with ten bumps, each on a command of its own, of which these have another severity than medium.
fn with_bumps(other: &[(usize, Severity)]) -> Session {
    let mut session =
        Session::with((0..10).map(|n| lesson(&format!("user/l-{n}"), Mode::Bump, 30)).collect());
    session.manifest.triggers = (0..10)
        .map(|n| TriggerEntry {
            kind: TriggerKind::CommandPattern,
            pattern: format!(r"\bcmd{n}\b"),
            document_frequency: 1,
        })
        .collect();
    for (trigger, lesson) in (0..).zip(&mut session.manifest.lessons) {
        lesson.terms.triggers = vec![trigger];
    }
    for (number, severity) in other {
        session.manifest.lessons[*number].terms.severity = *severity;
    }
    session
}

#[test]
fn after_eight_bumps_what_does_little_damage_advises_and_the_rest_goes_on_refusing() {
    use Severity::{Critical, High, Low};
    let mut session = with_bumps(&[(7, High), (8, Low), (9, Critical)]);
    for number in 0..8 {
        let outcomes = session.outcomes(&format!("cmd{number}"));
        assert_eq!(outcomes, [(format!("user/l-{number}"), Outcome::Refuses)]);
    }
    assert_eq!(session.outcomes("cmd8"), [("user/l-8".into(), Outcome::Told)]);
    assert_eq!(session.outcomes("cmd8 again"), [("user/l-8".into(), Outcome::Taken)]);
    assert_eq!(session.outcomes("cmd9"), [("user/l-9".into(), Outcome::Refuses)]);
    assert_eq!(session.outcomes("cmd7 -f"), [("user/l-7".into(), Outcome::Refuses)]);
    assert_eq!(session.outcomes("cmd3"), [("user/l-3".into(), Outcome::Passes)], "the call that it refused");
    session.manifest.lessons[8].terms.mode = Mode::Block;
    assert_eq!(session.outcomes("cmd8"), [("user/l-8".into(), Outcome::Refuses)], "a block never weakens");
}

#[test]
fn a_command_that_was_not_read_to_its_end_is_bumped_for_much_damage_only() {
    let deep = |command: &str| {
        let mut text = command.to_owned();
        for _ in 0..6 {
            text = format!("echo $({text})");
        }
        text
    };
    let mut session = with_bumps(&[(1, Severity::High)]);
    assert_eq!(session.outcomes(&deep("cmd0")), [("user/l-0".into(), Outcome::Told)]);
    assert_eq!(session.outcomes(&deep("cmd1")), [("user/l-1".into(), Outcome::Refuses)]);
    assert_eq!(session.outcomes("echo $(cmd0)"), [("user/l-0".into(), Outcome::Refuses)]);
}
