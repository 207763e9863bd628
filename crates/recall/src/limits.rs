//! The limits of an answer: how many lessons are shown.

use std::ops::Range;

use super::Found;

/// The estimated number of tokens of a text: one for every four characters begun.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The limits of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of lessons.
    pub lessons: usize,
    /// The maximum number of [`tokens`] of their rules together.
    pub tokens: usize,
}

impl Limits {
    /// No limit.
    pub const NONE: Self = Self { lessons: usize::MAX, tokens: usize::MAX };

    /// The range of the first lessons of `found` within the limits. It always includes the first lesson, and it ends at the
    /// first that does not fit, so that no lesson is shown before a better one.
    pub fn cut(self, found: &[Found]) -> Range<usize> {
        let mut spent = 0_usize;
        let fits = |(place, found): &(usize, &Found)| {
            spent = spent.saturating_add(tokens(&found.entry.rule));
            *place == 0 || spent <= self.tokens
        };
        0..found.iter().take(self.lessons.max(1)).enumerate().take_while(fits).count()
    }
}
