//! What the labelled sessions are made of, before anything looks for mistakes in them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_scanner::run::scan::{self, ScanOptions};
use lessons_scanner::transcript::timestamp::Timestamp;

use crate::render;
use crate::script::{self, Label, Outcome, Session, Step};

/// What the detectors were made with.
pub(crate) fn tune() -> Vec<Session> {
    [
        script::parse("tune-m", include_str!("tune/mistakes.txt")),
        script::parse("tune-w", include_str!("tune/work.txt")),
        script::parse("tune-r", include_str!("tune/routine.txt")),
    ]
    .concat()
}

/// What nobody looked at while they were made.
pub(crate) fn held() -> Vec<Session> {
    [
        script::parse("held-m", include_str!("held/mistakes.txt")),
        script::parse("held-w", include_str!("held/work.txt")),
    ]
    .concat()
}

/// Near misses, written after the detectors and against them. There is no mistake in it.
pub(crate) fn near() -> Vec<Session> {
    script::parse("near", include_str!("hard/near.txt"))
}

fn labels(sessions: &[Session], wanted: impl Fn(&Label) -> bool) -> BTreeSet<Label> {
    let steps = sessions.iter().flat_map(|session| &session.steps);
    steps.filter_map(|(label, _)| label.clone()).filter(wanted).collect()
}

#[test]
fn there_are_enough_of_both() {
    let all = [tune(), held()].concat();
    let mistakes = labels(&all, |label| matches!(label, Label::Mistake(_)));
    let noise = labels(&all, |label| matches!(label, Label::Noise(_)));
    assert!(mistakes.len() >= 60, "{} mistakes", mistakes.len());
    assert!(noise.len() >= 300, "{} that are none", noise.len());
}

#[test]
fn the_two_parts_share_no_label() {
    let (tune, held) = (labels(&tune(), |_| true), labels(&held(), |_| true));
    assert_eq!(tune.intersection(&held).collect::<Vec<_>>(), Vec::<&Label>::new());
}

#[test]
fn what_is_no_mistake_stands_in_one_session() {
    let mut seen = BTreeSet::new();
    for session in [tune(), held()].concat() {
        for label in labels(&[session], |label| matches!(label, Label::Noise(_))) {
            assert!(seen.insert(label.clone()), "{label:?} twice");
        }
    }
}

#[test]
fn every_way_a_call_ends_and_every_kind_of_line_is_there() {
    let all = [tune(), held()].concat();
    let steps: Vec<&Step> = all.iter().flat_map(|session| &session.steps).map(|(_, step)| step).collect();
    let kinds: BTreeSet<String> = steps
        .iter()
        .map(|step| match step {
            Step::Call { outcome, .. } => format!("{outcome:?}"),
            step => format!("{step:?}"),
        })
        .map(|shown| shown.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap().to_owned())
        .collect();
    assert_eq!(kinds.len(), 17, "{kinds:?}");
    let refusals = |with_reason: bool| {
        steps.iter().any(|step| {
            matches!(step, Step::Call { outcome: Outcome::RefusedByUser(reason), .. }
                           if reason.is_some() == with_reason)
        })
    };
    assert!(refusals(true) && refusals(false));
}

#[test]
fn the_scanner_reads_every_line_and_finds_no_tag() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = [tune(), held()].concat();
    let rendered = render::render(&sessions, &dir.path().join("projects"));
    assert_eq!(rendered.files.len(), sessions.len());
    let labelled = labels(&sessions, |_| true);
    assert_eq!(rendered.labels.values().cloned().collect::<BTreeSet<_>>(), labelled);
    let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
    let roots = [dir.path().join("projects")];
    let report = scan::scan(&mut database, &roots, &ScanOptions::at(Timestamp::START, 10), None, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!((report.files, report.tags), (sessions.len(), 0));
    assert!(report.unreadable.is_empty() && report.skipped.is_empty(), "{report}");
}
