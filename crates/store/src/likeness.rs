//! Similarity of two texts, in any script.
//!
//! Two texts are near if they share at least half of all their words (the Jaccard index), or if their trigrams are
//! distributed alike (a cosine of at least 0.6, trigrams counted by hash). The second measure finds inflected words
//! and works for scripts without spaces.

use std::collections::{BTreeMap, BTreeSet};

use lessons_text::words;

/// The length of an n-gram, in characters.
const RUN: usize = 3;
/// The share of all words from which on two texts are near.
const NEAR_WORDS: f64 = 0.5;
/// The cosine of the trigrams from which on two texts are near.
const NEAR_RUNS: f64 = 0.6;
/// The most characters of a text that count.
const MOST_CHARS: usize = 4000;

/// The features of a text that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Likeness {
    words: BTreeSet<String>,
    /// The number of occurrences of each trigram, by its hash.
    runs: BTreeMap<u32, u64>,
}

impl Likeness {
    /// The features of `text`.
    pub fn of(text: &str) -> Self {
        let text: String = text.chars().take(MOST_CHARS).collect();
        let words = words::tokens(&text);
        // With a space at either end, so that the start of a word is a trigram of its own.
        let line: Vec<char> = format!(" {} ", words.join(" ")).chars().collect();
        let mut runs = BTreeMap::new();
        for run in line.windows(RUN) {
            *runs.entry(hash(run)).or_default() += 1;
        }
        Self { words: words.into_iter().collect(), runs }
    }

    /// Whether the two texts are near. A text without words is near to none.
    pub fn is_near(&self, other: &Self) -> bool {
        self.common_words(other) >= NEAR_WORDS || self.common_runs(other) >= NEAR_RUNS
    }

    /// The similarity of the two texts, from 0 to 1: the larger of the two measures. It is for sorting; whether two texts
    /// are near is decided by [`Self::is_near`].
    pub fn degree(&self, other: &Self) -> f64 {
        self.common_words(other).max(self.common_runs(other)).min(1.0)
    }

    /// The Jaccard index of the words; 0 where a text has none.
    #[allow(clippy::cast_precision_loss, reason = "texts are short")]
    fn common_words(&self, other: &Self) -> f64 {
        let common = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - common;
        if common == 0 { 0.0 } else { common as f64 / all as f64 }
    }

    /// The cosine of the trigrams; 0 where a text has no words.
    #[allow(clippy::cast_precision_loss, reason = "texts are short")]
    fn common_runs(&self, other: &Self) -> f64 {
        if self.words.is_empty() || other.words.is_empty() {
            return 0.0;
        }
        let product = |one: &Self, other: &Self| {
            one.runs.iter().map(|(run, times)| times * other.runs.get(run).unwrap_or(&0)).sum::<u64>() as f64
        };
        product(self, other) / (product(self, self) * product(other, other)).sqrt()
    }
}

/// The FNV-1a hash of an n-gram.
fn hash(run: &[char]) -> u32 {
    run.iter().fold(0x811c_9dc5, |hash, &c| (hash ^ u32::from(c)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: &str, b: &str) -> bool {
        let (a, b) = (Likeness::of(a), Likeness::of(b));
        assert_eq!(a.is_near(&b), b.is_near(&a));
        a.is_near(&b)
    }

    #[test]
    fn half_of_all_words_in_common_is_near_and_less_is_not() {
        assert!(near("one two three", "two three four"), "two of four");
        assert!(!near("alpha beta gamma delta", "gamma delta epsilon zeta eta"), "two of seven");
        assert!(near("Use git stash -u.", "use GIT stash  -u"));
    }

    #[test]
    fn words_in_another_form_are_near() {
        assert!(near(
            "untracked files are left behind by stashing",
            "stash leaves the untracked file behind"
        ));
        assert!(!near("quote paths that hold spaces", "never force a push to the main branch"));
    }

    #[test]
    fn scripts_without_spaces_and_with_other_letters_are_compared_too() {
        assert!(near("推送前先运行镜像安装程序", "推送之前先运行镜像安装程序"));
        assert!(!near("推送前先运行镜像安装程序", "删除数据库之前先备份文件"));
        assert!(near(
            "Перед отправкой запустите установщик зеркала",
            "Запустите установщик зеркала перед отправкой"
        ));
    }

    #[test]
    fn the_degree_puts_texts_in_order() {
        let degree = |a: &str, b: &str| Likeness::of(a).degree(&Likeness::of(b));
        let same = degree("use git stash -u", "Use GIT stash -u.");
        let near = degree("use git stash -u", "use git stash with -u for new files");
        let far = degree("use git stash -u", "never force a push");
        assert!((same - 1.0).abs() < 1e-9 && same > near && near > far, "{same} {near} {far}");
        assert!(degree("", "word").abs() < f64::EPSILON);
    }

    #[test]
    fn a_text_without_words_is_like_none() {
        assert!(!near("", "") && !near("…", "…") && !near("", "word"));
    }
}
