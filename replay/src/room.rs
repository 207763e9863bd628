//! Room: whether a reminder could help at all, because the call comes again.

use std::collections::BTreeMap;
use std::fmt;

use crate::bounds::hardly_comes_again;
use crate::call_log::RecordedCall;
use crate::tally::{FEWEST_SESSIONS, Tally};

/// The sessions in which a lesson fires, and those of them in which it fires again in a later answer of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room(pub Tally);

/// The room that a history leaves, while calls at which a lesson fires are added.
#[derive(Debug, Default)]
pub(crate) struct Rooms<'h> {
    /// The answer in which it first fired, by log and agent.
    first: BTreeMap<(usize, &'h str), u32>,
    /// Whether it fired again in a later answer, by session.
    comes_again: BTreeMap<usize, bool>,
}

impl<'h> Rooms<'h> {
    /// Adds a call at which it fires.
    pub(crate) fn add(&mut self, session: usize, log: usize, recorded: &'h RecordedCall) {
        let first = *self.first.entry((log, &recorded.agent)).or_insert(recorded.answer);
        *self.comes_again.entry(session).or_default() |= recorded.answer > first;
    }

    /// The room.
    pub(crate) fn room(self) -> Room {
        Room(Tally::of(self.comes_again.into_values()))
    }
}

impl Room {
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
