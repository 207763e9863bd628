//! The proposals as lessons: whether `promote` takes them, and whether they fire where they should be quiet.

use anyhow::Result;
use serde_json::Value;

use super::scanned::{Candidate, Scanned};

/// The start of the evidence that quotes the call which worked.
const WORKED: &str = "worked: ";
/// The end of a quotation that was cut.
const CUT: char = '…';
/// The warning of a lesson that fires at a command which its own rule advises.
const OWN_ADVICE: &str = "FIRES_ON_ITS_ADVICE";

/// What became of the proposals.
#[derive(Debug, Default)]
pub(super) struct PromotedCounts {
    /// The refusals of `promote`, each with its code.
    pub(super) refused: Vec<String>,
    /// The proposals that were promoted.
    pub(super) promoted: usize,
    /// Those of them that fire on their own fix.
    pub(super) on_fix: usize,
    /// Those of them whose evidence quotes a call that worked, as a whole.
    pub(super) with_worked: usize,
    /// Those of these that fire on it.
    pub(super) on_worked: usize,
}

/// Promotes every proposal, for every project.
pub(super) fn count(scanned: &Scanned) -> Result<PromotedCounts> {
    let mut counts = PromotedCounts::default();
    for candidate in &scanned.candidates {
        let answer = promote(scanned, candidate)?;
        let Some(id) = answer["id"].as_str().filter(|_| answer["code"].is_null()) else {
            counts.refused.push(format!("{} ({})", candidate.id, answer["code"].as_str().unwrap_or("?")));
            continue;
        };
        counts.promoted += 1;
        let warnings = answer["warnings"].as_array().into_iter().flatten();
        counts.on_fix += usize::from(warnings.into_iter().any(|warning| warning["code"] == OWN_ADVICE));
        let worked = candidate.evidence.iter().find_map(|line| line.strip_prefix(WORKED));
        let Some(worked) = worked.filter(|worked| !worked.ends_with(CUT)) else { continue };
        counts.with_worked += 1;
        let explained = scanned.json(&["explain", "--command", worked, "--lesson", id])?;
        counts.on_worked += usize::from(explained["lesson"]["fires"] == true);
    }
    Ok(counts)
}

fn promote(scanned: &Scanned, candidate: &Candidate) -> Result<Value> {
    let mut words = vec!["promote", &candidate.id, "--scope-project", ""];
    for flag in &candidate.flags {
        words.extend(["--accept", &flag.name]);
    }
    if !candidate.flags.is_empty() {
        words.extend(["--reason", "to measure it"]);
    }
    scanned.json(&words)
}
