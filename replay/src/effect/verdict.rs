//! What the numbers say of a lesson, and the change that they propose. A person decides.

use std::fmt;

use serde::Serialize;

use super::tally::NotEnoughData;

/// The verdict on a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "is")]
pub enum Verdict {
    /// Told lessons: the call hardly ever comes again in a session, and advice arrives after it.
    CannotHelp,
    /// Lessons that refuse: too many of the refused calls were made again unchanged.
    TooWide,
    /// The model gets it right before it is told anything.
    NoLongerNeeded {
        /// The model.
        model: String,
    },
    /// The lesson has not come up since a while, so nothing is known of it. No change follows from that.
    NotComeUp {
        /// The sessions since then.
        sessions: u64,
        /// The time of the last one in which it came up, in milliseconds since 1970; `None` if it never did.
        last: Option<u64>,
    },
    /// Too few sessions to say anything.
    NotEnough {
        /// How many there are.
        data: NotEnoughData,
    },
    /// None of these. Whether telling changes anything takes sessions in which the lesson is left out by lot.
    Open,
}

impl fmt::Display for Verdict {
    /// The heading under which lessons with this verdict stand.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CannotHelp => "cannot help as advice",
            Self::TooWide => "too wide",
            Self::NoLongerNeeded { .. } => "no longer needed",
            Self::NotComeUp { .. } => "has not come up",
            Self::NotEnough { .. } => "not enough data",
            Self::Open => "open",
        })
    }
}

/// A proposed change of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// The reason, in a sentence without its period: `comes once in 59 of 61 sessions, advice comes after it`.
    pub reason: String,
    /// The command that carries it out, such as `lessons deprecate venv-pip`.
    pub command: String,
}
