//! Okapi BM25: the relevance of a rule to the words of a question.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use lessons_text::words::significant;

/// BM25's `k1`: the higher, the more another mention of a word counts.
const K1: f64 = 1.5;
/// BM25's `b`, from 0 to 1: how much the length of a rule lowers its relevance.
const B: f64 = 0.75;

/// The counts of one rule from which its relevance is computed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Relevance {
    /// The number of words in the rule, without stop words.
    words: usize,
    /// The asked words in the rule: the position among all asked words, and the number of mentions.
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

/// The collection of rules: the statistics that BM25 needs of the asked words.
#[derive(Debug)]
pub(super) struct Bm25<'q> {
    /// The position of each asked word among the asked words.
    asked: HashMap<Cow<'q, str>, usize, RandomState>,
    /// The number of rules that contain each asked word.
    holders: Vec<usize>,
    rules: usize,
    words: usize,
}

impl<'q> Bm25<'q> {
    /// The collection for a question with these texts.
    pub(super) fn new(texts: impl IntoIterator<Item = &'q str>) -> Self {
        let mut asked = HashMap::default();
        for word in texts.into_iter().flat_map(significant) {
            let next = asked.len();
            asked.entry(word).or_insert(next);
        }
        Self { holders: vec![0; asked.len()], asked, rules: 0, words: 0 }
    }

    /// Adds a rule to the collection and returns its counts.
    pub(super) fn read(&mut self, rule: &str) -> Relevance {
        let mut read = Relevance::default();
        for word in significant(rule) {
            read.words += 1;
            if let Some(asked) = self.asked.get(word.as_ref()) {
                read.count(*asked);
            }
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

    /// The relevance of a rule, once all rules have been added. It is 0 for a rule without an asked word.
    #[allow(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    pub(super) fn score(&self, rule: &Relevance) -> f64 {
        let mean = self.words as f64 / self.rules.max(1) as f64;
        let length = if mean > 0.0 { rule.words as f64 / mean } else { 0.0 };
        let mut asked = rule.asked.clone();
        // A fixed order of summation, since floating-point sums depend on it.
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
        let mut collection = Bm25::new([asked]);
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
