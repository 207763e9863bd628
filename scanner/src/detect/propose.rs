//! The proposals: which signals become candidates.
//!
//! | detector | proposed when |
//! |---|---|
//! | asked to be remembered, correction, memory file | it was said where it counts, or written; else in two sessions |
//! | repeated demand | three sessions have it, in whatever words; two, where they have it three times |
//! | self-explaining error | a call without the word succeeded |
//! | repeated failure | two sessions have it, or it came twice in one and was got past, or the error tells its way out |
//!
//! The number per scan is limited, so that a person can review them: what proved right most often comes first, and at most
//! two of one project come before those of others. Over time, at most 25 are proposed for each hundred sessions whose
//! transcripts are there. The others wait for a later scan, and the report counts them. A candidate that waits says what
//! its signals say now.

use std::cmp::Reverse;
use std::collections::HashMap;

use lessons_ledger::candidates::confidence;
use lessons_ledger::recording::signals::{ProposalCounts, SignalTally};
use lessons_ledger::{Database, DatabaseError, Recorded};

use crate::detect::Detector;
use crate::detect::statement::kin;
use crate::transcript::timestamp::Timestamp;

/// The time for which an unused signal is kept, in milliseconds: a year.
const KEPT: u64 = 365 * 24 * 3_600_000;

/// The points up to which a signal is ranked last, whoever it came from: contradictions, and texts that are in doubt.
const UNSURE: u64 = 50;
/// The points of a refusal whose words say what to do.
const SURE: u64 = 70;
/// The class of what is unsure.
const UNSURE_CLASS: usize = 3;
/// The proposals that a person sees first.
const FIRST: usize = 10;
/// The most proposals of one project before those of others.
const MOST_OF_PROJECT: usize = 2;

/// The limits of what one scan proposes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProposalLimits {
    /// The most proposals of this scan.
    pub(crate) at_once: usize,
    /// The most proposals for each hundred sessions begun, over all scans.
    pub(crate) per_hundred: u64,
    /// The number of earlier proposals that do not count.
    pub(crate) hidden: u64,
    /// The time of the scan.
    pub(crate) now: Timestamp,
}

/// The proposals of one scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Proposed {
    pub(crate) recorded: Recorded,
    /// The number of proposals that were left for the next scan.
    pub(crate) left_out: usize,
}

/// Makes candidates of signals that are sufficient, within these limits.
pub(crate) fn propose(database: &mut Database, limits: ProposalLimits) -> Result<Proposed, DatabaseError> {
    let ProposalLimits { at_once, per_hundred, hidden, now } = limits;
    database.forget_signals(now.millis().saturating_sub(KEPT))?;
    kin::join(database)?;
    let mut tallies = database.tallies()?;
    tallies.retain(is_enough);
    tallies.sort_by_cached_key(|tally| (class(tally), Reverse(rank(tally)), tally.key.clone()));
    let mut tallies = spread(tallies);
    let counts = database.proposal_counts()?;
    let shown = counts.proposals.saturating_sub(hidden);
    let most = at_once.min(room(ProposalCounts { proposals: shown, ..counts }, per_hundred));
    let left_out = tallies.len().saturating_sub(most);
    tallies.truncate(most);
    let keys: Vec<String> = tallies.into_iter().map(|tally| tally.key).collect();
    let recorded = database.propose(&keys, now.millis())?;
    Ok(Proposed { recorded, left_out })
}

/// The number of proposals that may still be made.
fn room(counts: ProposalCounts, per_hundred: u64) -> usize {
    let most = per_hundred.saturating_mul(counts.sessions.div_ceil(100));
    usize::try_from(most.saturating_sub(counts.proposals)).unwrap_or(usize::MAX)
}

fn is_enough(tally: &SignalTally) -> bool {
    match Detector::named(&tally.detector) {
        Some(Detector::Repetition) => {
            tally.sessions >= 2 || tally.is_strong && (tally.lines >= 2 || tally.points > UNSURE)
        }
        Some(Detector::Demand) => tally.sessions >= 3 || tally.sessions >= 2 && tally.lines >= 3,
        Some(_) => tally.is_strong || tally.sessions >= 2,
        None => false,
    }
}

/// The order of the detectors: the share of their proposals that people wanted to keep.
fn class(tally: &SignalTally) -> usize {
    let is_sure = tally.points > UNSURE;
    match Detector::named(&tally.detector) {
        Some(Detector::Written | Detector::SelfExplained) if is_sure => 0,
        Some(Detector::Asked) if is_sure => 1,
        Some(Detector::Correction) if tally.points >= SURE => 1,
        Some(Detector::Correction) if is_sure => 2,
        Some(Detector::Repetition | Detector::Demand) => 2,
        _ => UNSURE_CLASS,
    }
}

/// Puts the first ones in front, of one project at most [`MOST_OF_PROJECT`]. What is unsure is never among them.
fn spread(tallies: Vec<SignalTally>) -> Vec<SignalTally> {
    let mut of_project: HashMap<Option<String>, usize> = HashMap::new();
    let (mut front, mut rest) = (Vec::new(), Vec::new());
    for tally in tallies {
        let number = of_project.entry(tally.project.clone()).or_default();
        *number += 1;
        let is_first = *number <= MOST_OF_PROJECT && front.len() < FIRST && class(&tally) < UNSURE_CLASS;
        if is_first { &mut front } else { &mut rest }.push(tally);
    }
    front.append(&mut rest);
    front
}

/// The confidence in a tally, in thousandths.
fn rank(tally: &SignalTally) -> u64 {
    let points = u32::try_from(tally.points).unwrap_or(100);
    let sure = confidence(points, tally.sessions, tally.projects);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 1000")]
    let thousandths = (sure * 1000.0) as u64;
    thousandths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_five_are_proposed_for_each_hundred_sessions_begun() {
        let room = |sessions, proposals| room(ProposalCounts { sessions, proposals }, 25);
        assert_eq!([room(0, 0), room(1, 0), room(100, 20), room(101, 20), room(100, 90)], [0, 25, 5, 30, 0]);
    }
}
