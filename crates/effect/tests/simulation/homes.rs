//! Simulated homes whose lessons have a known effect, and what the comparison says of them.

use lessons_effect::statistics::comparison::{Comparison, Drawn, DrawnRow};

/// The lessons of a home. Each comes up half as often as the one before, roughly: few lessons make most of the sessions.
const LESSONS: i64 = 12;
/// The sessions of a home, as many as the last look takes.
const SESSIONS: usize = 205;

/// Numbers that look random and are the same always (splitmix64).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number from 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "53 bits are what a double holds")]
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// How homes are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// By how much telling lowers the share of sessions with the mistake.
    pub(crate) effect: f64,
    /// One session of how many is left out.
    pub(crate) one_of: f64,
    /// The lessons that come up in a session.
    pub(crate) lessons_a_session: usize,
    /// The share of rows that do what the session does as a whole, instead of falling for themselves.
    pub(crate) alike: f64,
    /// By how much the share of mistakes falls from the first session to the last, told or not: the model gets better.
    pub(crate) drift: f64,
    /// The share of rows that are lost.
    pub(crate) lost: f64,
}

/// A home with an effect, one of four sessions left out, four lessons a session, and nothing that disturbs.
pub(crate) fn plain(effect: f64) -> Kind {
    Kind { effect, one_of: 4.0, lessons_a_session: 4, alike: 0.0, drift: 0.0, lost: 0.0 }
}

/// The kinds of homes of which the interval must not miss the truth, with their names.
pub(crate) fn kinds() -> Vec<(String, Kind)> {
    let mut kinds = Vec::new();
    for effect in [0.0, 0.3, -0.2] {
        let plain = plain(effect);
        kinds.extend([
            (format!("{effect:+.1}"), plain),
            (format!("{effect:+.1}, clusters"), Kind { alike: 0.6, ..plain }),
            (format!("{effect:+.1}, drift"), Kind { drift: 0.2, ..plain }),
            (format!("{effect:+.1}, a tenth lost"), Kind { lost: 0.1, ..plain }),
            (format!("{effect:+.1}, all of these"), Kind { alike: 0.6, drift: 0.2, lost: 0.1, ..plain }),
            (format!("{effect:+.1}, one lesson a session"), Kind { lessons_a_session: 1, ..plain }),
        ]);
    }
    kinds
}

/// The names of sessions.
pub(crate) fn names() -> Vec<String> {
    (0..SESSIONS).map(|number| format!("s{number}")).collect()
}

/// The rows of one home.
#[allow(clippy::cast_precision_loss, reason = "small numbers")]
fn home<'n>(kind: &Kind, names: &'n [String], numbers: &mut Numbers) -> Vec<DrawnRow<'n>> {
    let shares: Vec<f64> = (0..LESSONS).map(|_| 0.4 + 0.2 * numbers.next()).collect();
    let mut rows = Vec::new();
    for (number, session) in names.iter().enumerate() {
        let drawn = if numbers.next() < 1.0 / kind.one_of { Drawn::Held } else { Drawn::Told };
        let of_session = numbers.next();
        let drift = kind.drift * (0.5 - number as f64 / SESSIONS as f64);
        let mut left: Vec<i64> = (0..LESSONS).collect();
        for _ in 0..kind.lessons_a_session {
            let weights: f64 = left.iter().map(|lesson| 1.0 / (lesson + 1) as f64).sum();
            let mut at = numbers.next() * weights;
            let place = left.iter().position(|lesson| {
                at -= 1.0 / (lesson + 1) as f64;
                at < 0.0
            });
            let revision = left.remove(place.unwrap_or(0));
            let told = if drawn == Drawn::Told { kind.effect } else { 0.0 };
            let share = shares[usize::try_from(revision).unwrap_or(0)] + drift - told;
            let falls = if numbers.next() < kind.alike { of_session } else { numbers.next() };
            if numbers.next() >= kind.lost {
                rows.push(DrawnRow { session, revision, drawn, came: falls < share });
            }
        }
    }
    rows
}

/// What the comparison of all lessons together says of many homes, in shares of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    /// The interval misses the truth at some look.
    pub(crate) misses: f64,
    /// By the look at 91 sessions, the interval lies wholly above 0.
    pub(crate) helps: f64,
    /// By the look at 91 sessions, it lies wholly below.
    pub(crate) harms: f64,
}

/// Compares in many homes.
#[allow(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) fn together(kind: &Kind, homes: u32, seed: u64) -> Found {
    let (names, mut numbers) = (names(), Numbers(seed));
    let mut found = [0_u32; 3];
    for _ in 0..homes {
        let rows = home(kind, &names, &mut numbers);
        let mut is = [false; 3];
        for look in [61, 91, 137, 205] {
            let end = rows.iter().position(|row| row.session == names.get(look).map_or("", String::as_str));
            let shown = Comparison::together(&rows[..end.unwrap_or(rows.len())]);
            let Some(difference) = shown.difference else { continue };
            let interval = difference.interval;
            is[0] |= interval.low > kind.effect || interval.high < kind.effect;
            is[1] |= look <= 91 && interval.low > 0.0;
            is[2] |= look <= 91 && interval.high < 0.0;
        }
        found.iter_mut().zip(is).for_each(|(count, is)| *count += u32::from(is));
    }
    let [misses, helps, harms] = found.map(|count| f64::from(count) / f64::from(homes));
    Found { misses, helps, harms }
}

/// What the comparison of one lesson that comes up in these many sessions says by then, in shares of lessons: that it misses
/// the truth at some look, that the lesson helps, that it does harm.
pub(crate) fn alone(held: f64, effect: f64, sessions: usize, lessons: u32, seed: u64) -> Found {
    let (names, mut numbers) = (names(), Numbers(seed));
    let mut found = [0_u32; 3];
    for _ in 0..lessons {
        let rows: Vec<DrawnRow<'_>> = names
            .iter()
            .take(sessions)
            .map(|session| {
                let drawn = if numbers.next() < 0.25 { Drawn::Held } else { Drawn::Told };
                let share = if drawn == Drawn::Told { held - effect } else { held };
                DrawnRow { session, revision: 1, drawn, came: numbers.next() < share }
            })
            .collect();
        let mut is = [false; 3];
        for look in [12, 18, 27, 40, 61, 91, 137, 205].into_iter().filter(|look| *look <= sessions) {
            let Some(difference) = Comparison::of_lesson(&rows[..look]).difference else { continue };
            let interval = difference.interval;
            is[0] |= interval.low > effect || interval.high < effect;
            is[1] |= interval.low > 0.0;
            is[2] |= interval.high < 0.0;
        }
        found.iter_mut().zip(is).for_each(|(count, is)| *count += u32::from(is));
    }
    let [misses, helps, harms] = found.map(|count| f64::from(count) / f64::from(lessons));
    Found { misses, helps, harms }
}
