//! Side effects that the state asks for, and their results.

use super::draft::LessonDraft;
use super::item::{ReplayStatus, Ticket};
use crate::review::decision::Decision;

/// A side effect of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Carry a decision out.
    Decide(Ticket, Decision),
    /// Undo a decision.
    TakeBack(Ticket),
    /// Replay a draft of the candidate at this position over the past sessions.
    Replay(usize, LessonDraft),
    /// Suspend the program (`SIGTSTP`) until the shell resumes it.
    Suspend,
    /// Repaint the whole screen.
    Redraw,
    /// Leave the screen.
    Quit,
}

/// The result of an effect, reported by a worker.
#[derive(Debug, Clone, PartialEq)]
pub enum EffectResult {
    /// The decision was saved; the text is one line for the person.
    Done(Ticket, String),
    /// The decision could not be saved; the text says why.
    NotDone(Ticket, String),
    /// The decision was undone.
    TakenBack(Ticket),
    /// The decision could not be undone; the text says why.
    NotTakenBack(Ticket, String),
    /// The replay of a draft has a new count.
    Replayed(usize, LessonDraft, ReplayStatus),
}
