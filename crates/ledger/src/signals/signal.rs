//! What detectors hand over, and what is counted of it.

use crate::candidates::{Finding, Sighting};

/// Something that a detector saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clue {
    /// The name of the detector.
    pub detector: String,
    /// What makes two clues one: a hash.
    pub key: String,
    /// Whether one is enough.
    pub is_striking: bool,
    /// What would be proposed. Redacted.
    pub finding: Finding,
    /// Where.
    pub sighting: Sighting,
}

/// Something to note down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A clue.
    Clue(Box<Clue>),
    /// What this detector saw at this line was got past: it does not count.
    Solved {
        /// The name of the detector.
        detector: &'static str,
        /// The line.
        uuid: String,
    },
}

/// The clues with one key that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The key.
    pub key: String,
    /// The name of the detector.
    pub detector: String,
    /// How many lines.
    pub lines: u64,
    /// In how many sessions that share no line.
    pub sessions: u64,
    /// In how many projects.
    pub projects: u64,
    /// Whether one of them is striking.
    pub is_striking: bool,
    /// The hundredths that speak for the first of them.
    pub points: u64,
    /// Whether they were proposed, and wait.
    pub is_proposed: bool,
}
