//! What the screen leaves to be done beside it, and what it hears of that.

use super::draft::Draft;
use super::item::{Measure, Ticket};
use crate::review::decision::Decision;

/// What a key leaves to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Carry a decision out.
    Decide(Ticket, Decision),
    /// Take a decision back.
    TakeBack(Ticket),
    /// Count how often this draft of a candidate would have fired.
    Measure(usize, Draft),
    /// Stop until the person comes back.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Leave.
    Quit,
}

/// What came of an effect.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A decision was carried out; in a line.
    Done(Ticket, String),
    /// It was not, and why.
    NotDone(Ticket, String),
    /// It was taken back.
    TakenBack(Ticket),
    /// It was not, and why.
    NotTakenBack(Ticket, String),
    /// A draft was counted.
    Measured(usize, Draft, Measure),
}
