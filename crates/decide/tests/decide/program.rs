//! Lessons about programs: what the subject `program` looks at.

use std::collections::HashSet;

use lessons_decide::answer::{Advice, Answer, Decision};
use lessons_decide::claims::{Bump, Claim, Fresh, Insistence, Memory};
use lessons_index::manifest::{LessonEntry, Manifest};
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Mode, Subject};
use lessons_pattern::trigger::{Trigger, TriggerKind};

use crate::setting::{self, bash, terms};

/// The calls that were refused.
#[derive(Default)]
struct Refused(HashSet<String>);

impl Memory for Refused {
    fn is_off(&self, _: &QualifiedId) -> bool {
        false
    }
    fn tell(&mut self, _: &QualifiedId) -> Claim {
        Claim::Won
    }
    fn bump(&mut self, _: &QualifiedId, subject: &str, _: Insistence) -> Bump {
        if self.0.insert(subject.to_owned()) { Bump::Refuses } else { Bump::Passes }
    }
    fn take_back(&mut self) {}
}

/// A lesson about programs, with a trigger for each of these: the first makes it fire, the second silences it.
fn about(mode: Mode, fires: &Trigger, unless: &Trigger) -> Manifest {
    let mut terms = terms("user/a");
    (terms.mode, terms.subject) = (mode, Subject::Program);
    (terms.triggers, terms.unless) = (vec![0], vec![1]);
    let triggers = [(fires.kind, fires.pattern.as_str()), (unless.kind, unless.pattern.as_str())];
    setting::manifest(&triggers, vec![LessonEntry::new(terms, "full\n")])
}

fn command(pattern: &str) -> Trigger {
    Trigger::new(TriggerKind::CommandPattern, pattern)
}

fn ask(manifest: &Manifest, command: &str, memory: &mut dyn Memory) -> Answer {
    setting::ask(manifest, &bash(command), "main", &Advice::default(), memory, &mut ())
}

fn fires(manifest: &Manifest, command: &str) -> bool {
    ask(manifest, command, &mut Fresh).decision != Decision::Silent
}

#[test]
fn a_pattern_begins_with_the_name_of_a_program_that_would_run() {
    let manifest = about(Mode::Advise, &command(r"^git\s+stash\b"), &command("--safe"));
    for text in [
        "git stash",
        "cd web && A=1 git stash",
        "if true; then sudo -u bob git stash; fi",
        "env -u A timeout 5 nice -n 5 git stash",
        "ls | xargs -n 1 git stash",
        "\"git\"   's'tash",
        "/usr/bin/git stash > log",
        "bash -c 'cd web; git stash'",
        "echo $(git stash)",
        "sh <<EOF\ngit stash\nEOF",
        "g=git; $g stash",
    ] {
        assert!(fires(&manifest, text), "{text}");
    }
    for text in [
        "echo git stash",
        "git commit -m 'git stash'",
        "git log; stash",
        "git | stash",
        "grep -r 'x; git stash' .",
        "cat <<EOF\ngit stash\nEOF",
        "g=git frob; $g stash",
    ] {
        assert!(!fires(&manifest, text), "{text}");
    }
}

#[test]
fn quoted_text_and_redirections_can_be_looked_at_and_operators_cannot() {
    let manifest = about(
        Mode::Advise,
        &command(r#"^psql .*"DROP TABLE|^sort (\S+) .*> \S+$|[;&|]"#),
        &command("--safe"),
    );
    for (text, expected) in [
        ("psql -c 'DROP TABLE a'", true),
        ("psql -c 'SELECT a'; echo 'DROP TABLE a'", false),
        ("sort <g >f x", true),
        ("sort f; echo > g", false),
        ("a && b | c; d &", false),
        ("echo 'a;b'", true),
    ] {
        assert_eq!(fires(&manifest, text), expected, "{text}");
    }
}

#[test]
fn a_trigger_matches_if_any_program_does() {
    let manifest = about(Mode::Advise, &command("^frob"), &command("^mock"));
    assert!(fires(&manifest, "ls && frob"));
    assert!(!fires(&manifest, "frob && mock") && !fires(&manifest, "mock | frob"));
    // What silences a lesson may stand where no program is.
    let manifest = about(Mode::Advise, &command("^frob"), &command("A=test|timeout|&$"));
    assert!(fires(&manifest, "A=1 frob; ls"));
    for text in ["A=test frob", "timeout 5 frob", "frob &", "frob; B=A=test"] {
        assert!(!fires(&manifest, text), "{text}");
    }
    let keyword = Trigger::new(TriggerKind::Keyword, "big cat");
    let manifest = about(Mode::Advise, &keyword, &command("--safe"));
    assert!(fires(&manifest, "ls; show 'big' cat"));
    assert!(!fires(&manifest, "show big; cat"));
}

#[test]
fn a_bump_knows_a_call_by_what_was_typed() {
    let manifest = about(Mode::Bump, &command("^frob"), &command("--safe"));
    let mut memory = Refused::default();
    let mut refuses =
        |text: &str| matches!(ask(&manifest, text, &mut memory).decision, Decision::Refuse { .. });
    assert!(refuses("frob a"));
    // The same program, typed in another way, is another call.
    assert!(refuses("sudo frob a"));
    assert!(!refuses("sudo frob a"));
}
