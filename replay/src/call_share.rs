//! The share of the past calls that went well at which a lesson fires: whether it is too broad.
//!
//! The rule: a lesson that fires at more than one call in [`ONE_IN`] is too broad. It cannot be judged by fewer than
//! [`FEWEST_CALLS`] calls, of which two are one in a hundred already.

use std::fmt;

use crate::bounds::wilson_lower;
use crate::call_log::CallOutcome;

/// A lesson is too broad if it fires at more than one call in this many that went well.
pub const ONE_IN: usize = 100;
/// The fewest past calls by which this is judged.
pub const FEWEST_CALLS: usize = 200;

/// The number of calls that went well at which a lesson fires, and of all calls that went well. Of a call that failed or
/// was stopped nobody can say that the lesson was not wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallShare {
    /// The calls at which the lesson matches. One at which other lessons would have been told instead counts too.
    pub fired: usize,
    /// All calls.
    pub calls: usize,
    /// The calls that failed at which the lesson matches.
    pub failed: usize,
}

impl CallShare {
    /// The share by the outcomes of all calls, and of those at which the lesson matches.
    pub(crate) fn of(
        all: impl Iterator<Item = CallOutcome>,
        matched: impl Iterator<Item = CallOutcome>,
    ) -> Self {
        let calls = all.filter(|outcome| *outcome == CallOutcome::Fine).count();
        matched.fold(Self { calls, ..Self::default() }, |share, outcome| Self {
            fired: share.fired + usize::from(outcome == CallOutcome::Fine),
            failed: share.failed + usize::from(outcome == CallOutcome::Failed),
            ..share
        })
    }

    /// The share of the calls at which the lesson matches that failed; 0 where there are none.
    #[allow(clippy::cast_precision_loss, reason = "no one has 2^52 calls")]
    pub fn failing(self) -> f64 {
        self.failed as f64 / (self.failed + self.fired).max(1) as f64
    }

    /// How surely a call at which the lesson matches fails: the lower bound of the share of those that did.
    pub fn surely_failing(self) -> f64 {
        wilson_lower(self.failed as u64, (self.failed + self.fired) as u64)
    }

    /// Whether the lesson is too broad.
    pub fn is_too_broad(self) -> bool {
        self.calls >= FEWEST_CALLS && self.fired * ONE_IN > self.calls
    }
}

impl fmt::Display for CallShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fires at {} of the {} calls in your sessions that went well", self.fired, self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_that_went_well_count() {
        let outcomes = [CallOutcome::Fine, CallOutcome::Failed, CallOutcome::Stopped];
        let share = CallShare::of(outcomes.into_iter(), outcomes.into_iter());
        assert_eq!(share, CallShare { fired: 1, calls: 1, failed: 1 });
    }

    #[test]
    fn more_than_one_call_in_a_hundred_is_too_broad() {
        let broad = |fired, calls| CallShare { fired, calls, failed: 0 }.is_too_broad();
        assert!(broad(3, 244) && broad(3, 200) && broad(1001, 100_000));
        assert!(!broad(2, 200) && !broad(1000, 100_000) && !broad(0, 200));
        assert!(!broad(199, 199), "too few to judge by");
    }
}
