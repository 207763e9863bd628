//! How well a rule's words fit what was asked: Okapi BM25.

use super::vocabulary::{Vocabulary, WordPlace};
use crate::words::significant;

/// How soon another mention of a word stops counting.
const K1: f64 = 1.5;
/// How much a long rule is held against it.
const B: f64 = 0.75;

/// What is known of one rule: how many words of it count, and how often each asked one is among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Relevance {
    /// Words that count.
    words: usize,
    /// The asked words that are there: position among the asked, times.
    asked: Vec<(usize, usize)>,
}

impl Relevance {
    fn count(&mut self, asked: usize) {
        match self.asked.iter_mut().find(|(known, _)| *known == asked) {
            Some((_, times)) => *times += 1,
            None => self.asked.push((asked, 1)),
        }
    }
}

/// Rules held against what was asked.
#[derive(Debug)]
pub(super) struct Bm25 {
    /// For each word of the vocabulary its position among the asked ones, if somebody asks for it.
    asked: Vec<Option<usize>>,
    /// How many rules hold each asked word.
    holders: Vec<usize>,
    rules: usize,
    words: usize,
}

impl Bm25 {
    /// For a question with these texts, about rules whose words are in `vocabulary`.
    pub(super) fn new<'t>(vocabulary: &Vocabulary, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut asked = vec![None; vocabulary.len()];
        let mut count = 0;
        // A word that no rule holds changes nothing.
        for place in texts.into_iter().flat_map(significant).filter_map(|word| vocabulary.find(&word)) {
            if let Some(unasked @ None) = asked.get_mut(place.0 as usize) {
                *unasked = Some(count);
                count += 1;
            }
        }
        Self { asked, holders: vec![0; count], rules: 0, words: 0 }
    }

    /// Takes a rule into the collection, as the words of it that count.
    pub(super) fn read(&mut self, rule: &[WordPlace]) -> Relevance {
        let mut read = Relevance { words: rule.len(), asked: Vec::new() };
        for asked in rule.iter().filter_map(|word| *self.asked.get(word.0 as usize)?) {
            read.count(asked);
        }
        self.rules += 1;
        self.words += read.words;
        for &(asked, _) in &read.asked {
            if let Some(holders) = self.holders.get_mut(asked) {
                *holders += 1;
            }
        }
        read
    }

    /// How well a rule fits, now that all have been read. 0 for one that holds no asked word.
    #[allow(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    pub(super) fn score(&self, rule: &Relevance) -> f64 {
        let mean = self.words as f64 / self.rules.max(1) as f64;
        let length = if mean > 0.0 { rule.words as f64 / mean } else { 0.0 };
        let mut asked = rule.asked.clone();
        // Sums of fractions depend on their order.
        asked.sort_unstable();
        let of_word = |(word, times): (usize, usize)| {
            let (rules, holders) = (self.rules as f64, self.holders.get(word).map_or(0.0, |&it| it as f64));
            let rarity = (1.0 + (rules - holders + 0.5) / (holders + 0.5)).ln();
            let times = times as f64;
            rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
        };
        asked.into_iter().map(of_word).fold(0.0, |sum, word| sum + word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(asked: &str, rules: &[&str]) -> Vec<f64> {
        let mut vocabulary = Vocabulary::default();
        let mut said = |rule: &&str| significant(rule).map(|word| vocabulary.place(&word)).collect();
        let rules: Vec<Vec<WordPlace>> = rules.iter().map(&mut said).collect();
        let mut collection = Bm25::new(&vocabulary, [asked]);
        let read: Vec<_> = rules.iter().map(|rule| collection.read(rule)).collect();
        read.iter().map(|rule| collection.score(rule)).collect()
    }

    #[test]
    fn a_rule_with_the_asked_words_scores_and_one_without_does_not() {
        let scores = scores(
            "src/windows-paths.ts",
            &["Normalise windows paths before display.", "Prefer interfaces over aliases."],
        );
        assert!((scores[0] - 1.320_28).abs() < 1e-5, "{scores:?}");
        assert!(scores[1].abs() < f64::EPSILON);
    }

    #[test]
    fn stop_words_and_single_letters_weigh_nothing() {
        assert_eq!(scores("the a of x", &["the x of it", "a"]), [0.0, 0.0]);
    }

    #[test]
    fn a_rare_word_weighs_more_than_a_common_one() {
        let scores = scores("cache token", &["cache one", "cache two", "token two"]);
        assert!(scores[2] > scores[0] && scores[0] > 0.0, "{scores:?}");
    }
}
