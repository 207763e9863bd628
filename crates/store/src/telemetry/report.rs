//! What the rows come to.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{Capture, Outcome, Recall, hash_of_id};

/// After so long without a recall that names no session, the next one begins another. In milliseconds.
const IDLE: u64 = 30 * 60 * 1000;
/// How recalls are sorted by how many lessons matched: a name, and the fewest.
const BUCKETS: [(&str, usize); 5] = [("0", 0), ("1", 1), ("2-3", 2), ("4-9", 4), ("10+", 10)];

/// A lesson, whether it is in force or was once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known<'k> {
    /// Its id with its layer.
    pub id: &'k str,
    /// How many tokens its rule is.
    pub tokens: usize,
}

/// What could be recalled now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// How many tokens the rules of all lessons in force are.
    pub tokens: usize,
    /// How many of the lessons have no trigger but keywords.
    pub only_keywords: usize,
}

/// What the rows come to. Every rate is from 0 to 1, and 0 where there is nothing to say it of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// How often lessons were asked for or told.
    pub total_recalls: usize,
    /// How many of these were told by hooks.
    pub told_by_hooks: usize,
    /// How many of the others found nothing. A hook that has nothing to say writes nothing down.
    pub no_match_rate: f64,
    /// How many recalls matched how many lessons.
    pub match_count_histogram: Vec<Bucket>,
    /// How many tokens a recall showed.
    pub returned_tokens: Tokens,
    /// How many tokens all of them showed.
    pub cumulative_recall_tokens: usize,
    /// How many tokens the rules of all lessons are.
    pub whole_active_set_tokens: usize,
    /// How many recalls asked for everything, over every limit.
    pub bypassed_recalls: usize,
    /// Recalling against showing every lesson once in every session.
    pub preload_break_even: BreakEven,
    /// What was shown again in the same session.
    pub redundancy: Redundancy,
    /// What only keywords lead to.
    pub reachability: Reachability,
    /// What was recorded.
    pub captures: Captures,
    /// Recalls for each capture. `None` where nothing was captured.
    pub recalls_per_capture: Option<f64>,
}

/// How many recalls matched so many lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// So many: `2-3`.
    pub bucket: &'static str,
    /// Recalls.
    pub count: usize,
}

/// Tokens of a recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tokens {
    /// Half of the recalls showed fewer.
    pub p50: usize,
    /// Nine of ten showed fewer.
    pub p90: usize,
    /// None showed more.
    pub max: usize,
}

/// Recalling against showing every lesson once in every session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakEven {
    /// How many sessions there were.
    pub sessions: usize,
    /// How many tokens it would have been to show everything in each.
    pub preload_tokens: usize,
    /// How many it was, without what was asked for over every limit.
    pub mandatory_recall_tokens: usize,
    /// Whether that is fewer.
    pub recall_cheaper: bool,
    /// How many times as many the one is as the other. 0 where nothing was shown.
    pub ratio: f64,
}

/// What was shown again in the same session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Redundancy {
    /// What share of the tokens that were shown had been shown before in their session.
    pub rate: f64,
    /// Of what share of the recalls it is known which lessons they showed.
    pub coverage: f64,
}

/// What only keywords lead to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reachability {
    /// What share of the queries that found something did so by keywords alone.
    pub keyword_only_recall_rate: f64,
    /// How many lessons have no trigger but keywords.
    pub keyword_only_unreachable_lessons: usize,
}

/// What was recorded, by what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Captures {
    /// All of it.
    pub total: usize,
    /// New lessons.
    pub added: usize,
    /// Candidates that became lessons.
    pub promoted: usize,
    /// What added something to a lesson that says the same.
    pub updated: usize,
    /// What was known already.
    pub unchanged: usize,
    /// What was refused.
    pub refused: usize,
    /// What came with a warning.
    pub warned: usize,
}

impl Report {
    /// Of `queries` and of what hooks `told`, in any order, and of `captures`. `lessons` says how long rules are.
    pub fn of(
        queries: &[Recall],
        told: &[Recall],
        captures: &[Capture],
        lessons: &[Known<'_>],
        standing: Standing,
    ) -> Self {
        let mut recalls: Vec<&Recall> = queries.iter().chain(told).collect();
        recalls.sort_by_key(|recall| recall.t);
        let sessions = sessions(&recalls);
        let found: Vec<_> = queries.iter().filter(|query| query.matches > 0).collect();
        let by_keyword_alone = |query: &&&Recall| {
            query.matched.is_some_and(|by| by.keyword > 0 && by.file == 0 && by.command == 0)
        };
        Self {
            total_recalls: recalls.len(),
            told_by_hooks: told.len(),
            no_match_rate: share(queries.len() - found.len(), queries.len()),
            match_count_histogram: histogram(&recalls),
            returned_tokens: returned(&recalls),
            cumulative_recall_tokens: recalls.iter().map(|recall| recall.tokens).sum(),
            whole_active_set_tokens: standing.tokens,
            bypassed_recalls: recalls.iter().filter(|recall| recall.all).count(),
            preload_break_even: break_even(&recalls, &sessions, standing.tokens),
            redundancy: redundancy(&recalls, &sessions, lessons),
            reachability: Reachability {
                keyword_only_recall_rate: share(found.iter().filter(by_keyword_alone).count(), found.len()),
                keyword_only_unreachable_lessons: standing.only_keywords,
            },
            captures: Captures::of(captures),
            recalls_per_capture: (!captures.is_empty()).then(|| share(recalls.len(), captures.len())),
        }
    }
}

impl Captures {
    fn of(captures: &[Capture]) -> Self {
        let with = |outcome| captures.iter().filter(|capture| capture.outcome == outcome).count();
        Self {
            total: captures.len(),
            added: with(Outcome::Added),
            promoted: with(Outcome::Promoted),
            updated: with(Outcome::Updated),
            unchanged: with(Outcome::Unchanged),
            refused: with(Outcome::Refused),
            warned: captures.iter().filter(|capture| capture.warnings > 0).count(),
        }
    }
}

/// How often `all` goes into `part`; 0 where there is nothing.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// A session of recalls: one that was named, or one between long pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Session<'r> {
    Named(&'r str),
    Unnamed(usize),
}

/// The session of each recall, in their order, which is that of time.
fn sessions<'r>(recalls: &[&'r Recall]) -> Vec<Session<'r>> {
    let (mut number, mut last) = (0, None);
    let session = |recall: &&'r Recall| {
        if let Some(name) = &recall.session {
            return Session::Named(name);
        }
        if last.is_some_and(|last: u64| recall.t.saturating_sub(last) > IDLE) {
            number += 1;
        }
        last = Some(recall.t);
        Session::Unnamed(number)
    };
    recalls.iter().map(session).collect()
}

fn histogram(recalls: &[&Recall]) -> Vec<Bucket> {
    let at_least = |fewest: usize| recalls.iter().filter(|recall| recall.matches >= fewest).count();
    let bounds: Vec<usize> = BUCKETS.iter().map(|(_, fewest)| at_least(*fewest)).chain([0]).collect();
    let between = bounds.windows(2).map(|pair| pair.iter().copied().reduce(|a, b| a - b).unwrap_or(0));
    BUCKETS.iter().zip(between).map(|((bucket, _), count)| Bucket { bucket, count }).collect()
}

fn returned(recalls: &[&Recall]) -> Tokens {
    let mut tokens: Vec<usize> = recalls.iter().map(|recall| recall.tokens).collect();
    tokens.sort_unstable();
    let above = |percent: usize| tokens.get(tokens.len() * percent / 100).copied().unwrap_or(0);
    Tokens { p50: above(50), p90: above(90), max: tokens.last().copied().unwrap_or(0) }
}

fn break_even(recalls: &[&Recall], sessions: &[Session<'_>], whole: usize) -> BreakEven {
    let sessions = sessions.iter().collect::<HashSet<_>>().len();
    let preload = whole * sessions;
    let mandatory = recalls.iter().filter(|recall| !recall.all).map(|recall| recall.tokens).sum();
    BreakEven {
        sessions,
        preload_tokens: preload,
        mandatory_recall_tokens: mandatory,
        recall_cheaper: mandatory < preload,
        ratio: share(preload, mandatory),
    }
}

fn redundancy(recalls: &[&Recall], sessions: &[Session<'_>], lessons: &[Known<'_>]) -> Redundancy {
    let tokens: HashMap<String, usize> =
        lessons.iter().map(|lesson| (hash_of_id(lesson.id), lesson.tokens)).collect();
    let mut seen: HashSet<(Session<'_>, &str)> = HashSet::new();
    let (mut all, mut again) = (0, 0);
    for (recall, session) in recalls.iter().zip(sessions) {
        for lesson in recall.lessons.iter().flatten() {
            let tokens = tokens.get(lesson).copied().unwrap_or(0);
            all += tokens;
            again += if seen.insert((*session, lesson)) { 0 } else { tokens };
        }
    }
    let known = recalls.iter().filter(|recall| recall.lessons.is_some()).count();
    Redundancy { rate: share(again, all), coverage: share(known, recalls.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::Counts;

    const MINUTE: u64 = 60_000;

    fn recall(t: u64, session: Option<&str>, shown: &[&str]) -> Recall {
        let mut recall = Recall {
            t,
            session: session.map(str::to_owned),
            matches: shown.len(),
            shown: shown.len(),
            tokens: shown.len() * 10,
            ..Recall::default()
        };
        recall.name(shown);
        recall
    }

    fn report(queries: &[Recall], told: &[Recall]) -> Report {
        let lessons =
            [Known { id: "a", tokens: 10 }, Known { id: "b", tokens: 10 }, Known { id: "c", tokens: 80 }];
        Report::of(queries, told, &[], &lessons, Standing { tokens: 100, only_keywords: 0 })
    }

    #[test]
    fn thirty_idle_minutes_end_a_session_without_a_name() {
        let at = |minutes: &[u64]| {
            let queries: Vec<_> = minutes.iter().map(|it| recall(it * MINUTE, None, &["a"])).collect();
            report(&queries, &[]).preload_break_even.sessions
        };
        assert_eq!((at(&[]), at(&[0]), at(&[0, 30, 60]), at(&[0, 31, 61, 92])), (0, 1, 1, 3));
        assert_eq!(at(&[92, 0, 61, 31]), 3, "in whatever order they stand there");
    }

    #[test]
    fn a_session_with_a_name_is_one_however_long_it_lasts_and_whatever_comes_between() {
        let queries = [
            recall(0, Some("x"), &["a"]),
            recall(1, Some("y"), &["a"]),
            recall(500 * MINUTE, Some("x"), &["a", "b"]),
        ];
        let report = report(&queries, &[]);
        assert_eq!(report.preload_break_even.sessions, 2);
        assert!((report.redundancy.rate - 0.25).abs() < 1e-9, "{:?}", report.redundancy);
    }

    #[test]
    fn a_hook_that_tells_counts_in_its_session_and_says_nothing_about_misses() {
        let queries = [recall(0, Some("x"), &["a"]), recall(1, Some("x"), &[])];
        let told = [recall(2, Some("x"), &["a"]), recall(3, Some("x"), &["b"])];
        let report = report(&queries, &told);
        assert_eq!((report.total_recalls, report.told_by_hooks), (4, 2));
        assert!((report.no_match_rate - 0.5).abs() < 1e-9);
        assert!((report.redundancy.rate - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(report.preload_break_even.preload_tokens, 100);
        assert_eq!(report.preload_break_even.mandatory_recall_tokens, 30);
    }

    #[test]
    fn what_was_asked_for_over_every_limit_is_not_held_against_recalling() {
        let mut all = recall(0, Some("x"), &["a", "b", "c"]);
        all.all = true;
        all.tokens = 100;
        let report = report(&[all, recall(1, Some("x"), &["a"])], &[]);
        assert_eq!((report.bypassed_recalls, report.cumulative_recall_tokens), (1, 110));
        assert_eq!(report.preload_break_even.mandatory_recall_tokens, 10);
    }

    #[test]
    fn recalls_fall_into_the_bucket_of_their_matches() {
        let queries: Vec<_> =
            [0, 1, 2, 3, 4, 9, 10, 11].map(|matches| Recall { matches, ..Recall::default() }).to_vec();
        let counts: Vec<_> = report(&queries, &[]).match_count_histogram.iter().map(|it| it.count).collect();
        assert_eq!(counts, [1, 1, 2, 2, 2]);
    }

    #[test]
    fn only_keywords_led_there_where_no_other_trigger_did() {
        let by = |file, keyword| Recall {
            matches: 1,
            matched: Some(Counts { file, command: 0, keyword }),
            ..Recall::default()
        };
        let report = report(&[by(1, 1), by(0, 1), Recall::default()], &[]);
        assert!((report.reachability.keyword_only_recall_rate - 0.5).abs() < 1e-9);
    }

    #[test]
    fn captures_are_counted_by_what_became_of_them() {
        let with = |outcome, warnings| Capture { t: 0, outcome, warnings };
        let captures = [
            with(Outcome::Added, 2),
            with(Outcome::Added, 0),
            with(Outcome::Updated, 1),
            with(Outcome::Refused, 0),
        ];
        let report = Report::of(&[recall(0, None, &["a"])], &[], &captures, &[], Standing::default());
        let expected =
            Captures { total: 4, added: 2, updated: 1, refused: 1, warned: 2, ..Captures::default() };
        assert_eq!((report.captures, report.recalls_per_capture), (expected, Some(0.25)));
    }
}
