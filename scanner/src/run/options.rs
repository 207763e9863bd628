//! What a scan looks for, and within which limits.

use std::num::NonZeroUsize;

use lessons_ledger::incidents::IncidentRules;

use crate::run::budget::ScanBudget;
use crate::run::cores;
use crate::run::intake_marks::AgentDomains;
use crate::transcript::timestamp::Timestamp;

/// The most proposals for each hundred sessions begun: reviewing more is not worth a person's time.
const MOST_PER_HUNDRED: u64 = 25;

/// The target of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanTarget {
    /// The tags of the agent, and mistakes that nobody wrote down.
    Everything,
    /// The tags of the agent.
    Tags,
}

/// The options of a scan.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// The time of lines without one.
    pub now: Timestamp,
    /// The most candidates that are made of mistakes that nobody wrote down.
    pub proposals: usize,
    /// The most of them for each hundred sessions begun, over all scans.
    pub proposals_per_hundred: u64,
    /// The number of earlier proposals that nobody is shown, because a lesson in force catches their mistake. They take
    /// nobody's time.
    pub hidden_proposals: u64,
    /// The target of the scan.
    pub wanted: ScanTarget,
    /// The number of reading threads.
    pub workers: NonZeroUsize,
    /// How incidents are recorded; `None` where they are not.
    pub incidents: Option<IncidentRules>,
    /// The limits of memory and time.
    pub budget: ScanBudget,
    /// The business of each agent.
    pub domains: AgentDomains,
}

impl ScanOptions {
    /// A scan for everything, on all cores.
    pub fn at(now: Timestamp, proposals: usize) -> Self {
        Self {
            now,
            proposals,
            proposals_per_hundred: MOST_PER_HUNDRED,
            hidden_proposals: 0,
            wanted: ScanTarget::Everything,
            workers: cores::count(),
            incidents: None,
            budget: ScanBudget::FULL,
            domains: AgentDomains::default(),
        }
    }

    /// The same scan with one thread and little memory, for the background. A very long line, and everything after it
    /// in its file, is left to another scan.
    #[must_use]
    pub fn in_background(self) -> Self {
        Self { workers: NonZeroUsize::MIN, budget: ScanBudget::SMALL, ..self }
    }
}
