//! Signals as detectors hand them over, and their counts by key.

use serde::{Deserialize, Serialize};

use crate::candidates::{Finding, Sighting};

/// A line at which a detector saw a sign of a mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signal {
    /// The name of the detector.
    pub detector: String,
    /// The hash that signals about the same mistake share.
    pub key: String,
    /// Whether this signal alone is enough for a proposal.
    #[serde(rename = "striking")]
    pub is_strong: bool,
    /// The finding that would be proposed, redacted.
    pub finding: Finding,
    /// The uuid of the line.
    #[serde(flatten)]
    pub sighting: Sighting,
}

/// A signal as far as it is compared with others in other words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WordedSignal {
    /// The line.
    pub uuid: String,
    /// The name of the detector.
    pub detector: String,
    /// The key that it has now.
    pub key: String,
    /// What it asks for.
    pub text: String,
    /// The first pattern of its triggers, empty where it has none.
    pub calls: String,
}

/// The counts of the unsolved signals with one key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SignalTally {
    /// The key of the signals.
    pub key: String,
    /// The name of the detector.
    pub detector: String,
    /// The number of lines.
    pub lines: u64,
    /// The number of sessions that share no line.
    pub sessions: u64,
    /// The number of projects.
    pub projects: u64,
    /// Whether one of them is strong.
    pub is_strong: bool,
    /// A project in which one was seen.
    pub project: Option<String>,
    /// The points of the first signal, in hundredths of certainty.
    pub points: u64,
    /// Whether they were proposed and the candidate waits.
    pub is_proposed: bool,
}

/// The numbers that limit how much is proposed over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct ProposalCounts {
    /// The number of sessions whose transcripts are there.
    pub sessions: u64,
    /// The number of proposals made of lines in these transcripts.
    pub proposals: u64,
}
