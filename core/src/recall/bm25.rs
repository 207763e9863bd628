//! How well a rule's words fit what was asked: Okapi BM25.

use std::collections::BTreeMap;

use super::words::{counts, is_stop_word_of_bytes};
use crate::pattern::keyword;

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
#[derive(Debug, Default)]
pub(super) struct Bm25 {
    /// The asked words, each once, with how many rules hold it.
    asked: BTreeMap<String, usize>,
    holders: Vec<usize>,
    /// How long the asked words are, in bytes.
    lengths: Vec<usize>,
    rules: usize,
    words: usize,
}

impl Bm25 {
    /// For a question with these texts.
    pub(super) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut asked = BTreeMap::new();
        for word in texts.into_iter().flat_map(keyword::tokens).filter(|word| counts(word)) {
            let next = asked.len();
            asked.entry(word).or_insert(next);
        }
        let mut lengths: Vec<usize> = asked.keys().map(String::len).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Self { holders: vec![0; asked.len()], asked, lengths, rules: 0, words: 0 }
    }

    /// Takes a rule into the collection.
    pub(super) fn read(&mut self, rule: &str) -> Relevance {
        let mut read = Relevance::default();
        if rule.is_ascii() {
            // Most are, and then a word is a piece of the text itself.
            for word in rule.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()) {
                if !word.is_empty() {
                    self.note_ascii(word, &mut read);
                }
            }
            return self.taken(read);
        }
        let mut word = String::new();
        // A word ends where no letter or digit follows; the space in the end ends the last.
        for c in rule.chars().chain(Some(' ')) {
            if c.is_ascii_alphanumeric() {
                word.push(c.to_ascii_lowercase());
            } else if c.is_alphanumeric() {
                word.extend(c.to_lowercase());
            } else if !word.is_empty() {
                self.note(&word, &mut read);
                word.clear();
            }
        }
        self.taken(read)
    }

    fn taken(&mut self, read: Relevance) -> Relevance {
        self.rules += 1;
        self.words += read.words;
        for &(asked, _) in &read.asked {
            if let Some(holders) = self.holders.get_mut(asked) {
                *holders += 1;
            }
        }
        read
    }

    /// Takes up a word of ASCII letters and digits in whatever case.
    fn note_ascii(&self, word: &[u8], read: &mut Relevance) {
        if word.len() < 2 || is_stop_word_of_bytes(word) {
            return;
        }
        read.words += 1;
        // Nearly every word is as long as no asked one.
        if self.lengths.contains(&word.len()) {
            let asked = self.asked.iter().find(|(asked, _)| asked.as_bytes().eq_ignore_ascii_case(word));
            if let Some((_, &asked)) = asked {
                read.count(asked);
            }
        }
    }

    fn note(&self, word: &str, read: &mut Relevance) {
        if !counts(word) {
            return;
        }
        read.words += 1;
        if let Some(&asked) = self.asked.get(word) {
            read.count(asked);
        }
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
    fn a_rule_reads_the_same_whether_or_not_all_of_it_is_ascii() {
        let rule = "Run THE tests, then the tests again: x 42 `cache-key`, always.";
        let mut collection = Bm25::new(["Tests cache always 42"]);
        let plain = collection.read(rule);
        assert_eq!((plain.words, plain.asked.len()), (8, 4));
        assert_eq!(collection.read(&format!("{rule} \u{2026}")), plain);
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
