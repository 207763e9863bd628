//! How much of what the detectors propose is right, and how much of what is there they find.
//!
//! A candidate is *right* where a line that it was seen at belongs to a mistake, and *wrong* anywhere
//! else. A mistake is *found* where a right candidate has one of its lines, whatever detector it came
//! from. Precision is right of all candidates, recall is found of all mistakes.
//!
//! `cargo test -p lessons-scanner --test labelled -- --nocapture figures` prints the figures. On 2026-11-26:
//!
//! | sessions | candidates right | mistakes found |
//! |---|---|---|
//! | `tune/` | 60 of 63 | 60 of 71 |
//! | `held/` | 16 of 17 | 16 of 25 |
//!
//! All of these sessions we wrote ourselves, and docs/quality.md says how those of others go. What is missed here is what
//! only a rule for that one case would find.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;

use lessons_home::home::Home;
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_scanner::detect::Detector;
use lessons_scanner::run::scan::{self, ScanOptions};
use lessons_scanner::transcript::timestamp::Timestamp;

use crate::script::{Label, Session};
use crate::shapes::{held, near, tune};
use crate::{render, trial};

/// A candidate, and the labels of the lines that it was seen at.
pub(crate) struct Judged {
    pub(crate) candidate: Candidate,
    pub(crate) labels: BTreeSet<Label>,
}

impl Judged {
    fn is_right(&self) -> bool {
        self.labels.iter().any(|label| matches!(label, Label::Mistake(_)))
    }
}

/// What a scan of labelled sessions gave.
pub(crate) struct Outcome {
    pub(crate) judged: Vec<Judged>,
    mistakes: BTreeSet<Label>,
}

impl Outcome {
    pub(crate) fn of(sessions: &[Session]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let roots = [dir.path().join("projects")];
        let rendered = render::render(sessions, &roots[0]);
        let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        let now = Timestamp::from_millis(1_767_225_600_000);
        let unlimited = ScanOptions { proposals_per_hundred: u64::MAX, ..ScanOptions::at(now, usize::MAX) };
        scan::scan(&mut database, &roots, &unlimited, None, &mut |_| ControlFlow::Continue(())).unwrap();
        let candidates = database.candidates(&[CandidateStatus::New]).unwrap();
        let judged = candidates.into_iter().map(|candidate| {
            let seen = database.sightings(&candidate.id).unwrap();
            let labels = seen.iter().filter_map(|seen| rendered.labels.get(&seen.uuid).cloned()).collect();
            Judged { candidate, labels }
        });
        let steps = sessions.iter().flat_map(|session| &session.steps);
        let mistakes = steps.filter_map(|(label, _)| label.clone());
        let mistakes = mistakes.filter(|label| matches!(label, Label::Mistake(_))).collect();
        Self { judged: judged.collect(), mistakes }
    }

    fn found(&self) -> BTreeSet<&Label> {
        let labels = self.judged.iter().flat_map(|judged| &judged.labels);
        labels.filter(|label| matches!(label, Label::Mistake(_))).collect()
    }

    fn precision(&self) -> f64 {
        ratio(self.judged.iter().filter(|judged| judged.is_right()).count(), self.judged.len())
    }

    fn recall(&self) -> f64 {
        ratio(self.found().len(), self.mistakes.len())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut by_source: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for judged in &self.judged {
            let (right, all) = by_source.entry(&judged.candidate.finding.source).or_default();
            *right += usize::from(judged.is_right());
            *all += 1;
        }
        for (source, (right, all)) in by_source {
            writeln!(f, "  {source}: {right} right of {all}")?;
        }
        for judged in self.judged.iter().filter(|judged| !judged.is_right()) {
            let finding = &judged.candidate.finding;
            writeln!(f, "  wrong: {} / {} {:?}", finding.mistake, finding.fix, judged.labels)?;
        }
        for missed in self.mistakes.iter().filter(|label| !self.found().contains(label)) {
            writeln!(f, "  missed: {missed:?}")?;
        }
        let (found, mistakes) = (self.found().len(), self.mistakes.len());
        let (precision, recall) = (self.precision(), self.recall());
        write!(f, "  precision {precision:.2}, recall {recall:.2} ({found} of {mistakes})")
    }
}

#[allow(clippy::cast_precision_loss, reason = "they are hundreds")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[test]
fn figures() {
    for (name, sessions) in [("tune", tune()), ("held", held()), ("both", [tune(), held()].concat())] {
        let outcome = Outcome::of(&sessions);
        println!("{name}:\n{outcome}");
        assert!(outcome.precision() > 0.9, "{name}: {outcome}");
        assert!(outcome.recall() > 0.6, "{name}: {outcome}");
    }
    let outcome = Outcome::of(&[tune(), held(), near()].concat());
    println!("with the near misses:\n{outcome}");
    assert!(outcome.precision() > 0.85, "with the near misses: {outcome}");
}

#[test]
fn nothing_proposed_fires_on_the_call_that_worked() {
    let outcome = Outcome::of(&[tune(), held(), near()].concat());
    let (tried, failures) = trial::failures(outcome.judged.iter().map(|judged| &judged.candidate));
    assert!(tried > 40, "only {tried} were tried");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn without_any_one_detector_less_is_found() {
    let outcome = Outcome::of(&[tune(), held()].concat());
    let all = outcome.found().len();
    for detector in Detector::ALL {
        let without =
            outcome.judged.iter().filter(|judged| judged.candidate.finding.source != detector.name());
        let found: BTreeSet<&Label> = without.flat_map(|judged| &judged.labels).collect();
        let found = found.into_iter().filter(|label| matches!(label, Label::Mistake(_))).count();
        assert!(found < all, "{detector:?} finds nothing that the others do not");
    }
}
