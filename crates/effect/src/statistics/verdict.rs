//! What can be said of a lesson, and the change that is proposed. A person decides.

use std::fmt;

use lessons_lesson::id::{Layer, QualifiedId};
use lessons_replay::tally::NotEnoughData;
use serde::Serialize;

/// The verdict on a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "is")]
pub enum Verdict {
    /// By lot: the mistake came more often where it was told.
    DoesHarm,
    /// By lot: it came less often.
    Helps,
    /// By lot: ten points less are not possible.
    NoUsefulEffect,
    /// Told lessons: the call hardly ever comes again in a session, and advice arrives after it.
    CannotHelp,
    /// Lessons that refuse: too many of the refused calls were made again unchanged.
    TooWide,
    /// Every model in use gets it right before it is told anything.
    NoLongerNeeded,
    /// It is retired, and since then the mistake came again in several sessions.
    CameBack,
    /// The lesson has not come up with the newest model. No change follows from that: nobody knows whether it had a chance.
    NotComeUp {
        /// The sessions of that model.
        sessions: u64,
        /// The model.
        model: String,
        /// The time at which it came up last, in milliseconds since 1970.
        last: u64,
    },
    /// The lesson has no trigger, so no call can show what it does.
    NotMeasured,
    /// Too few sessions to say anything.
    NotEnough {
        /// How many there are.
        data: NotEnoughData,
    },
    /// None of these.
    Open,
}

impl fmt::Display for Verdict {
    /// The heading under which lessons with this verdict stand.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DoesHarm => "does harm",
            Self::Helps => "helps",
            Self::NoUsefulEffect => "no useful effect",
            Self::CannotHelp => "cannot help as advice",
            Self::TooWide => "too wide",
            Self::NoLongerNeeded => "no longer needed",
            Self::CameBack => "came back",
            Self::NotComeUp { .. } => "has not come up",
            Self::NotMeasured => "not measured",
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
    /// The command that carries it out, such as `lessons retire venv-pip`.
    pub command: String,
}

/// The command that takes a lesson out of force. Those of other people are switched off.
pub fn retirement(id: &QualifiedId) -> String {
    match id.layer {
        Layer::User => format!("lessons retire {}", id.id),
        Layer::Seed | Layer::Project(_) | Layer::Peer(_) => format!("lessons off {id}"),
    }
}
