//! A candidate on the screen: its status, and how often its lesson would have fired.

use lessons_lesson::lesson::{Mode, When};
use lessons_replay::room::Room;

use super::draft::LessonDraft;
use crate::review::candidate_details::FullDetails;

/// The progress of replaying a draft over the past sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ReplayStatus {
    /// No replay was asked for.
    #[default]
    Unasked,
    /// The replay is running.
    Counting,
    /// The replay has a count.
    Counted(Box<FireCount>),
    /// The draft cannot be replayed; the text says why.
    Cannot(String),
}

/// How often a draft would have fired in the past sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FireCount {
    /// The number of calls in all sessions.
    pub all: usize,
    /// The number of calls at which it would have fired.
    pub calls: usize,
    /// The number of sessions with such a call.
    pub sessions: usize,
    /// Whether a reminder could help.
    pub room: Room,
    /// Facts about those calls; they take longer and come later.
    pub detail: Option<FireDetail>,
}

/// Facts about the calls at which a draft would have fired.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FireDetail {
    /// The number of projects in which they were made.
    pub projects: usize,
    /// The number of them that failed.
    pub failed: usize,
    /// The number of them that the lesson would have refused.
    pub refused: usize,
    /// A few of them, each in one line.
    pub examples: Vec<String>,
    /// A few calls that one of its triggers matches and that it lets pass, each in one line.
    pub passes: Vec<String>,
}

/// The identity of one decision. Its result arrives later, when another decision about the same candidate may
/// already have been made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The position of the candidate that it decides about.
    pub at: usize,
    /// A number that is unique in this run of the screen.
    pub number: u64,
}

/// The status of a candidate on this screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemStatus {
    /// It waits for a decision.
    Waits,
    /// The person skipped it.
    Skipped,
    /// A decision about it is being saved.
    Deciding(DecisionKind),
    /// A decision about it is saved.
    Decided(DecisionKind),
}

/// The kind of a decision that is final for a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DecisionKind {
    Promoted,
    Merged,
    Rejected,
}

/// A candidate on the screen.
#[derive(Debug, Clone)]
pub struct ReviewItem {
    /// Everything that is known about the candidate.
    pub details: FullDetails,
    /// The lesson that it would become, with the person's changes.
    pub draft: LessonDraft,
    /// Its status.
    pub status: ItemStatus,
    /// The last decision about it, unless that is being undone.
    pub ticket: Option<Ticket>,
    /// How often the draft would have fired.
    pub replay: ReplayStatus,
    /// Why the last decision about it could not be saved or undone.
    pub failure: Option<String>,
}

impl ReviewItem {
    /// An item that waits for a decision, with the draft that the candidate proposes.
    pub fn new(details: FullDetails) -> Self {
        Self {
            draft: LessonDraft::of(&details),
            details,
            status: ItemStatus::Waits,
            ticket: None,
            replay: ReplayStatus::Unasked,
            failure: None,
        }
    }

    /// Whether the person is asked what the lesson does, before it is promoted as a mere reminder.
    pub fn is_asked_for_mode(&self) -> bool {
        let is_reminder = self.draft.mode == Mode::Advise && self.draft.when == When::Tool;
        is_reminder && self.details.proposes_bump
    }
}
