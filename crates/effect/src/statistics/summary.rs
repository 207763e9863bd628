//! The numbers for each lesson and for all of them, as `lessons effect` and the page show them.
//!
//! The unit is a session, its sub-agents included; calls are counted only where a field says so. Shares are
//! [`Tally`]s, which refuse to become a percentage where there are too few sessions. The titles of lessons are the
//! recorded texts: whoever shows them makes them neutral.

use std::collections::BTreeMap;
use std::fmt;

use lessons_client::Client;
use lessons_lesson::{Layer, Mode, QualifiedId};
use lessons_replay::Tally;
use lessons_replay::bounds::hardly_comes_again;
use lessons_replay::tally::NotEnoughData;
use lessons_text::{counted, line, listed};
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::comparison::Comparison;
use crate::episodes::Arm;
use crate::join::lessons::Measure;

/// The effect of all lessons.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The time at which it was made, in milliseconds since 1970.
    pub as_of: u64,
    /// What was looked at.
    pub looked_at: LookedAt,
    /// The lessons in force: those first that propose something, then the user's own, then by the number of sessions in which
    /// they came up.
    pub lessons: Vec<LessonEffect>,
    /// The calls that went wrong, and those of them at which a lesson fires.
    pub reach: Reach,
    /// What reminders change, by sessions that were left out by lot.
    pub answer: Answer,
    /// The same for each client that has sessions.
    pub clients: Vec<ClientEffect>,
}

/// What happened in the sessions of one client.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientEffect {
    /// The client.
    pub client: Client,
    /// Its sessions with calls, forks excluded.
    pub sessions: u64,
    /// Calls in them.
    pub calls: u64,
    /// How often a lesson was told, once a session.
    pub told: u64,
    /// Blocked calls.
    pub refused: u64,
    /// What telling changes there, all lessons together.
    #[serde(skip_deserializing)]
    pub comparison: Comparison,
}

/// The sessions that were looked at, of a year at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LookedAt {
    /// Sessions with calls, forks excluded.
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

/// The effect of one lesson, in its present revision: an edited lesson begins a new series.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonEffect {
    /// The lesson.
    pub id: QualifiedId,
    /// What it says, in one line: a recorded text.
    pub title: String,
    /// What the hook does.
    pub mode: Mode,
    /// What counts as the mistake coming again.
    pub measure: Measure,
    /// The sessions in which it came up; for a lesson that is told when a session starts, those in which it holds.
    pub sessions: u64,
    /// The sessions in which the mistake came again, by what the hook did at its first time, or when the session started.
    pub again: Arms,
    /// What the model did after it was told.
    pub followed: AfterTelling,
    /// What the model did after it was refused.
    pub refused: AfterRefusal,
    /// First chances of the models in use before anything was told, for each with which the lesson came up, the newest first.
    pub untold: Vec<Untold>,
    /// The sessions in which it came up, by client.
    pub clients: BTreeMap<Client, u64>,
    /// Sessions in which the user refused or corrected a matching call.
    pub corrected: u64,
    /// The tokens that telling took in all sessions, as fresh input tokens.
    pub cost: u64,
    /// The last sessions in which it came up, oldest first; at most [`MOST_RECENT`].
    pub recent: Vec<RecentSession>,
    /// Sessions in which it was told against those that left it out by lot.
    pub comparison: Comparison,
    /// What can be said.
    pub verdict: Verdict,
    /// What is proposed.
    pub proposal: Option<Proposal>,
}

/// The most recent sessions of a lesson that are named.
pub const MOST_RECENT: usize = 10;

impl LessonEffect {
    /// What was observed, in one line; empty where there is nothing to say.
    pub fn observed(&self) -> String {
        let (again, room) = (self.measure.again(), self.again.quiet);
        let room = (room.n > 0).then(|| match room.percent() {
            Ok(percent) => format!("comes {again} in {percent} of {} untold sessions", room.n),
            Err(_) => format!("comes {again} in {room} untold sessions"),
        });
        let told = (self.followed.sessions() > 0).then(|| self.after_telling());
        let blocked = (self.refused.calls() > 0).then(|| format!("blocked {}", self.refused));
        let needless = listed(self.untold.iter().filter(|it| it.is_right()).map(|it| &it.model));
        let needless = (!needless.is_empty() && self.verdict != Verdict::NoLongerNeeded)
            .then(|| format!("no longer needed with {}", line(&needless)));
        [told, blocked, room, needless].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// What the model did after it was told, in one line.
    pub fn after_telling(&self) -> String {
        let AfterTelling { followed, not_followed, no_chance } = self.followed;
        let sessions = counted(self.followed.sessions(), "session");
        if self.measure == Measure::First {
            return format!(
                "told at the start of {sessions}: right at the first chance in {followed}, wrong in {not_followed}, no chance in \
                 {no_chance}"
            );
        }
        format!(
            "told in {sessions}: right at the next chance in {followed}, wrong again in {not_followed}, no further chance in \
             {no_chance}"
        )
    }
}

/// Sessions in which the mistake came again, by the measure of the lesson, of all with that treatment. They are no comparison:
/// the hook chose, not a lot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Arms {
    /// Told at the first matching call.
    pub told: Tally,
    /// Refused at the first matching call.
    pub refused: Tally,
    /// Nothing was said: the lesson was not there yet, or it was kept quiet. This is the room that a reminder has.
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

/// What the model did after refused calls, in calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AfterRefusal {
    /// It made the call another way.
    pub changed: u64,
    /// It made the call again unchanged.
    pub overruled: u64,
    /// It did neither.
    pub given_up: u64,
    /// The sessions of these calls.
    pub sessions: u64,
    /// Those of them whose first refused call was made again unchanged.
    pub overruled_in: u64,
}

impl AfterRefusal {
    /// The refused calls.
    pub fn calls(&self) -> u64 {
        self.changed + self.overruled + self.given_up
    }
}

impl fmt::Display for AfterRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { changed, overruled, given_up, .. } = self;
        let calls = counted(self.calls(), "call");
        write!(f, "{calls}: {changed} changed, {overruled} made again, {given_up} given up")
    }
}

/// First chances before anything was told, by one model, in sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Untold {
    /// The model.
    pub model: String,
    /// The sessions in which it got them right, of all with one: an `unless` kept the lesson quiet.
    pub right: Tally,
}

impl Untold {
    /// Whether the model hardly ever makes the mistake, with 95 % certainty. Never true of a lesson without an `unless`.
    pub fn is_right(&self) -> bool {
        hardly_comes_again(Tally::new(self.right.n - self.right.k, self.right.n))
    }
}

/// A session in which a lesson came up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecentSession {
    /// The time of its first matching call, in milliseconds since 1970.
    pub time: u64,
    /// What the hook did there.
    pub arm: Arm,
    /// Whether the mistake came again.
    pub again: bool,
}

/// The calls that failed, were refused by the user or corrected, and what lessons had to do with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
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
    if id.layer == Layer::User { format!("lessons retire {}", id.id) } else { format!("lessons off {id}") }
}
