//! The proposals: which signals become candidates.
//!
//! | detector | proposed when |
//! |---|---|
//! | asked to be remembered, correction, memory file | it was said or written |
//! | contrast | two lines show it, or one strong signal |
//! | self-explaining error | a call without the word succeeded |
//! | repeated failure | three unsolved failures, in two sessions or more |
//!
//! The number per scan is limited: what a person said comes first, then what was written down, then what was only
//! seen, the surest first, so that a person can review them. The others wait for the next
//! scan, and the report counts them. A candidate whose signals were solved later is withdrawn while it waits.

use std::cmp::Reverse;

use lessons_ledger::candidates::confidence;
use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::recording::Recorded;
use lessons_ledger::signals::SignalTally;

use crate::detect::Detector;
use crate::timestamp::Timestamp;

/// The time for which an unused signal is kept, in milliseconds: a year.
const KEPT: u64 = 365 * 24 * 3_600_000;

/// The points up to which a signal is ranked last, whoever it came from: contradictions, and texts that are in doubt.
const UNSURE: u64 = 50;

/// The proposals of one scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Proposed {
    pub(crate) recorded: Recorded,
    /// The number of proposals that were left for the next scan.
    pub(crate) left_out: usize,
}

/// Makes candidates of signals that are sufficient, at most `at_once` of them.
pub(crate) fn propose(
    database: &mut Database,
    at_once: usize,
    now: Timestamp,
) -> Result<Proposed, DatabaseError> {
    database.forget_signals(now.millis().saturating_sub(KEPT))?;
    let mut tallies = database.tallies()?;
    let mut withdrawn = Vec::new();
    tallies.retain(|tally| {
        let enough = is_enough(tally);
        if tally.is_proposed && !enough {
            withdrawn.push(tally.key.clone());
        }
        enough && !tally.is_proposed
    });
    tallies.sort_by_cached_key(|tally| (class(tally), Reverse(rank(tally)), tally.key.clone()));
    let left_out = tallies.len().saturating_sub(at_once);
    tallies.truncate(at_once);
    let keys: Vec<String> = tallies.into_iter().map(|tally| tally.key).collect();
    let recorded = database.propose(&keys, &withdrawn, now.millis())?;
    Ok(Proposed { recorded, left_out })
}

fn is_enough(tally: &SignalTally) -> bool {
    match Detector::named(&tally.detector) {
        Some(Detector::Contrast) => tally.lines >= 2 || tally.is_strong,
        Some(Detector::Asked | Detector::Correction | Detector::Written) => tally.lines >= 1,
        Some(Detector::SelfExplained) => tally.is_strong,
        Some(Detector::Repetition) => tally.lines >= 3 && tally.sessions >= 2,
        None => false,
    }
}

/// The order of the detectors: what a person said first, then what was written down, then what was only seen.
fn class(tally: &SignalTally) -> usize {
    let is_sure = tally.points > UNSURE;
    match Detector::named(&tally.detector) {
        Some(Detector::Asked | Detector::Correction) if is_sure => 0,
        Some(Detector::Written) if is_sure => 1,
        Some(Detector::Contrast | Detector::SelfExplained) => 2,
        _ => 3,
    }
}

/// The confidence in a tally, in thousandths.
fn rank(tally: &SignalTally) -> u64 {
    let points = u32::try_from(tally.points).unwrap_or(100);
    let sure = confidence(points, tally.sessions, tally.projects);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 1000")]
    let thousandths = (sure * 1000.0) as u64;
    thousandths
}
