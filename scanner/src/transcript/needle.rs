//! A text that is searched in raw bytes, by a search that is made once.

use std::sync::OnceLock;

use memchr::memmem::Finder;

/// A text to search for.
#[derive(Debug)]
pub(crate) struct Needle {
    text: &'static str,
    finder: OnceLock<Finder<'static>>,
}

impl Needle {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, finder: OnceLock::new() }
    }

    /// The places at which it stands, in order.
    pub(crate) fn places<'b>(&'b self, bytes: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
        self.finder().find_iter(bytes)
    }

    /// The first of these places.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        self.finder().find(bytes)
    }

    /// Whether it stands in some bytes.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        self.find(bytes).is_some()
    }

    pub(crate) fn finder(&self) -> &Finder<'static> {
        self.finder.get_or_init(|| Finder::new(self.text))
    }
}
