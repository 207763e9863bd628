//! The summary of all telemetry rows.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::{Capture, CaptureOutcome, NewParts, Recall, hash_of_id};

/// The pause between two recalls without a session that begins a new session, in milliseconds.
const IDLE: u64 = 30 * 60 * 1000;
/// The classes of recalls by number of matches: a name, and the fewest matches.
const BUCKETS: [(&str, usize); 5] = [("0", 0), ("1", 1), ("2-3", 2), ("4-9", 4), ("10+", 10)];

/// The lessons that could be recalled now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// The number of tokens of the rules of all lessons in force.
    pub tokens: usize,
    /// The number of lessons with no trigger but keywords.
    pub only_keywords: usize,
}

/// The summary of all rows. Every rate is from 0 to 1, and 0 where nothing was counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    /// The number of recalls: queries and reminders.
    pub total_recalls: usize,
    /// The number of recalls by hooks.
    pub told_by_hooks: usize,
    /// The number of queries that found nothing. A hook that has nothing to say writes no row.
    pub no_match_rate: f64,
    /// The distribution of recalls by number of matches.
    pub match_count_histogram: Vec<Bucket>,
    /// The distribution of tokens shown by a recall.
    pub returned_tokens: Tokens,
    /// The number of tokens that all recalls showed.
    pub cumulative_recall_tokens: usize,
    /// The number of tokens of the rules of all lessons.
    pub whole_active_set_tokens: usize,
    /// The number of recalls without a limit.
    pub bypassed_recalls: usize,
    /// The saving of recalls against showing every lesson once in every session.
    pub preload_break_even: BreakEven,
    /// The repetition of lessons within a session.
    pub redundancy: Redundancy,
    /// The weight of lessons that only keywords find.
    pub reachability: Reachability,
    /// The counts of captures.
    pub captures: Captures,
    /// The number of sessions in which an agent recorded something.
    pub capturing_sessions: usize,
    /// The number of parts of recorded lessons that were new.
    pub new: NewParts,
    /// How often captures had each warning, by its code.
    pub warnings: BTreeMap<String, usize>,
    /// The number of recalls for each capture; `None` without captures.
    pub recalls_per_capture: Option<f64>,
}

/// A class of recalls by number of matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The range of matches: `2-3`.
    pub bucket: &'static str,
    /// The number of recalls.
    pub count: usize,
}

/// The distribution of tokens of a recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tokens {
    /// The median.
    pub p50: usize,
    /// The 90th percentile.
    pub p90: usize,
    /// The maximum.
    pub max: usize,
}

/// The saving of recalls against showing every lesson once in every session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakEven {
    /// The number of sessions.
    pub sessions: usize,
    /// The number of tokens of showing everything in each session.
    pub preload_tokens: usize,
    /// The number of tokens shown, without recalls that had no limit.
    pub mandatory_recall_tokens: usize,
    /// Whether recalls showed fewer.
    pub recall_cheaper: bool,
    /// The ratio of the two; 0 where nothing was shown.
    pub ratio: f64,
}

/// The repetition of lessons within a session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Redundancy {
    /// The share of shown tokens that had been shown before in their session.
    pub rate: f64,
    /// The share of recalls whose lessons are known.
    pub coverage: f64,
}

/// The weight of lessons that only keywords find.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reachability {
    /// The share of successful queries that only keywords answered.
    pub keyword_only_recall_rate: f64,
    /// The number of lessons with no trigger but keywords.
    pub keyword_only_unreachable_lessons: usize,
}

/// The counts of captures by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Captures {
    /// The number of captures.
    pub total: usize,
    /// New lessons.
    pub added: usize,
    /// Candidates that became lessons.
    pub promoted: usize,
    /// Additions to a lesson that says the same.
    pub updated: usize,
    /// Captures that were known already.
    pub unchanged: usize,
    /// Refused captures.
    pub refused: usize,
    /// Captures with a warning.
    pub warned: usize,
}

impl UsageReport {
    /// Summarises `queries` and what hooks `told`, in any order, and `captures`. `sizes` gives the number of tokens of the rule of
    /// each lesson, by its id with its layer, whether it is in force or was once.
    pub fn of(
        queries: &[Recall],
        told: &[Recall],
        captures: &[Capture],
        sizes: &HashMap<String, usize>,
        standing: Standing,
    ) -> Self {
        let mut recalls: Vec<&Recall> = queries.iter().chain(told).collect();
        recalls.sort_by_key(|recall| recall.t);
        let sessions = sessions(&recalls);
        let found: Vec<_> = queries.iter().filter(|query| query.matches > 0).collect();
        let capturing: HashSet<_> = captures.iter().filter_map(|it| it.session.as_ref()).collect();
        let (mut new, mut warnings) = (NewParts::default(), BTreeMap::new());
        for capture in captures {
            new.add(&capture.new);
            for code in &capture.codes {
                *warnings.entry(code.clone()).or_default() += 1;
            }
        }
        let by_keyword_alone = found.iter().filter(|query| query.keyword_only).count();
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
            redundancy: redundancy(&recalls, &sessions, sizes),
            reachability: Reachability {
                keyword_only_recall_rate: share(by_keyword_alone, found.len()),
                keyword_only_unreachable_lessons: standing.only_keywords,
            },
            captures: Captures::of(captures),
            capturing_sessions: capturing.len(),
            new,
            warnings,
            recalls_per_capture: (!captures.is_empty()).then(|| share(recalls.len(), captures.len())),
        }
    }
}

impl Captures {
    fn of(captures: &[Capture]) -> Self {
        let with = |outcome| captures.iter().filter(|capture| capture.outcome == outcome).count();
        Self {
            total: captures.len(),
            added: with(CaptureOutcome::Added),
            promoted: with(CaptureOutcome::Promoted),
            updated: with(CaptureOutcome::Updated),
            unchanged: with(CaptureOutcome::Unchanged),
            refused: with(CaptureOutcome::Refused),
            warned: captures.iter().filter(|capture| capture.warnings > 0).count(),
        }
    }
}

/// Returns `part` divided by `all`; 0 where `all` is 0.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// A session of recalls: a named one, or one between long pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Session<'r> {
    Named(&'r str),
    Unnamed(usize),
}

/// Returns the session of each recall, ascending by time.
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

fn redundancy(recalls: &[&Recall], sessions: &[Session<'_>], sizes: &HashMap<String, usize>) -> Redundancy {
    let tokens: HashMap<String, usize> = sizes.iter().map(|(id, &tokens)| (hash_of_id(id), tokens)).collect();
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

    const MINUTE: u64 = 60_000;

    fn recall(t: u64, session: Option<&str>, shown: &[&str]) -> Recall {
        let mut recall = Recall {
            t,
            session: session.map(str::to_owned),
            matches: shown.len(),
            tokens: shown.len() * 10,
            ..Recall::default()
        };
        recall.name(shown);
        recall
    }

    fn report(queries: &[Recall], told: &[Recall]) -> UsageReport {
        let sizes = [("a", 10), ("b", 10), ("c", 80)].map(|(id, tokens)| (id.to_owned(), tokens));
        UsageReport::of(queries, told, &[], &HashMap::from(sizes), Standing { tokens: 100, only_keywords: 0 })
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
        let by = |keyword_only| Recall { matches: 1, keyword_only, ..Recall::default() };
        let report = report(&[by(false), by(true), Recall::default()], &[]);
        assert!((report.reachability.keyword_only_recall_rate - 0.5).abs() < 1e-9);
    }

    #[test]
    fn captures_are_counted_by_what_became_of_them() {
        let with = |outcome, warnings: usize| Capture {
            t: 0,
            outcome,
            warnings,
            session: None,
            codes: std::iter::repeat_n("BROAD".to_owned(), warnings).collect(),
            new: NewParts { topics: warnings, triggers: BTreeMap::new() },
        };
        let captures = [
            with(CaptureOutcome::Added, 2),
            with(CaptureOutcome::Added, 0),
            with(CaptureOutcome::Updated, 1),
            with(CaptureOutcome::Refused, 0),
        ];
        let report =
            UsageReport::of(&[recall(0, None, &["a"])], &[], &captures, &HashMap::new(), Standing::default());
        let expected =
            Captures { total: 4, added: 2, updated: 1, refused: 1, warned: 2, ..Captures::default() };
        assert_eq!((report.captures, report.recalls_per_capture), (expected, Some(0.25)));
        assert_eq!((report.new.topics, &report.warnings["BROAD"]), (3, &3));
    }
}
