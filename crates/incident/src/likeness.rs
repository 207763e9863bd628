//! Likeness: how much of a pattern stands in a part of a text.
//!
//! The text is looked at in windows of one and a half times the pattern's words, each of which begins half a pattern
//! after the one before it: so one of them holds every passage as long as the pattern whole. The similarity of a window
//! is 0.4 times the share of the pattern's words that stand in it and 0.6 times the share of the pattern's grams.
//! A pattern of fewer than [`SHORT`] words is found only where all of its words follow each other.
//!
//! The words of the text are indexed once. A similarity needs a share of the pattern's words, so only windows with that
//! many are looked at, and all patterns together take no more than [`MOST_STEPS`] steps: a text that is made to need more
//! is compared with the first patterns only.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::sentence;
use crate::sketch::{Hash, Sketch, Words};

/// The number of words below which a pattern matches only whole.
pub const SHORT: usize = 5;
/// The weight of the words in a similarity.
const WORDS_WEIGHT: f64 = 0.4;
/// The weight of the grams in a similarity.
const GRAMS_WEIGHT: f64 = 0.6;
/// The most places and grams that are looked at for one text, together for all patterns: some milliseconds.
pub const MOST_STEPS: usize = 2_000_000;

/// The least similarity at which a text matches a pattern: 0.5 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Threshold(f64);

impl Threshold {
    /// The value.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Threshold {
    type Error = &'static str;

    fn try_from(value: f64) -> Result<Self, Self::Error> {
        (0.5..=1.0).contains(&value).then_some(Self(value)).ok_or("a number from 0.5 to 1")
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Self(0.75)
    }
}

/// The passages of a text that are like a pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Likeness {
    /// The highest similarity of a window, 0 to 1.
    pub similarity: f64,
    /// The ranges of the passages, in bytes of the text: ascending, apart, and whole sentences as far as they are in reach.
    pub passages: Vec<Range<usize>>,
}

/// A text that is compared with patterns.
#[derive(Debug)]
pub struct ComparedText<'t> {
    text: &'t str,
    words: Words,
    /// The words with the places at which they stand, ascending.
    places: Vec<(Hash, usize)>,
    /// The steps that are left.
    steps: usize,
}

impl<'t> ComparedText<'t> {
    /// Reads a text.
    pub fn new(text: &'t str) -> Self {
        let words = Words::of(text);
        let mut places: Vec<_> = words.list.iter().map(|word| word.hash).zip(0..).collect();
        places.sort_unstable();
        Self { text, words, places, steps: MOST_STEPS }
    }

    /// The passages that are like a pattern by at least the threshold. `None` if there is none, or if no steps are left.
    pub fn likeness(&mut self, sketch: &Sketch, threshold: Threshold) -> Option<Likeness> {
        let length = sketch.words.len();
        if length == 0 {
            return None;
        }
        if length < SHORT {
            return self.whole(sketch);
        }
        let mut wanted = sketch.words.clone();
        wanted.sort_unstable();
        wanted.dedup();
        let hits = self.hits(&wanted)?;
        let least = least_words(wanted.len(), threshold);
        let mut best = 0.0;
        let mut passages = Vec::new();
        let mut rest = hits.as_slice();
        for window in windows(length, self.words.list.len(), &hits) {
            rest = &rest[rest.partition_point(|hit| hit.place < window.start)..];
            let inside = &rest[..rest.partition_point(|hit| hit.place < window.end)];
            let Some((different, place)) = needed(inside, wanted.len()).filter(|(found, _)| *found >= least)
            else {
                continue;
            };
            let similarity = self.similarity(sketch, &window, share(different, wanted.len()))?;
            if similarity >= threshold.value() {
                best = f64::max(best, similarity);
                passages.push(self.passage(place));
            }
        }
        (!passages.is_empty()).then(|| Likeness { similarity: best, passages: sentence::joined(passages) })
    }

    /// The passages in which all words of a pattern follow each other.
    fn whole(&mut self, sketch: &Sketch) -> Option<Likeness> {
        let first = *sketch.words.first()?;
        self.steps = self.steps.checked_sub(self.places_of(first).len())?;
        let whole = |&(_, start): &(Hash, usize)| {
            let place = start..start + sketch.words.len();
            let words = self.words.list.get(place.clone())?;
            words.iter().map(|word| &word.hash).eq(&sketch.words).then(|| self.passage(place))
        };
        let passages: Vec<_> = self.places_of(first).iter().filter_map(whole).collect();
        (!passages.is_empty()).then(|| Likeness { similarity: 1.0, passages: sentence::joined(passages) })
    }

    /// The places at which words of a pattern stand, ascending. `None` if no steps are left.
    fn hits(&mut self, wanted: &[Hash]) -> Option<Vec<Hit>> {
        let mut hits = Vec::new();
        for (word, &hash) in wanted.iter().enumerate() {
            let places = self.places_of(hash);
            hits.extend(places.iter().map(|&(_, place)| Hit { place, word }));
            self.steps = self.steps.checked_sub(places.len())?;
        }
        hits.sort_unstable_by_key(|hit| hit.place);
        Some(hits)
    }

    /// The places at which a word stands.
    fn places_of(&self, hash: Hash) -> &[(Hash, usize)] {
        let rest = &self.places[self.places.partition_point(|(other, _)| *other < hash)..];
        &rest[..rest.partition_point(|(other, _)| *other == hash)]
    }

    /// The similarity of a window, given the share of the words. `None` if no steps are left.
    fn similarity(&mut self, sketch: &Sketch, window: &Range<usize>, words: f64) -> Option<f64> {
        let mut found: Vec<Hash> = self
            .words
            .grams(window.clone())
            .filter(|gram| sketch.grams.binary_search(gram).is_ok())
            .collect();
        self.steps = self.steps.checked_sub(window.len() * 8)?;
        found.sort_unstable();
        found.dedup();
        Some(WORDS_WEIGHT * words + GRAMS_WEIGHT * share(found.len(), sketch.grams.len()))
    }

    /// The sentences that some words of the text are in.
    fn passage(&self, words: Range<usize>) -> Range<usize> {
        let words = self.words.list.get(words).unwrap_or_default();
        let start = words.first().map_or(0, |first| first.source.start);
        sentence::around(self.text, &(start..words.last().map_or(start, |last| last.source.end)))
    }
}

/// A place in a text at which a word of a pattern stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hit {
    /// The number of the word in the text.
    place: usize,
    /// The number of the word in the pattern.
    word: usize,
}

/// The number of different words of a pattern, which has `words`, that stand in a window, and the shortest part of the window that
/// has all of them, by the numbers of words in the text.
fn needed(hits: &[Hit], words: usize) -> Option<(usize, Range<usize>)> {
    let mut counts = vec![0_usize; words];
    for hit in hits {
        counts[hit.word] += 1;
    }
    let different = counts.iter().filter(|&&count| count > 0).count();
    // What stands around the passage has some words of the pattern too: those that the passage itself has are left out.
    let mut is_needed = |hit: &&Hit| {
        let is_repeated = counts[hit.word] > 1;
        counts[hit.word] -= usize::from(is_repeated);
        !is_repeated
    };
    let first = hits.iter().find(&mut is_needed)?.place;
    let last = hits.iter().rev().find(&mut is_needed)?.place;
    Some((different, first..last + 1))
}

/// The windows for a pattern of `length` words over a text of `words`, in which there is any of the hits, ascending.
fn windows(length: usize, words: usize, hits: &[Hit]) -> impl Iterator<Item = Range<usize>> {
    let (size, step) = (length + length / 2, (length / 2).max(1));
    // The last window reaches the end of the text.
    let last = words.saturating_sub(size).div_ceil(step);
    let mut next = 0;
    let numbers = hits.iter().flat_map(move |hit| {
        let first = (hit.place + 1).saturating_sub(size).div_ceil(step).max(next);
        let end = (hit.place / step).min(last) + 1;
        next = next.max(end);
        first..end
    });
    numbers.map(move |number| number * step..(number * step + size).min(words))
}

/// The least number of different words that a window of the threshold's similarity has, if all grams stand in it. At
/// least one: a text without any word of a pattern is not compared.
fn least_words(words: usize, threshold: Threshold) -> usize {
    let enough = |found: &usize| WORDS_WEIGHT * share(*found, words) + GRAMS_WEIGHT >= threshold.value();
    (1..=words).find(enough).unwrap_or(words)
}

#[allow(clippy::cast_precision_loss, reason = "the numbers are those of words in a pattern")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
#[path = "likeness/tests.rs"]
mod tests;
