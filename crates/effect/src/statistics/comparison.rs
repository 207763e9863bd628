//! Sessions that were told against sessions that were left out by lot: differences with their intervals.
//!
//! A difference is the share of sessions with the mistake where a lesson was left out, less that where it was told: above 0
//! where telling helps. Numbers change at fixed looks only, so that looking often costs nothing; `z` is Pocock's constant
//! boundary for them, found by simulation (see `examples/simulate.rs`).

use std::collections::{BTreeMap, HashSet};

use lessons_replay::Tally;
use lessons_replay::bounds::wilson;
use serde::Serialize;

/// The numbers of sessions at which the interval of one lesson is made anew.
pub const LOOKS: [u64; 8] = [12, 18, 27, 40, 61, 91, 137, 205];
/// The same of all lessons together. Earlier looks would miss the truth too often.
pub const LOOKS_TOGETHER: [u64; 4] = [61, 91, 137, 205];
/// The fewest sessions in each arm.
const FEWEST_IN_ARM: u64 = 4;
/// The standard errors on each side of a difference.
const Z: f64 = 2.4;

/// What a lesson was drawn for in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// It was told.
    Told,
    /// It was left out.
    Held,
}

/// A lesson in a session, as the lot drew it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnRow<'r> {
    /// The session.
    pub session: &'r str,
    /// The revision of the lesson.
    pub revision: i64,
    /// What was drawn.
    pub drawn: Drawn,
    /// Whether the outcome came.
    pub came: bool,
}

/// A range of differences, in shares of sessions from -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The sessions of two arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TwoArms {
    /// Those that were left out by lot.
    pub held: Tally,
    /// Those that were told.
    pub told: Tally,
}

impl TwoArms {
    /// The arms of some rows.
    pub fn of<'r>(rows: impl IntoIterator<Item = &'r DrawnRow<'r>>) -> Self {
        let mut arms = Self::default();
        for row in rows {
            match row.drawn {
                Drawn::Held => arms.held.add(row.came),
                Drawn::Told => arms.told.add(row.came),
            }
        }
        arms
    }

    /// Whether each arm has enough sessions for an interval.
    fn is_enough(&self) -> bool {
        self.held.n.min(self.told.n) >= FEWEST_IN_ARM
    }
}

/// The comparison as of the last look.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The sessions that were drawn so far.
    pub sessions: u64,
    /// The arms at the last look; without one, so far.
    pub arms: TwoArms,
    /// The difference and its interval at the last look. `None` before the first one, and where an arm has too few sessions.
    pub difference: Option<Difference>,
    /// The sessions at the last look.
    pub as_of: Option<u64>,
    /// The sessions at the next one. `None` after the last.
    pub next: Option<u64>,
}

/// A difference with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// The difference.
    pub points: f64,
    /// The interval around it.
    pub interval: Interval,
}

impl Comparison {
    /// The comparison for one lesson, of which each session has one row. Rows come in the order of time.
    pub fn of_lesson(rows: &[DrawnRow<'_>]) -> Self {
        Self::at_looks(rows, rows.len() as u64, &LOOKS, |shown| {
            let arms = TwoArms::of(shown);
            let difference = newcombe(arms.held, arms.told);
            arms.is_enough().then_some(difference)
        })
    }

    /// The comparison for all lessons together, over their revisions and clustered by session. Rows come in the order of time.
    pub fn together(rows: &[DrawnRow<'_>]) -> Self {
        let sessions = rows.iter().map(|row| row.session).collect::<HashSet<_>>().len() as u64;
        Self::at_looks(rows, sessions, &LOOKS_TOGETHER, |shown| {
            let pooled = Pooled::of(shown).filter(|_| TwoArms::of(shown).is_enough())?;
            let half = Z * pooled.error;
            let interval = Interval { low: pooled.difference - half, high: pooled.difference + half };
            Some(Difference { points: pooled.difference, interval })
        })
    }

    fn at_looks(
        rows: &[DrawnRow<'_>],
        sessions: u64,
        looks: &[u64],
        difference: impl Fn(&[DrawnRow<'_>]) -> Option<Difference>,
    ) -> Self {
        let next = looks.iter().copied().find(|look| *look > sessions);
        let last = looks.iter().copied().rfind(|look| *look <= sessions);
        let shown = last.map_or(rows, |look| first_sessions(rows, look));
        let difference = last.and_then(|_| difference(shown));
        Self {
            sessions,
            arms: TwoArms::of(shown),
            difference,
            as_of: last.filter(|_| difference.is_some()),
            next,
        }
    }
}

/// The rows of the first sessions.
fn first_sessions<'a, 'r>(rows: &'a [DrawnRow<'r>], most: u64) -> &'a [DrawnRow<'r>] {
    let mut seen = HashSet::new();
    let end = rows.iter().position(|row| {
        seen.insert(row.session);
        seen.len() as u64 > most
    });
    &rows[..end.unwrap_or(rows.len())]
}

/// The interval of one difference (Newcombe 1998, method 10, of two intervals of Wilson).
#[allow(clippy::cast_precision_loss, reason = "no one has 2^52 sessions")]
pub fn newcombe(held: Tally, told: Tally) -> Difference {
    let share = |tally: Tally| tally.k as f64 / (tally.n as f64).max(1.0);
    let (held_share, told_share) = (share(held), share(told));
    let (held_low, held_high) = wilson(held.k, held.n, Z);
    let (told_low, told_high) = wilson(told.k, told.n, Z);
    let points = held_share - told_share;
    let interval = Interval {
        low: points - (held_share - held_low).hypot(told_high - told_share),
        high: points + (held_high - held_share).hypot(told_share - told_low),
    };
    Difference { points, interval }
}

/// The difference over all revisions: that of Mantel and Haenszel, with Sato's variance (1989), enlarged where rows of one
/// session resemble each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pooled {
    /// The difference.
    pub difference: f64,
    /// Its standard error.
    pub error: f64,
}

/// The counts of one revision: `x` of `n`, 0 where it was left out and 1 where it was told.
#[derive(Debug, Clone, Copy, Default)]
struct Stratum {
    n0: f64,
    x0: f64,
    n1: f64,
    x1: f64,
}

/// The sums over strata that Sato's variance is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sums {
    w: f64,
    d: f64,
    p: f64,
    q: f64,
}

impl Sums {
    fn of(strata: impl Iterator<Item = Stratum>) -> Self {
        strata.fold(Self::default(), |sums, Stratum { n0, x0, n1, x1 }| {
            let n = n0 + n1;
            Self {
                w: sums.w + n0 * n1 / n,
                d: sums.d + (x0 * n1 - x1 * n0) / n,
                p: sums.p + (n1 * n1 * x0 - n0 * n0 * x1 + n1 * n0 * (n0 - n1) / 2.0) / (n * n),
                q: sums.q + (x1 * (n0 - x0) + x0 * (n1 - x1)) / (2.0 * n),
            }
        })
    }
}

impl Pooled {
    /// The pooled difference. `None` where no revision has both arms.
    pub fn of(rows: &[DrawnRow<'_>]) -> Option<Self> {
        let mut strata: BTreeMap<i64, Stratum> = BTreeMap::new();
        for row in rows {
            let stratum = strata.entry(row.revision).or_default();
            let came = f64::from(u8::from(row.came));
            match row.drawn {
                Drawn::Held => (stratum.n0, stratum.x0) = (stratum.n0 + 1.0, stratum.x0 + came),
                Drawn::Told => (stratum.n1, stratum.x1) = (stratum.n1 + 1.0, stratum.x1 + came),
            }
        }
        let Sums { w, d, p, q } = Sums::of(strata.values().copied());
        if w <= 0.0 {
            return None;
        }
        let difference = d / w;
        let variance = (q - difference * p).max(0.0) / (w * w);
        let error = (variance * likeness(rows, &strata, difference)).sqrt();
        Some(Self { difference, error })
    }
}

/// By how much rows of one session enlarge the variance: at least 1. Each row adds what it differs by from the share that the
/// pooled difference lets expect; a session adds the sum of its rows.
fn likeness(rows: &[DrawnRow<'_>], strata: &BTreeMap<i64, Stratum>, difference: f64) -> f64 {
    let mut sessions: BTreeMap<&str, f64> = BTreeMap::new();
    let mut alone = 0.0;
    for row in rows {
        let Some(Stratum { n0, x0, n1, x1 }) = strata.get(&row.revision).copied() else { continue };
        let expected = (x0 + x1 + n1 * difference) / (n0 + n1);
        let came = f64::from(u8::from(row.came));
        let adds = match row.drawn {
            Drawn::Held => (came - expected) * n1 / (n0 + n1),
            Drawn::Told => (expected - difference - came) * n0 / (n0 + n1),
        };
        alone += adds * adds;
        *sessions.entry(row.session).or_default() += adds;
    }
    let together: f64 = sessions.values().map(|sum| sum * sum).sum();
    if alone > 0.0 { (together / alone).max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    // What the formulas give in Python.
    const GOLDEN_SUMS: [f64; 4] = [10.166_666_667, 1.250_000_000, 0.006_944_444, 2.625_000_000];
    #[allow(clippy::type_complexity, reason = "four counts and the interval that they give")]
    const GOLDEN_NEWCOMBE: [((u64, u64, u64, u64), (f64, f64)); 4] = [
        ((16, 30, 4, 61), (0.230_006_308, 0.667_660_979)),
        ((0, 4, 8, 8), (-1.000_000_000, -0.276_450_884)),
        ((3, 12, 6, 27), (-0.263_268_456, 0.393_195_904)),
        ((50, 100, 40, 105), (-0.046_269_691, 0.275_837_572)),
    ];

    #[test]
    fn the_sums_of_sato_are_these() {
        let strata = [(10.0, 5.0, 30.0, 6.0), (4.0, 1.0, 8.0, 5.0), (1.0, 1.0, 0.0, 0.0)];
        let strata = strata.map(|(n0, x0, n1, x1)| Stratum { n0, x0, n1, x1 });
        let sums = Sums::of(strata.into_iter());
        let golden = GOLDEN_SUMS;
        for (one, other) in
            [(sums.w, golden[0]), (sums.d, golden[1]), (sums.p, golden[2]), (sums.q, golden[3])]
        {
            assert!(is_near(one, other), "{sums:?}");
        }
    }

    #[test]
    fn the_interval_of_newcombe_is_this() {
        for ((k0, n0, k1, n1), (low, high)) in GOLDEN_NEWCOMBE {
            let Difference { interval, .. } = newcombe(Tally::new(k0, n0), Tally::new(k1, n1));
            assert!(
                is_near(interval.low, low) && is_near(interval.high, high),
                "{k0}/{n0} {k1}/{n1}: {interval:?}"
            );
        }
    }

    fn rows(told: &[bool], held: &[bool]) -> Vec<DrawnRow<'static>> {
        let row = |drawn, came: &bool, session| DrawnRow { session, revision: 1, drawn, came: *came };
        let names: Vec<&str> = (0..told.len() + held.len()).map(|n| &*n.to_string().leak()).collect();
        let told: Vec<_> = told.iter().zip(&names).map(|(came, name)| row(Drawn::Told, came, name)).collect();
        let held =
            held.iter().zip(names.iter().skip(told.len())).map(|(came, name)| row(Drawn::Held, came, name));
        let held: Vec<_> = held.collect();
        held.into_iter().chain(told).collect()
    }

    #[test]
    fn nothing_is_said_of_eleven_sessions_nor_of_three_in_an_arm() {
        let early = Comparison::of_lesson(&rows(&[false; 7], &[true; 4]));
        assert_eq!((early.difference, early.as_of, early.next), (None, None, Some(12)));
        let lopsided = Comparison::of_lesson(&rows(&[false; 20], &[true; 3]));
        assert_eq!((lopsided.difference, lopsided.next), (None, Some(27)));
        let enough = Comparison::of_lesson(&rows(&[false; 10], &[true; 4]));
        assert_eq!((enough.as_of, enough.next), (Some(12), Some(18)));
        assert!(enough.difference.unwrap().interval.low > 0.0);
    }

    #[test]
    fn between_looks_the_number_does_not_change() {
        let at_look = Comparison::of_lesson(&rows(&[false; 8], &[true; 4])).difference;
        let later = Comparison::of_lesson(&rows(&[&[false; 8][..], &[true; 5]].concat(), &[true; 4]));
        assert_eq!(later.difference, at_look);
        assert_eq!(later.sessions, 17);
    }

    #[test]
    fn twins_of_a_lesson_do_not_make_the_answer_surer() {
        let one = rows(&[true, false, false, false, true, false], &[true, true, false, true]);
        let twins: Vec<_> = one.iter().flat_map(|row| [*row, DrawnRow { revision: 2, ..*row }]).collect();
        let (one, twins) = (Pooled::of(&one).unwrap(), Pooled::of(&twins).unwrap());
        assert!(is_near(one.difference, twins.difference));
        assert!(is_near(one.error, twins.error), "{one:?} {twins:?}");
    }
}
