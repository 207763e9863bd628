//! What a call gets after it has failed.

use lessons_decide::answer::{Advice, Decision};
use lessons_decide::claims::SessionClaims;
use lessons_index::manifest::{LessonEntry, Manifest};
use lessons_lesson::call::Call;
use lessons_pattern::trigger::TriggerKind;

use crate::setting::{self, Names, new_session, terms};

const COMMAND: u32 = 0;
const REJECTED: u32 = 1;
const NO_REMOTE: u32 = 2;
const ANY_ERROR: u32 = 3;

/// A session with lessons on `git push`, on errors, and on both.
struct Session {
    manifest: Manifest,
    claims: SessionClaims<Names>,
}

impl Session {
    fn new() -> Self {
        let triggers = [
            (TriggerKind::CommandPattern, r"\bgit push\b"),
            (TriggerKind::ErrorPattern, r"\brejected\b"),
            (TriggerKind::ErrorPattern, "No remote"),
            (TriggerKind::ErrorPattern, r"^\D+$"),
        ];
        Self { manifest: setting::manifest(&triggers, Vec::new()), claims: new_session() }
    }

    fn with(mut self, id: &str, triggers: &[u32], also: &[u32]) -> Self {
        let mut terms = terms(id);
        terms.triggers = triggers.to_vec();
        terms.also = also.to_vec();
        let full = format!("{}\n[lesson {id}]\n", "f".repeat(1000));
        let brief = format!("[lesson {id}]\n");
        self.manifest.lessons.push(LessonEntry { brief, ..LessonEntry::new(terms, full) });
        self
    }

    fn decision(&mut self, call: &Call<'_>) -> Decision {
        let advice = Advice::default();
        setting::ask(&self.manifest, call, "main", &advice, &mut self.claims, &mut ()).decision
    }

    /// The lessons told at `git push`, before it runs or after it has failed.
    fn told(&mut self, error: Option<&str>) -> Vec<String> {
        match self.decision(&push(error)) {
            Decision::Advise { lessons, .. } => lessons.iter().map(ToString::to_string).collect(),
            Decision::Silent => Vec::new(),
            other => panic!("{other:?}"),
        }
    }
}

fn push(error: Option<&str>) -> Call<'_> {
    Call {
        tool: "Bash".into(),
        command: Some("git push".into()),
        error: error.map(Into::into),
        ..Call::default()
    }
}

#[test]
fn an_error_is_looked_at_after_the_call_and_its_lesson_told_once() {
    let mut session = Session::new().with("user/a", &[REJECTED], &[]);
    assert!(session.told(None).is_empty());
    assert!(session.told(Some("fatal: No remote")).is_empty());
    assert_eq!(session.told(Some("Exit code 1\n! [rejected] main")), ["user/a"]);
    assert!(session.told(Some("Exit code 1\n! [rejected] main")).is_empty());
}

#[test]
fn what_was_due_before_the_call_is_not_told_after_it() {
    let mut session = Session::new().with("user/a", &[COMMAND], &[]);
    assert!(session.told(Some("rejected")).is_empty());
    assert_eq!(session.told(None), ["user/a"]);
}

#[test]
fn any_of_a_command_and_an_error_is_enough_and_the_claim_is_one() {
    let both = || Session::new().with("user/a", &[COMMAND, REJECTED], &[]);
    let mut session = both();
    assert_eq!(session.told(None), ["user/a"]);
    assert!(session.told(Some("rejected")).is_empty(), "it was told before the call");
    let mut session = both();
    assert!(session.told(Some("No remote")).is_empty());
    assert_eq!(session.told(Some("rejected")), ["user/a"]);
    assert!(session.told(None).is_empty());
}

#[test]
fn an_error_can_narrow_a_command_and_another_error() {
    let mut session = Session::new().with("user/a", &[COMMAND], &[REJECTED]);
    assert!(session.told(None).is_empty());
    assert!(session.told(Some("No remote")).is_empty());
    assert_eq!(session.told(Some("rejected")), ["user/a"]);
    let mut session = Session::new().with("user/b", &[ANY_ERROR], &[NO_REMOTE]);
    assert!(session.told(Some("no number")).is_empty());
    assert_eq!(session.told(Some("No remote")), ["user/b"]);
}

#[test]
fn the_budget_and_the_order_are_those_of_before_a_call() {
    let mut session = Session::new();
    for id in ["user/d", "user/c", "user/b", "user/a"] {
        session = session.with(id, &[REJECTED], &[]);
    }
    session.manifest.settings.budget_bytes = 2500;
    assert_eq!(session.told(Some("rejected")), ["user/a", "user/b", "user/c"]);
    assert_eq!(session.told(Some("rejected")), ["user/d"]);
}

#[test]
fn a_call_that_has_run_is_put_to_nobody() {
    let write = |error: Option<&'static str>| Call {
        tool: "Write".into(),
        paths: vec!["/home/u/.local/share/lessons/lessons.json".into()],
        error: error.map(Into::into),
        ..Call::default()
    };
    let mut session = Session::new();
    assert!(matches!(session.decision(&write(None)), Decision::Ask { .. }));
    assert_eq!(session.decision(&write(Some("denied"))), Decision::Silent);
}
