//! A candidate on the screen: where it stands, and how often it would have fired.

use super::draft::Draft;
use crate::review::dossier::Whole;

/// What is known of how often a lesson would have fired.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Measure {
    /// Nobody has asked.
    #[default]
    Unasked,
    /// It is being counted.
    Counting,
    /// It was counted.
    Counted(Box<Count>),
    /// It cannot be counted, and why.
    Cannot(String),
}

/// How often a lesson would have fired.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Count {
    /// How many calls there are in all.
    pub all: usize,
    /// In how many it would have fired.
    pub calls: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// What was found out about those calls, once it was.
    pub detail: Option<Detail>,
}

/// What was found out about the calls at which a lesson would have fired.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Detail {
    /// In how many projects they were.
    pub projects: usize,
    /// How many of them failed.
    pub failed: usize,
    /// How many of them it would have refused.
    pub refused: usize,
    /// Some of them.
    pub examples: Vec<String>,
}

/// A decision of this sitting. What comes of it is told later, when another decision about the same candidate may
/// have been made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The candidate that it is about.
    pub at: usize,
    /// Its number. No other decision has it.
    pub number: u64,
}

/// Where a candidate stands on this screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It waits.
    Waits,
    /// It was skipped.
    Skipped,
    /// A decision about it is being carried out.
    Deciding(Deed),
    /// A decision about it was carried out.
    Decided(Deed),
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Deed {
    Promoted,
    Merged,
    Rejected,
}

/// A candidate on the screen.
#[derive(Debug, Clone)]
pub struct Item {
    /// What is known about it.
    pub whole: Whole,
    /// The lesson it would become.
    pub draft: Draft,
    /// Where it stands.
    pub standing: Standing,
    /// The last decision about it, unless that is being taken back.
    pub ticket: Option<Ticket>,
    /// How often it would have fired.
    pub measure: Measure,
    /// Why the last decision about it was not carried out.
    pub trouble: Option<String>,
}

impl Item {
    /// A candidate that waits, as it proposes itself.
    pub fn new(whole: Whole) -> Self {
        Self {
            draft: Draft::of(&whole),
            whole,
            standing: Standing::Waits,
            ticket: None,
            measure: Measure::Unasked,
            trouble: None,
        }
    }
}
