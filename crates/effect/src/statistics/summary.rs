//! The numbers for each lesson and for all of them, as `lessons effect` and the page show them.
//!
//! The unit is a session, its sub-agents included; calls are counted only where a field says so. Shares are
//! [`Tally`]s, which refuse to become a percentage where there are too few sessions. Lessons, words and topics are the
//! recorded texts: whoever shows them makes them neutral.

use lessons_lesson::id::{QualifiedId, TopicId};
use lessons_lesson::lesson::Mode;
use serde::Serialize;

use super::conduct::{AfterRefusal, Untold};
use super::verdict::{Proposal, Verdict};
use crate::join::measure::Measure;
use lessons_replay::tally::Tally;

/// The effect of all lessons.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The time at which it was made, in milliseconds since 1970.
    pub as_of: u64,
    /// What was looked at.
    pub looked_at: LookedAt,
    /// The newest model, where others were there before it.
    pub newest_model: Option<NewModel>,
    /// The lessons that are in force or came up, the user's own first: those first that propose something, then by the
    /// number of sessions in which they came up.
    pub lessons: Vec<LessonEffect>,
    /// What happened by week and topic, oldest first. Weeks without a session are there too.
    pub weeks: Vec<Week>,
    /// The calls that went wrong, and those of them at which a lesson fires.
    pub reach: Reach,
    /// The price of putting a repeat right, over all lessons; `None` below ten repeats.
    pub mending: Option<Mending>,
}

/// What followed over all lessons. A session in which two lessons were told counts twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Sessions with a reminder.
    pub told: u64,
    /// Those of them in which the next chance was used rightly.
    pub followed: u64,
    /// Those with a next chance.
    pub chances: u64,
    /// Blocked calls.
    pub blocked: u64,
    /// Those of them that were made another way.
    pub changed: u64,
}

impl Summary {
    /// What followed over all lessons.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for LessonEffect { followed, refused, .. } in &self.lessons {
            totals.told += followed.sessions();
            totals.followed += followed.followed;
            totals.chances += followed.followed + followed.not_followed;
            totals.blocked += refused.calls();
            totals.changed += refused.changed;
        }
        totals
    }
}

/// The sessions that were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LookedAt {
    /// Sessions, forks excluded.
    pub sessions: u64,
    /// Calls in them.
    pub calls: u64,
    /// Projects.
    pub projects: u64,
    /// The time of the first session, in milliseconds since 1970.
    pub from: Option<u64>,
    /// The time of the last.
    pub to: Option<u64>,
    /// Sessions that were left out because they are copies of others (`--fork-session`).
    pub forks: u64,
    /// Sessions in which a lesson was told and the event of it is lost.
    pub events_lost: u64,
    /// Sessions in which `lessons query` showed a lesson and hooks did not: they count neither as told nor as untold.
    pub only_queried: u64,
}

/// A model that came after others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewModel {
    /// The model.
    pub model: String,
    /// The time of its first session, in milliseconds since 1970.
    pub since: u64,
}

/// The effect of one lesson, in its present revision.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonEffect {
    /// The lesson.
    pub id: QualifiedId,
    /// What it says, in one line: a recorded text.
    pub title: String,
    /// What to do instead: a recorded text.
    pub rule: String,
    /// Its topics.
    pub topics: Vec<TopicId>,
    /// What the hook does.
    pub mode: Mode,
    /// Whether hooks act on it.
    pub is_in_force: bool,
    /// The time at which it was recorded, in milliseconds since 1970.
    pub recorded: Option<u64>,
    /// The revision: a hash of triggers, mode and texts. An edited lesson begins a new series.
    pub revision: String,
    /// What counts as the mistake coming again.
    pub measure: Measure,
    /// The sessions in which it came up; for a lesson that is told when a session starts, those in which it holds.
    pub sessions: u64,
    /// Room: the untold sessions in which the call came again after its first time, of all untold ones; for a lesson that is
    /// told when a session starts, those in which it came at all.
    pub room: Tally,
    /// The sessions in which the mistake came again, by what the hook did at its first time, or when the session started.
    pub again: Arms,
    /// What the model did after it was told.
    pub followed: AfterTelling,
    /// What the model did after it was refused.
    pub refused: AfterRefusal,
    /// First chances before anything was told, by model, the newest model first.
    pub untold: Vec<Untold>,
    /// Sessions in which the user refused or corrected a matching call.
    pub corrected: u64,
    /// Sessions in which the first matching call failed, of those in which it came up.
    pub failed_first: Tally,
    /// The tokens that telling took in all sessions, as fresh input tokens.
    pub cost: u64,
    /// The price of putting a repeat right; `None` below ten repeats in untold sessions.
    pub mending: Option<Mending>,
    /// The last sessions in which it came up, oldest first; at most [`MOST_RECENT`].
    pub recent: Vec<RecentSession>,
    /// What can be said.
    pub verdict: Verdict,
    /// What is proposed.
    pub proposal: Option<Proposal>,
}

/// The most recent sessions that a lesson's lanes show.
pub const MOST_RECENT: usize = 60;

/// Sessions in which the mistake came again, by the measure of the lesson, of all with that treatment. They are no comparison: the hook chose, not a
/// lot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Arms {
    /// Told at the first matching call.
    pub told: Tally,
    /// Refused at the first matching call.
    pub refused: Tally,
    /// Nothing was said: the lesson was not there yet, or it was kept quiet.
    pub quiet: Tally,
}

/// What the model did at the next chance after it was told, in sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AfterTelling {
    /// Right at the next chance.
    pub followed: u64,
    /// Wrong again.
    pub not_followed: u64,
    /// No further chance.
    pub no_chance: u64,
}

impl AfterTelling {
    /// The sessions in which it was told.
    pub fn sessions(&self) -> u64 {
        self.followed + self.not_followed + self.no_chance
    }
}

/// The price of putting a repeat right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mending {
    /// The median, as fresh input tokens.
    pub tokens: u64,
    /// The median, in seconds.
    pub seconds: u64,
    /// The repeats that were put right within ten calls.
    pub repeats: u64,
}

/// A session in which a lesson came up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecentSession {
    /// The time of its first matching call, in milliseconds since 1970.
    pub time: u64,
    /// What the hook did there.
    pub lane: Lane,
    /// Whether the mistake came again.
    pub again: bool,
    /// The model.
    pub model: String,
}

/// What the hook did at the first matching call of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Lane {
    /// It told.
    Told,
    /// It refused the call.
    Refused,
    /// It said nothing.
    Quiet,
}

/// A week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Week {
    /// Its first moment, Monday 0:00 UTC, in milliseconds since 1970.
    pub start: u64,
    /// The calls in its sessions, which belong to the week in which they begin.
    pub calls: u64,
    /// The topics, in alphabetical order. A lesson counts for its first topic.
    pub topics: Vec<TopicWeek>,
}

/// What happened in one week with the lessons of a topic, in calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicWeek {
    /// The topic.
    pub topic: TopicId,
    /// Matching calls that were the first in their context.
    pub first: u64,
    /// Later matching calls in the same context.
    pub again: u64,
    /// Calls that were refused before they ran.
    pub stopped: u64,
}

/// The calls that failed, were refused by the user or corrected, and what lessons had to do with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// All of them. A failure that is the answer of a test is none.
    pub calls: u64,
    /// Those at which a lesson in force was told, before or there, in the same context.
    pub told: u64,
    /// Those at which a lesson in force fires, but said nothing.
    pub kept_quiet: u64,
    /// Those of the others that a candidate is about that waits for a decision.
    pub waiting: u64,
    /// Those of the others that a rejected candidate is about.
    pub rejected: u64,
}

impl Reach {
    /// Those at which some lesson in force fires.
    pub fn reached(&self) -> u64 {
        self.told + self.kept_quiet
    }

    /// Those that neither a lesson nor a candidate is about.
    pub fn unnoticed(&self) -> u64 {
        self.calls.saturating_sub(self.reached() + self.waiting + self.rejected)
    }
}
