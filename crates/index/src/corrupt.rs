//! The error of a reader that meets bytes which no builder writes.

use lessons_pattern::automaton;

/// The error that bytes of an index are not those of any builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the index is corrupt")]
pub struct Corrupt;

/// A result of reading an index.
pub type Result<T, E = Corrupt> = std::result::Result<T, E>;

impl From<automaton::CorruptAutomaton> for Corrupt {
    fn from(_: automaton::CorruptAutomaton) -> Self {
        Self
    }
}
