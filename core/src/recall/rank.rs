//! Which of the lessons found comes first.
//!
//! Three orders are made into one by reciprocal rank fusion: a place in an order counts 1 / (60 + place),
//! times the weight of the order. Equals share a place and the next one is skipped, as in a race.

use std::collections::HashMap;

use super::Entry;
use crate::trigger::TriggerKind;

/// The higher, the less the first places of an order stand out.
const K: f64 = 60.0;
/// How much an order counts: how particular the trigger is more than both others together.
const WEIGHTS: [f64; 3] = [5.0, 2.0, 1.0];

/// A lesson that was found, and why it stands where it stands.
///
/// ```
/// use lessons_core::recall::{Conditions, Corpus, Entry, Question};
/// use lessons_core::trigger::TriggerKind;
///
/// let mut corpus = Corpus::default();
/// for (id, pattern) in [("user/broad", "git"), ("user/other", "git"), ("user/own", "git stash")] {
///     let triggers = vec![corpus.trigger(TriggerKind::CommandPattern, pattern.into())];
///     let entry = Entry { id: id.into(), rule: "Look first.".into(), ..Entry::default() };
///     corpus.add(entry, Conditions { triggers, ..Conditions::default() });
/// }
///
/// let found = corpus.recall(&Question { command: Some("git stash"), ..Question::default() });
/// assert_eq!(found[0].entry.id, "user/own");
/// // It alone has its trigger; the two others share theirs, and so their place.
/// assert_eq!(found[0].signals.specificity, 1.0);
/// assert_eq!((found[1].signals.places[0], found[2].signals.places[0]), (2, 2));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Found<'c, 'a> {
    /// The lesson.
    pub entry: &'c Entry<'a>,
    /// Why it stands where it stands.
    pub signals: Signals,
    /// What led to it.
    pub by: Ways,
}

/// The kinds of triggers that lead to a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ways {
    /// A trigger on the file.
    pub file: bool,
    /// A trigger on the command.
    pub command: bool,
    /// A keyword.
    pub keyword: bool,
}

impl Ways {
    /// The same with a trigger of this kind.
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

/// What the order is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// How particular the most particular trigger that matched is: 1 by the number of active lessons
    /// that have it.
    pub specificity: f64,
    /// How many of the lessons found are in the best filled of its topics.
    pub coherence: usize,
    /// How well the words of its rule fit; see BM25.
    pub relevance: f64,
    /// Its places in the three orders, from 1.
    pub places: [usize; 3],
}

/// What is known of a lesson before the others are.
#[derive(Debug, Clone)]
pub(super) struct Unranked<'c, 'a> {
    pub(super) entry: &'c Entry<'a>,
    pub(super) specificity: f64,
    pub(super) relevance: f64,
    pub(super) by: Ways,
}

/// Ranks lessons: the best first; equals by newest, then by id.
#[allow(clippy::cast_precision_loss, reason = "counts of lessons are far below 2^52")]
pub(super) fn rank<'c, 'a>(found: &[Unranked<'c, 'a>]) -> Vec<Found<'c, 'a>> {
    let mut topics: HashMap<&str, usize> = HashMap::new();
    for topic in found.iter().flat_map(|found| distinct(found.entry)) {
        *topics.entry(topic).or_default() += 1;
    }
    let coherence = |entry: &'c Entry<'a>| {
        distinct(entry).filter_map(|topic| topics.get(topic).copied()).max().unwrap_or(0)
    };
    let coherences: Vec<usize> = found.iter().map(|found| coherence(found.entry)).collect();
    let orders = [
        places(&found.iter().map(|found| found.specificity).collect::<Vec<_>>()),
        places(&coherences.iter().map(|&it| it as f64).collect::<Vec<_>>()),
        places(&found.iter().map(|found| found.relevance).collect::<Vec<_>>()),
    ];
    let mut ranked: Vec<(f64, Found<'_, '_>)> = found
        .iter()
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

/// The topics of a lesson, each once.
fn distinct<'c>(entry: &'c Entry<'_>) -> impl Iterator<Item = &'c str> {
    let topics = &entry.topics;
    let is_first = move |(at, topic): &(usize, &std::borrow::Cow<'_, str>)| {
        topics.iter().take(*at).all(|earlier| earlier != *topic)
    };
    topics.iter().enumerate().filter(is_first).map(|(_, topic)| topic.as_ref())
}

/// The place of each value, the highest first, from 1. Equals share one.
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

    fn entry(id: &str, topic: &str, created: &str) -> Entry<'static> {
        Entry {
            id: id.to_owned().into(),
            topics: vec![topic.to_owned().into()],
            created_at: created.to_owned().into(),
            ..Entry::default()
        }
    }

    fn order(entries: &[(Entry<'static>, f64, f64)]) -> Vec<String> {
        let found: Vec<_> = entries
            .iter()
            .map(|(entry, specificity, relevance)| Unranked {
                entry,
                specificity: *specificity,
                relevance: *relevance,
                by: Ways::default(),
            })
            .collect();
        rank(&found).into_iter().map(|found| found.entry.id.to_string()).collect()
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
