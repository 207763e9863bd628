//! How much is shown.

use std::ops::Range;

use super::Found;

/// What a text costs a model, as a rule of thumb: a token for every four characters begun.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The most that is shown of what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most lessons.
    pub lessons: usize,
    /// The most [`tokens`] of their rules together.
    pub tokens: usize,
}

impl Limits {
    /// No limit.
    pub const NONE: Self = Self { lessons: usize::MAX, tokens: usize::MAX };

    /// The first of `found` that fit. The very first is always among them; after one that does not
    /// fit there is none, so that nothing is shown before something better.
    pub fn cut(self, found: &[Found]) -> Range<usize> {
        let mut spent = 0_usize;
        let fits = |(place, found): &(usize, &Found)| {
            spent = spent.saturating_add(tokens(&found.entry.rule));
            *place == 0 || spent <= self.tokens
        };
        0..found.iter().take(self.lessons.max(1)).enumerate().take_while(fits).count()
    }
}
