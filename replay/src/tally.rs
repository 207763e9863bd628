//! Counts of sessions, and the fewest of which anything is said.

use std::fmt;

use serde::{Serialize, Serializer};

/// The fewest sessions of which a share is said. Below it only the number of sessions is.
pub const FEWEST_SESSIONS: u64 = 12;

/// A count out of a number of cases: `k` of `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// The cases that count.
    pub k: u64,
    /// All cases.
    pub n: u64,
}

impl Tally {
    /// A tally of `k` of `n`.
    pub fn new(k: u64, n: u64) -> Self {
        Self { k, n }
    }

    /// A tally of some cases, each of which counts or does not.
    pub fn of(cases: impl IntoIterator<Item = bool>) -> Self {
        let mut tally = Self::default();
        cases.into_iter().for_each(|counts| tally.add(counts));
        tally
    }

    /// Adds a case.
    pub fn add(&mut self, counts: bool) {
        self.n += 1;
        self.k += u64::from(counts);
    }

    /// The share in whole per cent: `58 %`; the error says that there are too few cases.
    pub fn percent(self) -> Result<String, NotEnoughData> {
        let enough = NotEnoughData::unless(self.n);
        enough.map_or_else(|| Ok(format!("{} %", (self.k * 200 + self.n) / (self.n * 2))), Err)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.k, self.n)
    }
}

/// The answer where there are fewer than [`FEWEST_SESSIONS`] sessions: `not enough data: 7 of 12 sessions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not enough data: {sessions} of {FEWEST_SESSIONS} sessions")]
pub struct NotEnoughData {
    /// The sessions that there are.
    pub sessions: u64,
}

impl NotEnoughData {
    /// How far it is: `7 of 12 sessions`.
    pub fn progress(self) -> String {
        format!("{} of {FEWEST_SESSIONS} sessions", self.sessions)
    }

    /// The answer for a number of sessions; `None` where there are enough.
    pub fn unless(sessions: u64) -> Option<Self> {
        (sessions < FEWEST_SESSIONS).then_some(Self { sessions })
    }
}

/// In JSON it is the sentence.
impl Serialize for NotEnoughData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_said_of_twelve_sessions_and_of_no_fewer() {
        assert_eq!(
            Tally::new(7, 11).percent().unwrap_err().to_string(),
            "not enough data: 11 of 12 sessions"
        );
        assert_eq!(Tally::new(7, 12).percent().unwrap(), "58 %");
        assert_eq!(Tally::new(1, 200).percent().unwrap(), "1 %", "half a per cent is rounded up");
        assert_eq!(Tally::default().percent(), Err(NotEnoughData { sessions: 0 }));
    }

    #[test]
    fn cases_are_counted() {
        let tally = Tally::of([true, false, true]);
        assert_eq!((tally, tally.to_string()), (Tally::new(2, 3), "2 of 3".to_owned()));
    }
}
