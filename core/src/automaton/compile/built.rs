//! The bytes of an automaton, and who keeps them.

use std::fmt;

use bytes::Bytes;

use crate::automaton::Automaton;

/// The bytes of an [`Automaton`]. A copy shares them, and what was read with them is kept with them: an index holds
/// thousands.
#[derive(Clone, PartialEq, Eq)]
pub struct Built(Bytes);

impl Built {
    /// These bytes.
    pub fn new(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        let search = |automaton: Automaton<'_>| automaton.is_match(&automaton.alphabet().read(text));
        // What is built here is not damaged; what was read is checked where it is read.
        Automaton::parse(self.bytes()).and_then(search).unwrap_or(false)
    }
}

impl fmt::Debug for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Built").field(&self.bytes()).finish()
    }
}
