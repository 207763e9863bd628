//! The bytes of an automaton, and who keeps them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::automaton::{Alphabet, Automaton, kinds};

/// The bytes of an [`Automaton`]. A copy shares them.
#[derive(Clone)]
pub struct Built {
    /// They, and what else stands there.
    within: Arc<Vec<u8>>,
    /// They.
    at: Range<usize>,
}

impl Built {
    /// These bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let at = 0..bytes.len();
        Self { within: Arc::new(bytes), at }
    }

    /// A part of more bytes, which are kept for it: an index holds thousands of automata.
    pub fn part(within: &Arc<Vec<u8>>, part: &[u8]) -> Self {
        let start = part.as_ptr().addr().wrapping_sub(within.as_ptr().addr());
        match start.checked_add(part.len()) {
            Some(end) if end <= within.len() => Self { within: Arc::clone(within), at: start..end },
            // It is not one of theirs.
            _ => Self::new(part.to_vec()),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.within.get(self.at.clone()).unwrap_or_default()
    }

    /// Whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        let search = |automaton: Automaton<'_>| match automaton.alphabet() {
            Alphabet::Kinds if !text.is_ascii() => automaton.is_match(&kinds::of(text)),
            _ => automaton.is_match(text.as_bytes()),
        };
        // What is built here is not damaged; what was read is checked where it is read.
        Automaton::parse(self.bytes()).and_then(search).unwrap_or(false)
    }
}

impl PartialEq for Built {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Built {}

impl fmt::Debug for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Built").field(&self.bytes()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_kept_with_the_whole() {
        let whole = Arc::new(b"0123456789".to_vec());
        let part = Built::part(&whole, &whole[3..7]);
        assert_eq!(part.bytes(), b"3456");
        assert_eq!((Arc::strong_count(&whole), &part), (2, &Built::new(b"3456".to_vec())));
        assert_eq!(Built::part(&whole, &whole[10..]).bytes(), b"");
    }

    #[test]
    fn what_is_no_part_is_copied() {
        let (whole, other) = (Arc::new(vec![0; 64]), vec![1; 64]);
        assert_eq!(Built::part(&whole, &other).bytes(), other);
        assert_eq!(Arc::strong_count(&whole), 1);
    }
}
