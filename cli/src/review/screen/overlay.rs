//! The views that cover a candidate: the form, the questions, the list of all candidates, the keys and the end.

use lessons_lesson::lesson::Mode;

use super::draft::DraftForm;
use super::item::ReplayStatus;
use super::line_editor::LineEditor;
use super::list::CandidateList;

/// Reasons for a rejection, chosen by digit.
pub const REASONS: [&str; 5] = [
    "one-off: it will not happen again",
    "a competent engineer knows it anyway",
    "too vague to act on",
    "wrong, or no longer true",
    "said elsewhere already",
];

/// Reasons for accepting a flagged candidate, chosen by digit.
pub const ACCEPTED: [&str; 3] =
    ["read in full; it is right and harmless", "it quotes what it warns of", "I know where it comes from"];

/// What a lesson may do whose candidate proposes more than a reminder, chosen by digit.
pub const MODES: [(Mode, &str); 2] =
    [(Mode::Bump, "block such a call once; the agent may repeat it"), (Mode::Advise, "remind only")];

/// The view that covers the candidate.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// None: the candidate itself.
    Candidate,
    /// The form, and the replay of the draft in it.
    Edit(DraftForm, ReplayStatus),
    /// The choice of a lesson to merge into.
    Merge,
    /// The choice of a reason for rejecting.
    Reject,
    /// A reason for rejecting in the person's own words.
    RejectBecause(LineEditor),
    /// The choice of a reason for accepting a flagged candidate.
    Accept(AcceptFor),
    /// A reason for accepting in the person's own words.
    AcceptBecause(AcceptFor, LineEditor),
    /// The choice of what the lesson does, where its candidate proposes more than a reminder.
    Mode,
    /// The list of all candidates.
    List(CandidateList),
    /// The choice of a reason for rejecting the candidates that are selected in the list.
    RejectSelected(CandidateList),
    /// The list of keys.
    Help,
    /// The end: no candidate is left.
    End,
}

/// What follows when a flagged candidate is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptFor {
    /// It is promoted.
    Promote,
    /// It is merged into the lesson with this id.
    Merge(String),
}

/// The number that a digit chooses among `all`, from 0.
pub(super) fn chosen(digit: char, all: usize) -> Option<usize> {
    let digit = usize::try_from(digit.to_digit(10)?).ok()?;
    digit.checked_sub(1).filter(|number| *number < all)
}
