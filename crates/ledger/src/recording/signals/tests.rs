//! What a later line shows about a signal.

use lessons_pattern::{Trigger, TriggerKind};

use super::{Database, Result, Signal, note};
use crate::candidates::{CandidateStatus, Doubt, Finding, Proposal, Sighting, id_of};
use crate::scratch::Scratch;

impl Database {
    /// Records signals of detectors. A known one changes nothing.
    pub(crate) fn note(&mut self, notes: &[Signal]) -> Result<()> {
        self.in_transaction(|change| note(change, notes))
    }
}

fn aimed() -> Proposal {
    Proposal { triggers: vec![Trigger::new(TriggerKind::CommandPattern, "a")], ..Proposal::default() }
}

fn signal(proposal: Proposal) -> Signal {
    Signal {
        detector: "asked".into(),
        key: "k".into(),
        is_strong: true,
        finding: Finding { source: "asked".into(), mistake: "m".into(), proposal, ..Finding::default() },
        sighting: Sighting { uuid: "u".into(), session: "s".into(), ..Sighting::default() },
    }
}

/// The proposal of the only candidate.
fn proposed(scratch: &Scratch) -> Proposal {
    scratch.database.candidates(&[CandidateStatus::New]).unwrap().remove(0).finding.proposal
}

fn with_candidate() -> Scratch {
    let mut scratch = Scratch::new();
    scratch.database.note(&[signal(Proposal::default())]).unwrap();
    scratch.database.propose(&["k".into()], 7).unwrap();
    assert_eq!(proposed(&scratch), Proposal::default());
    scratch
}

#[test]
fn triggers_that_a_later_line_shows_are_given_to_the_candidate_that_waits() {
    let mut scratch = with_candidate();
    scratch.database.note(&[signal(aimed())]).unwrap();
    scratch.database.propose(&[], 8).unwrap();
    assert_eq!(proposed(&scratch), aimed());
    scratch.database.note(&[signal(Proposal::default())]).unwrap();
    scratch.database.propose(&[], 9).unwrap();
    assert_eq!(proposed(&scratch), aimed(), "a line that shows less changes nothing");
}

#[test]
fn triggers_that_a_trial_took_away_stay_away() {
    let mut scratch = with_candidate();
    let id = scratch.database.candidates(&[CandidateStatus::New]).unwrap().remove(0).id;
    let mark = Doubt { name: "fires-often".into(), meaning: "it does".into() };
    scratch.database.mark_candidate(&id, &mark, &Proposal::default()).unwrap();
    scratch.database.note_tried(&id).unwrap();
    scratch.database.note(&[signal(aimed())]).unwrap();
    scratch.database.propose(&[], 8).unwrap();
    assert_eq!(proposed(&scratch), Proposal::default());
}

#[test]
fn a_damaged_candidate_keeps_no_scan_from_ending() {
    let mut scratch = with_candidate();
    let id = id_of(&Finding { mistake: "m".into(), ..Finding::default() });
    let damage = "UPDATE candidate SET proposal = '{' WHERE id = ?1";
    assert_eq!(scratch.database.connection.execute(damage, [&id]).unwrap(), 1);
    scratch.database.note(&[signal(aimed())]).unwrap();
    scratch.database.propose(&[], 8).unwrap();
}
