//! The words of rules as numbers: a question compares numbers, not texts.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The place of a word among the distinct ones of a [`super::Corpus`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordPlace(pub(super) u32);

impl WordPlace {
    /// How many words came before it.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Distinct words, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary(HashMap<String, WordPlace, RandomState>);

impl Vocabulary {
    /// The place of a word, which is taken in if it is new.
    pub(super) fn place(&mut self, word: &str) -> WordPlace {
        if let Some(known) = self.find(word) {
            return known;
        }
        let next = WordPlace(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.insert(word.to_owned(), next);
        next
    }

    /// The place of a word, if some rule holds it.
    pub(super) fn find(&self, word: &str) -> Option<WordPlace> {
        self.0.get(word).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them, in their order.
    pub(super) fn words(&self) -> Vec<&str> {
        let mut words: Vec<(&str, WordPlace)> =
            self.0.iter().map(|(word, place)| (word.as_str(), *place)).collect();
        words.sort_unstable_by_key(|(_, place)| place.0);
        words.into_iter().map(|(word, _)| word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_its_place() {
        let mut vocabulary = Vocabulary::default();
        let places = ["git", "push", "git"].map(|word| vocabulary.place(word).number());
        assert_eq!(places, [0, 1, 0]);
        assert_eq!(vocabulary.words(), ["git", "push"]);
        assert_eq!(vocabulary.find("stash"), None);
    }
}
