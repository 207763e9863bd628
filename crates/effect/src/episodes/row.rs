//! The rows of an episode and of a joined session.

use lessons_client::Client;
use serde::{Deserialize, Serialize};

lessons_text::named! {
    /// What the hook did when a lesson came up in a session for the first time.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Arm {
        /// It told the lesson.
        Told = "told",
        /// It left the lesson out, because the lot said so.
        Held = "held",
        /// It refused the call.
        Refused = "refused",
        /// It said nothing in the whole session.
        Quiet = "quiet",
        /// Nothing was to be said: every chance was used rightly.
        #[default]
        Unprompted = "unprompted",
        /// It said nothing, but the agent asked for the lesson, or its block was dropped by something else: what followed counts
        /// neither as told nor as untold.
        Queried = "queried",
    }
}

/// What a call is for a lesson one of whose triggers it hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Chance {
    /// The `unless` kept it quiet.
    Right,
    /// It matches.
    Wrong,
}

impl From<bool> for Chance {
    fn from(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }
}

impl From<Chance> for bool {
    fn from(chance: Chance) -> Self {
        chance == Chance::Right
    }
}

/// A session in which a revision of a lesson came up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a column of its own")]
pub struct Episode {
    /// The hash of the session. Empty before it is recorded.
    #[serde(skip_serializing)]
    pub session: String,
    /// What the hook did.
    pub arm: Arm,
    /// The time of the first matching call, of the first chance, or else of the first call, in milliseconds since 1970.
    pub first: u64,
    /// The model at that call.
    pub model: String,
    /// The client of the session, which its row holds.
    #[serde(skip_serializing)]
    pub client: Client,
    /// The calls at which the mistake came again, by the measure of the lesson: later calls, or all that match for a lesson
    /// that is told when a session starts.
    pub again: u64,
    /// The first chance before anything was told: wrong where it was in any context. `None` without one.
    pub untold: Option<Chance>,
    /// The first chance after the model was told. `None` without one, and where the transcript does not hold the text.
    pub followed: Option<Chance>,
    /// Refused calls that were made another way.
    pub changed: u64,
    /// Refused calls that were made again unchanged, and ran.
    pub overruled: u64,
    /// Refused calls after which neither happened within ten calls.
    pub given_up: u64,
    /// Whether the first refused call was made again unchanged.
    #[serde(rename = "overruled_first")]
    pub is_first_overruled: bool,
    /// Whether the user refused or corrected a matching call.
    #[serde(rename = "corrected")]
    pub is_corrected: bool,
    /// The tokens that its text took, as fresh input tokens.
    pub cost: u64,
    /// Whether the transcript says that the lesson was told, and no event does.
    #[serde(rename = "event_lost")]
    pub is_event_lost: bool,
    /// The series of the lot by which it was told or left out; empty where no lot decided.
    pub lot: String,
    /// Whether the first matching call went wrong, which no reminder can change.
    #[serde(rename = "failed_first")]
    pub has_failed_first: bool,
    /// Whether a later matching call, or one of the three after it, went wrong.
    #[serde(rename = "failed_later")]
    pub has_failed_later: bool,
}

impl Episode {
    /// Adds the first chance of a context that was told nothing before it.
    pub fn add_untold(&mut self, chance: Chance) {
        if self.untold != Some(Chance::Wrong) {
            self.untold = Some(chance);
        }
    }

    /// The refused calls.
    pub fn refused(&self) -> u64 {
        self.changed + self.overruled + self.given_up
    }
}

/// A session that was joined.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct JoinedSession {
    /// The hash of its id.
    pub session: String,
    /// The state of its files: a hash of their names, sizes and times.
    pub files: String,
    /// The hash of the revisions with which it was joined.
    pub lessons: String,
    /// The hash of the id of its first prompt, which a fork copies.
    pub beginning: Option<String>,
    /// Whether it is a copy of another one.
    pub is_fork: bool,
    /// The time of its first call, in milliseconds since 1970.
    pub first: u64,
    /// The time at which its files were changed last, in milliseconds since 1970.
    pub last: u64,
    /// Its calls.
    pub calls: u64,
    /// The model that made most of them.
    pub model: String,
    /// The client.
    pub client: Client,
    /// The hash of its project.
    pub project: String,
    /// The calls that failed, were refused by the user or corrected.
    pub went_wrong: u64,
    /// Those of them at which a lesson in force was told, before or there, in the same context.
    pub told: u64,
    /// Those at which a lesson in force fires, but said nothing.
    pub kept_quiet: u64,
}
