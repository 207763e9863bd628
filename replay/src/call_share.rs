//! The share of the past calls at which a lesson fires: whether it is too broad to refuse any.
//!
//! The rule: a lesson that fires at more than one call in [`ONE_IN`] is too broad. It cannot be judged by fewer than
//! [`FEWEST_CALLS`] calls, of which two are one in a hundred already.

use std::fmt;

use crate::outcome::Count;
use crate::report::Replay;

/// A lesson is too broad if it fires at more than one call in this many.
pub const ONE_IN: usize = 100;
/// The fewest past calls by which this is judged.
pub const FEWEST_CALLS: usize = 200;

/// The number of calls at which a lesson fires, and of all calls that were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallShare {
    /// The calls at which the lesson matches.
    pub fired: usize,
    /// All calls.
    pub calls: usize,
}

impl CallShare {
    /// The share in a replay. A call at which other lessons would have been told instead counts too.
    pub fn of(replay: &Replay) -> Self {
        Self { fired: replay.fired.calls + replay.left_out, calls: replay.looked_at.calls }
    }

    /// Whether the lesson is too broad.
    pub fn is_too_broad(self) -> bool {
        self.calls >= FEWEST_CALLS && self.fired * ONE_IN > self.calls
    }
}

impl From<Count> for CallShare {
    fn from(count: Count) -> Self {
        Self { fired: count.fired, calls: count.calls }
    }
}

impl fmt::Display for CallShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fires at {} of the {} calls in your sessions", self.fired, self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one_call_in_a_hundred_is_too_broad() {
        let broad = |fired, calls| CallShare { fired, calls }.is_too_broad();
        assert!(broad(3, 244) && broad(3, 200) && broad(1001, 100_000));
        assert!(!broad(2, 200) && !broad(1000, 100_000) && !broad(0, 200));
        assert!(!broad(199, 199), "too few to judge by");
    }
}
