//! The order of the lessons found, and how many of them are shown.
//!
//! Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) joins three orders into one: a place in an order counts
//! 1 / (60 + place), times the weight of the order. Equals share a place and the next one is skipped, as in a race. The order
//! by the words of the rules is that of Okapi BM25.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use lessons_lesson::QualifiedId;
use lessons_pattern::TriggerKind;
use lessons_text::words::significant;

/// The constant of reciprocal rank fusion: the higher, the less the first places of an order stand out.
const K: f64 = 60.0;
/// The weights of specificity, coherence and relevance. Specificity counts more than the other two together.
const WEIGHTS: [f64; 3] = [5.0, 2.0, 1.0];

/// A lesson that concerns a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The lesson's id with its layer.
    pub id: QualifiedId,
    /// The lesson's rule.
    pub rule: String,
    /// The lesson's topics.
    pub topics: Vec<String>,
    /// The time when the lesson was recorded, in RFC 3339.
    pub created_at: String,
}

/// A lesson that was found, with the signals of its rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The lesson.
    pub entry: Entry,
    /// The signals of its rank.
    pub signals: Signals,
    /// The kinds of triggers that matched.
    pub by: Ways,
}

/// The kinds of triggers that led to a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ways {
    /// Whether a trigger on the file matched.
    pub file: bool,
    /// Whether a trigger on the command matched.
    pub command: bool,
    /// Whether a keyword matched.
    pub keyword: bool,
}

impl Ways {
    /// These kinds and one more.
    pub(super) fn and(mut self, kind: TriggerKind) -> Self {
        match kind {
            TriggerKind::FileGlob | TriggerKind::PathPattern => self.file = true,
            TriggerKind::CommandPattern => self.command = true,
            TriggerKind::Keyword => self.keyword = true,
            TriggerKind::ContentPattern | TriggerKind::Tool | TriggerKind::ErrorPattern => {}
        }
        self
    }
}

/// The signals that decide a lesson's rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signals {
    /// The specificity of the most specific trigger that matched: 1 divided by its document frequency, the number of active
    /// lessons that share it.
    pub specificity: f64,
    /// The coherence: how many of the lessons found share the most frequent of the lesson's topics.
    pub coherence: usize,
    /// The relevance of the rule's words, by BM25.
    pub relevance: f64,
    /// The places in the three orders, from 1.
    pub places: [usize; 3],
}

impl Signals {
    /// The score by which lessons are ranked.
    #[allow(clippy::cast_precision_loss, reason = "counts of lessons are far below 2^52")]
    fn score(&self) -> f64 {
        WEIGHTS.iter().zip(self.places).map(|(weight, place)| weight / (K + place as f64)).sum()
    }
}

/// Ranks lessons of known specificity and relevance, the best first. Ties go to the newest, then to the lowest id.
#[allow(clippy::cast_precision_loss, reason = "counts of lessons are far below 2^52")]
pub(super) fn rank(mut found: Vec<Found>) -> Vec<Found> {
    for (coherence, one) in coherences(&found).into_iter().zip(&mut found) {
        one.signals.coherence = coherence;
    }
    let signals: [fn(&Signals) -> f64; 3] =
        [|it| it.specificity, |it| it.coherence as f64, |it| it.relevance];
    for (order, signal) in signals.into_iter().enumerate() {
        let values: Vec<f64> = found.iter().map(|one| signal(&one.signals)).collect();
        for (one, place) in found.iter_mut().zip(places(&values)) {
            one.signals.places[order] = place;
        }
    }
    found.sort_by(|a, b| {
        b.signals
            .score()
            .total_cmp(&a.signals.score())
            .then_with(|| b.entry.created_at.cmp(&a.entry.created_at))
            .then_with(|| a.entry.id.cmp(&b.entry.id))
    });
    found
}

/// The coherence of each lesson.
fn coherences(found: &[Found]) -> Vec<usize> {
    let mut sharing: HashMap<&str, usize> = HashMap::new();
    for Found { entry, .. } in found {
        for topic in entry.topics.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            *sharing.entry(topic).or_default() += 1;
        }
    }
    let best =
        |topics: &[String]| topics.iter().filter_map(|topic| sharing.get(topic.as_str()).copied()).max();
    found.iter().map(|one| best(&one.entry.topics).unwrap_or(0)).collect()
}

/// The place of each value, from 1, the highest value first. Equal values share a place.
fn places(values: &[f64]) -> Vec<usize> {
    let mut order = values.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    values.iter().map(|value| order.partition_point(|other| other.total_cmp(value).is_gt()) + 1).collect()
}

/// BM25's `k1`: the higher, the more another mention of a word counts.
const K1: f64 = 1.5;
/// BM25's `b`, from 0 to 1: how much the length of a rule lowers its relevance.
const B: f64 = 0.75;

/// The counts of one rule from which its relevance is computed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Relevance {
    /// The number of words in the rule, without stop words.
    words: usize,
    /// The number of mentions of each asked word in the rule, by its position among all asked words.
    asked: BTreeMap<usize, usize>,
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
                *read.asked.entry(*asked).or_default() += 1;
            }
        }
        self.rules += 1;
        self.words += read.words;
        for &asked in read.asked.keys() {
            self.holders[asked] += 1;
        }
        read
    }

    /// The relevance of a rule, once all rules have been added. It is 0 for a rule without an asked word.
    #[allow(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    pub(super) fn score(&self, rule: &Relevance) -> f64 {
        let mean = self.words as f64 / self.rules.max(1) as f64;
        let length = if mean > 0.0 { rule.words as f64 / mean } else { 0.0 };
        let of_word = |(word, times): (&usize, &usize)| {
            let (rules, holders) = (self.rules as f64, self.holders[*word] as f64);
            let rarity = (1.0 + (rules - holders + 0.5) / (holders + 0.5)).ln();
            let times = *times as f64;
            rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
        };
        // In a fixed order, since floating-point sums depend on it.
        rule.asked.iter().map(of_word).fold(0.0, |sum, word| sum + word)
    }
}

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

    /// The number of the first lessons within the limits, of lessons with these rules. It always includes the first one, and it
    /// ends at the first that does not fit, so that no lesson is shown before a better one.
    pub fn cut<'r>(self, rules: impl Iterator<Item = &'r String>) -> usize {
        let mut spent = 0_usize;
        let fits = |(place, rule): &(usize, &String)| {
            spent = spent.saturating_add(tokens(rule));
            *place == 0 || spent <= self.tokens
        };
        rules.take(self.lessons.max(1)).enumerate().take_while(fits).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_a_place_and_the_next_is_skipped() {
        assert_eq!(places(&[0.5, 1.0, 0.5, 1.0, 0.1]), [3, 1, 3, 1, 5]);
        assert!(places(&[]).is_empty());
    }

    fn entry(id: &str, topic: &str, created: &str) -> Entry {
        Entry {
            id: format!("user/{id}").parse().unwrap(),
            rule: String::new(),
            topics: vec![topic.to_owned()],
            created_at: created.to_owned(),
        }
    }

    fn order(entries: &[(Entry, f64, f64)]) -> Vec<String> {
        let found = entries.iter().map(|(entry, specificity, relevance)| Found {
            entry: entry.clone(),
            signals: Signals { specificity: *specificity, relevance: *relevance, ..Signals::default() },
            by: Ways::default(),
        });
        rank(found.collect()).into_iter().map(|found| found.entry.id.id.to_string()).collect()
    }

    #[test]
    fn a_particular_trigger_comes_first_then_the_common_topic_then_the_words() {
        let day = "2026-01-01";
        let broad = |id, topic, relevance| (entry(id, topic, day), 0.5, relevance);
        let entries =
            [broad("words", "t", 2.0), broad("topic", "t", 0.0), (entry("own", "u", day), 1.0, 0.0)];
        assert_eq!(order(&entries), ["own", "words", "topic"]);
    }

    #[test]
    fn of_equals_the_newest_comes_first_then_the_id_decides() {
        let entries = [
            (entry("b", "t", "2026-05-01"), 1.0, 0.0),
            (entry("a", "t", "2026-05-01"), 1.0, 0.0),
            (entry("c", "t", "2026-05-01T10:00:00Z"), 1.0, 0.0),
        ];
        assert_eq!(order(&entries), ["c", "a", "b"]);
    }
}

#[cfg(test)]
mod bm25_tests {
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
