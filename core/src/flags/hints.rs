//! Which of many things may stand in a text, by words one of which stands wherever the thing does.
//!
//! Nearly every text holds none of them, and one pass tells.

use regex_automata::meta::{Config, Regex};
use regex_automata::{Input, MatchKind, PatternSet};

/// The words of all things.
pub(super) struct Hints(Regex);

impl Hints {
    /// Of things with these words each, which have bars between them.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w str>) -> Option<Self> {
        let any_of = |words: &str| words.split('|').map(regex_syntax::escape).collect::<Vec<_>>().join("|");
        // All that match, not only the first.
        let config = Config::new().match_kind(MatchKind::All);
        let words: Vec<String> = words.map(any_of).collect();
        Regex::builder().configure(config).build_many(&words).ok().map(Self)
    }

    /// The numbers of the things that may stand in `text`, in order.
    pub(super) fn in_text(&self, text: &str) -> PatternSet {
        let mut found = PatternSet::new(self.0.pattern_len());
        self.0.which_overlapping_matches(&Input::new(text), &mut found);
        found
    }
}
