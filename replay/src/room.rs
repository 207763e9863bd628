//! Room: whether a reminder could help at all, because the call comes again.

use std::collections::BTreeMap;
use std::fmt;

use crate::bounds::hardly_comes_again;
use crate::call_log::RecordedCall;
use crate::tally::{FEWEST_SESSIONS, Tally};

/// The sessions in which a lesson fires, and those of them in which it fires again in a later answer of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room(pub Tally);

impl Room {
    /// The room that is left by the calls at which a lesson matches, in order, each with the numbers of its session and its log.
    pub(crate) fn of<'h>(calls: impl Iterator<Item = (usize, usize, &'h RecordedCall)>) -> Self {
        // The answer in which it first matched, by log and agent.
        let mut first: BTreeMap<(usize, &str), u32> = BTreeMap::new();
        // Whether it matched again in a later answer, by session.
        let mut comes_again: BTreeMap<usize, bool> = BTreeMap::new();
        for (session, log, recorded) in calls {
            let first = *first.entry((log, &recorded.agent)).or_insert(recorded.answer);
            *comes_again.entry(session).or_default() |= recorded.answer > first;
        }
        Self(Tally::of(comes_again.into_values()))
    }

    /// Whether there are enough sessions to say anything.
    pub fn is_known(self) -> bool {
        self.0.n >= FEWEST_SESSIONS
    }
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { k, n } = self.0;
        match self.0.percent() {
            Ok(_) if hardly_comes_again(self.0) => {
                write!(
                    f,
                    "comes once in {} of {n} sessions, and a reminder arrives after it: propose bump",
                    n - k
                )
            }
            Ok(percent) => write!(f, "comes again in {percent} of its {n} sessions"),
            Err(few) => write!(f, "{few}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_said_of_twelve_sessions_and_more() {
        let said = |k, n| Room(Tally::new(k, n)).to_string();
        assert_eq!(said(3, 11), "not enough data: 11 of 12 sessions");
        assert_eq!(said(11, 18), "comes again in 61 % of its 18 sessions");
        assert_eq!(said(0, 28), "comes again in 0 % of its 28 sessions");
        assert_eq!(
            said(2, 61),
            "comes once in 59 of 61 sessions, and a reminder arrives after it: propose bump"
        );
    }
}
