//! Hints: for each of many conditions, words of which one occurs in every text that satisfies it.
//!
//! Nearly no text contains any of them, and one pass over the text tells.

use regex_automata::meta::{Config, Regex};
use regex_automata::{Input, MatchKind, PatternSet};

/// A search for the hints of all conditions at once.
pub(super) struct Hints(Regex);

impl Hints {
    /// Compiles the hints of each condition, which are separated by bars.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w str>) -> Option<Self> {
        let any_of = |words: &str| words.split('|').map(regex_syntax::escape).collect::<Vec<_>>().join("|");
        // All conditions whose hints match are wanted, not only the first.
        let config = Config::new().match_kind(MatchKind::All);
        let words: Vec<String> = words.map(any_of).collect();
        Regex::builder().configure(config).build_many(&words).ok().map(Self)
    }

    /// The numbers of the conditions whose hints occur in `text`, ascending.
    pub(super) fn in_text(&self, text: &str) -> PatternSet {
        let mut found = PatternSet::new(self.0.pattern_len());
        self.0.which_overlapping_matches(&Input::new(text), &mut found);
        found
    }
}
