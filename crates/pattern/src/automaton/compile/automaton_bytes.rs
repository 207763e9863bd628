//! The bytes of an automaton in memory.

use bytes::Bytes;

use crate::automaton::Automaton;

/// The bytes of an [`Automaton`]. Clones share them, and an automaton that was read from a file keeps the whole file's
/// bytes alive: an index holds thousands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutomatonBytes(Bytes);

impl AutomatonBytes {
    /// Wraps bytes that [`super::compile`] made or that were read from an index.
    pub fn new(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// The bytes as an index stores them.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        let search = |automaton: Automaton<'_>| automaton.is_match(&automaton.alphabet().read(text));
        // Bytes that were compiled here are never corrupt; bytes from a file are checked by their reader.
        Automaton::parse(self.bytes()).and_then(search).unwrap_or(false)
    }
}
