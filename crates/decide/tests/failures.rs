//! What a call gets after it has failed.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use lessons_decide::answer::{Advice, Decision, Situation, answer};
use lessons_decide::approval::GuardedPaths;
use lessons_decide::claims::{Claim, SessionClaims, SessionFiles};
use lessons_index::manifest::{LessonEntry, Manifest, Settings, TriggerEntry};
use lessons_lesson::call::Call;
use lessons_lesson::compiled::{DedupScope, Terms};
use lessons_lesson::conditions::Conditions;
use lessons_lesson::lesson::{Mode, Quality, Severity, Subject, When};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::index::in_memory;
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::TriggerKind;

/// Claim files in memory.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl SessionFiles for Names {
    fn create(&mut self, name: &str) -> Claim {
        if self.0.insert(name.to_owned()) { Claim::Won } else { Claim::Taken }
    }
    fn holds(&self, name: &str) -> bool {
        self.0.contains(name)
    }
    fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }
}

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
        let mut manifest = Manifest::new(Settings::default(), "test");
        let triggers = [
            (TriggerKind::CommandPattern, r"\bgit push\b"),
            (TriggerKind::ErrorPattern, r"\brejected\b"),
            (TriggerKind::ErrorPattern, "No remote"),
            (TriggerKind::ErrorPattern, r"^\D+$"),
        ];
        let entry =
            |(kind, text): (_, &str)| TriggerEntry { kind, pattern: text.into(), document_frequency: 1 };
        manifest.triggers = triggers.into_iter().map(entry).collect();
        Self { manifest, claims: SessionClaims::new(Some(Names::default()), None, DedupScope::Context) }
    }

    fn with(mut self, id: &str, triggers: &[u32], also: &[u32]) -> Self {
        self.manifest.lessons.push(LessonEntry {
            terms: Terms {
                id: id.parse().unwrap(),
                mode: Mode::Advise,
                when: When::Tool,
                priority: 5,
                quality: Quality::Valuable,
                severity: Severity::Medium,
                created_at: "2026-01-01".into(),
                triggers: triggers.to_vec(),
                also: also.to_vec(),
                unless: Vec::new(),
                tools: Vec::new(),
                roots: None,
                agents: Vec::new(),
                conditions: Conditions::default(),
                subject: Subject::Command,
                off_until: None,
            },
            rule: String::new(),
            topics: Vec::new(),
            full: format!("[lesson {id}]\n{}\n", "f".repeat(1000)),
            brief: format!("[lesson {id}]\n"),
            at_agent_start: None,
        });
        self
    }

    fn decision(&mut self, call: &Call<'_>) -> Decision {
        let loaded = in_memory(&self.manifest, &Patterns::default()).unwrap();
        let situation = Situation {
            index: Some(&loaded.ask().unwrap()),
            call,
            agent: "main",
            place: &ProjectLocation::fixed("/p"),
            guarded: &GuardedPaths { home: "/home/u/.local/share/lessons", user_home: Some("/home/u") },
            advice: &Advice::default(),
            clock: &1000,
        };
        answer(&situation, &mut self.claims).unwrap().decision
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
