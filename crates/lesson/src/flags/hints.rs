//! Hints: for each of many conditions, words of which one occurs in every text that satisfies it.
//!
//! Nearly no short text contains any of them, and one pass over the text tells.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A search for the hints of all conditions at once.
pub(super) struct Hints {
    search: AhoCorasick,
    /// The condition that each word is a hint of.
    conditions: Vec<usize>,
}

impl Hints {
    /// Compiles the hints of each condition, which are separated by bars.
    pub(super) fn new<'w>(hints: impl Iterator<Item = &'w str>) -> Option<Self> {
        let words =
            hints.enumerate().flat_map(|(index, words)| words.split('|').map(move |word| (index, word)));
        let (conditions, words): (Vec<usize>, Vec<&str>) = words.unzip();
        // It is built in every program that flags a text, most of which are short.
        let kind = AhoCorasickKind::NoncontiguousNFA;
        let search = AhoCorasick::builder().kind(Some(kind)).build(words).ok()?;
        Some(Self { search, conditions })
    }

    /// Whether each of the conditions has a hint in `text`, in their order.
    pub(super) fn in_text(&self, text: &str) -> Vec<bool> {
        let mut hinted = vec![false; self.conditions.last().map_or(0, |last| last + 1)];
        for found in self.search.find_overlapping_iter(text) {
            let condition = self.conditions.get(found.pattern().as_usize()).copied();
            if let Some(hinted) = condition.and_then(|condition| hinted.get_mut(condition)) {
                *hinted = true;
            }
        }
        hinted
    }
}
