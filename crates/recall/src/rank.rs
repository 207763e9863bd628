//! The order of the lessons found.
//!
//! Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) joins three orders into one: a place in an order counts
//! 1 / (60 + place), times the weight of the order. Equals share a place and the next one is skipped, as in a race.

use std::collections::HashMap;

use lessons_lesson::id::QualifiedId;
use lessons_pattern::trigger::TriggerKind;

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
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// A lesson before it is ranked among the others.
#[derive(Debug, Clone)]
pub(super) struct Unranked {
    pub(super) entry: Entry,
    pub(super) specificity: f64,
    pub(super) relevance: f64,
    pub(super) by: Ways,
}

/// Ranks lessons, the best first. Ties go to the newest, then to the lowest id.
#[allow(clippy::cast_precision_loss, reason = "counts of lessons are far below 2^52")]
pub(super) fn rank(found: Vec<Unranked>) -> Vec<Found> {
    let coherences = coherences(&found);
    let orders = [
        places(&found.iter().map(|found| found.specificity).collect::<Vec<_>>()),
        places(&coherences.iter().map(|&it| it as f64).collect::<Vec<_>>()),
        places(&found.iter().map(|found| found.relevance).collect::<Vec<_>>()),
    ];
    let mut ranked: Vec<(f64, Found)> = found
        .into_iter()
        .enumerate()
        .map(|(at, one)| {
            let places = [0, 1, 2].map(|order: usize| {
                orders.get(order).and_then(|order| order.get(at)).copied().unwrap_or(usize::MAX)
            });
            let score = WEIGHTS.iter().zip(places).map(|(weight, place)| weight / (K + place as f64)).sum();
            let signals = Signals {
                specificity: one.specificity,
                coherence: coherences.get(at).copied().unwrap_or(0),
                relevance: one.relevance,
                places,
            };
            (score, Found { entry: one.entry, signals, by: one.by })
        })
        .collect();
    ranked.sort_by(|(a, left), (b, right)| {
        b.total_cmp(a)
            .then_with(|| right.entry.created_at.cmp(&left.entry.created_at))
            .then_with(|| left.entry.id.cmp(&right.entry.id))
    });
    ranked.into_iter().map(|(_, found)| found).collect()
}

/// The coherence of each lesson.
fn coherences(found: &[Unranked]) -> Vec<usize> {
    let mut topics: HashMap<&str, usize> = HashMap::new();
    for topic in found.iter().flat_map(|found| distinct(&found.entry)) {
        *topics.entry(topic).or_default() += 1;
    }
    let best = |entry| distinct(entry).filter_map(|topic| topics.get(topic).copied()).max().unwrap_or(0);
    found.iter().map(|found| best(&found.entry)).collect()
}

/// The topics of a lesson, each once.
fn distinct(entry: &Entry) -> impl Iterator<Item = &str> {
    let topics = &entry.topics;
    let is_first =
        move |(at, topic): &(usize, &String)| topics.iter().take(*at).all(|earlier| earlier != *topic);
    topics.iter().enumerate().filter(is_first).map(|(_, topic)| topic.as_str())
}

/// The place of each value, from 1, the highest value first. Equal values share a place.
fn places(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let value = |at: usize| values.get(at).copied().unwrap_or(0.0);
    order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
    let mut places = vec![0; values.len()];
    let mut last: Option<(f64, usize)> = None;
    for (before, &at) in order.iter().enumerate() {
        let place = match last {
            Some((same, place)) if same.total_cmp(&value(at)).is_eq() => place,
            _ => before + 1,
        };
        last = Some((value(at), place));
        if let Some(slot) = places.get_mut(at) {
            *slot = place;
        }
    }
    places
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
        let found = entries.iter().map(|(entry, specificity, relevance)| Unranked {
            entry: entry.clone(),
            specificity: *specificity,
            relevance: *relevance,
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
