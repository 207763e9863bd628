//! The rows of an episode and of a joined session.

use rusqlite::types::Type;
use rusqlite::{Row, Transaction, named_params};

use super::RevisionId;
use lessons_ledger::integers::{signed, unsigned};

/// What the hook did when a lesson came up in a session for the first time. A later version adds sessions in which it was
/// left out by lot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arm {
    /// It told the lesson.
    Told,
    /// It refused the call.
    Refused,
    /// It said nothing in the whole session.
    Quiet,
    /// Nothing was to be said: every chance was used rightly.
    Unprompted,
}

impl Arm {
    /// The name of the arm in the database.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Refused => "refused",
            Self::Quiet => "quiet",
            Self::Unprompted => "unprompted",
        }
    }

    /// The arm of a row.
    pub(super) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let name: String = row.get("arm")?;
        let known = [Self::Told, Self::Refused, Self::Quiet, Self::Unprompted];
        let unknown = || {
            let reason = format!("`{name}` is no arm that this program knows").into();
            rusqlite::Error::FromSqlConversionFailure(2, Type::Text, reason)
        };
        known.into_iter().find(|arm| arm.as_str() == name).ok_or_else(unknown)
    }
}

/// What the model did at its next chance after it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextChance {
    /// It got it right.
    Right,
    /// It made the mistake again.
    Wrong,
}

/// Marks of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct EpisodeFlags {
    /// The transcript says that the lesson was told, and no event does.
    pub is_event_lost: bool,
    /// The events say that the lesson was told, and the transcript does not hold its text.
    pub is_undelivered: bool,
    /// The first refused call of the session was made again unchanged.
    pub is_first_overruled: bool,
    /// A query showed the lesson to the session.
    pub is_queried: bool,
    /// The lesson was told when a context started, before its first call.
    pub is_at_start: bool,
}

impl EpisodeFlags {
    const LOST: i64 = 1;
    const UNDELIVERED: i64 = 2;
    const FIRST_OVERRULED: i64 = 4;
    const QUERIED: i64 = 8;
    const AT_START: i64 = 16;

    fn bits(self) -> i64 {
        let bit = |is_set: bool, bit: i64| if is_set { bit } else { 0 };
        bit(self.is_event_lost, Self::LOST)
            | bit(self.is_undelivered, Self::UNDELIVERED)
            | bit(self.is_first_overruled, Self::FIRST_OVERRULED)
            | bit(self.is_queried, Self::QUERIED)
            | bit(self.is_at_start, Self::AT_START)
    }

    fn of(bits: i64) -> Self {
        Self {
            is_event_lost: bits & Self::LOST != 0,
            is_undelivered: bits & Self::UNDELIVERED != 0,
            is_first_overruled: bits & Self::FIRST_OVERRULED != 0,
            is_queried: bits & Self::QUERIED != 0,
            is_at_start: bits & Self::AT_START != 0,
        }
    }
}

/// A session in which a revision of a lesson came up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Episode {
    /// What the hook did.
    pub arm: Arm,
    /// The time of the first matching call, of the first chance, or else of the first call, in milliseconds since 1970.
    pub first: u64,
    /// The model at that call.
    pub model: String,
    /// The hash of the project.
    pub project: String,
    /// The contexts in which it came up: the main thread and sub-agents, each for itself.
    pub contexts: u64,
    /// The calls at which the mistake came again, by the measure of the lesson: later calls, or all that match for a lesson
    /// that is told when a session starts.
    pub again: u64,
    /// The contexts in which the first matching call failed.
    pub failed_first: u64,
    /// Those of the later calls that failed.
    pub failed_again: u64,
    /// The contexts whose first chance, before anything was told, was used rightly.
    pub right_first: u64,
    /// The contexts whose first chance was not.
    pub wrong_first: u64,
    /// The first chance after the model was told; `None` without one.
    pub followed: Option<NextChance>,
    /// Refused calls that were made another way.
    pub changed: u64,
    /// Refused calls that were made again unchanged, and ran.
    pub overruled: u64,
    /// Refused calls after which neither happened within ten calls.
    pub given_up: u64,
    /// Matching calls that the user refused or corrected.
    pub corrected: u64,
    /// The requests that read the lesson's text again.
    pub requests: u64,
    /// The tokens that its text took, as fresh input tokens.
    pub cost: u64,
    /// The price of the first repeat that was put right: tokens as fresh input tokens, and milliseconds.
    pub mending: Option<(u64, u64)>,
    /// Marks.
    pub flags: EpisodeFlags,
}

impl Episode {
    /// An episode in which nothing has been counted yet.
    pub fn of_arm(arm: Arm) -> Self {
        Self {
            arm,
            first: 0,
            model: String::new(),
            project: String::new(),
            contexts: 0,
            again: 0,
            failed_first: 0,
            failed_again: 0,
            right_first: 0,
            wrong_first: 0,
            followed: None,
            changed: 0,
            overruled: 0,
            given_up: 0,
            corrected: 0,
            requests: 0,
            cost: 0,
            mending: None,
            flags: EpisodeFlags::default(),
        }
    }

    /// Whether the hook said nothing, and a query showed the lesson: what followed counts as told by nobody, and as untold
    /// neither.
    pub fn is_only_queried(&self) -> bool {
        self.flags.is_queried && matches!(self.arm, Arm::Quiet | Arm::Unprompted)
    }

    pub(super) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let mending: Option<i64> = row.get("mending")?;
        let took: Option<i64> = row.get("mending_ms")?;
        let followed: Option<bool> = row.get("followed")?;
        Ok(Self {
            arm: Arm::of(row)?,
            first: unsigned(row, "first")?,
            model: row.get("model")?,
            project: row.get("project")?,
            contexts: unsigned(row, "contexts")?,
            again: unsigned(row, "again")?,
            failed_first: unsigned(row, "failed_first")?,
            failed_again: unsigned(row, "failed_again")?,
            right_first: unsigned(row, "right_first")?,
            wrong_first: unsigned(row, "wrong_first")?,
            followed: followed.map(|right| if right { NextChance::Right } else { NextChance::Wrong }),
            changed: unsigned(row, "changed")?,
            overruled: unsigned(row, "overruled")?,
            given_up: unsigned(row, "given_up")?,
            corrected: unsigned(row, "corrected")?,
            requests: unsigned(row, "requests")?,
            cost: unsigned(row, "cost")?,
            mending: mending.zip(took).map(|(tokens, ms)| (tokens.cast_unsigned(), ms.cast_unsigned())),
            flags: EpisodeFlags::of(row.get("flags")?),
        })
    }

    pub(super) fn insert(
        &self,
        change: &Transaction<'_>,
        session: &str,
        revision: RevisionId,
    ) -> rusqlite::Result<()> {
        change
            .prepare_cached(
                "INSERT OR REPLACE INTO episode (session, revision, arm, first, model, project, contexts, again,
                    failed_first, failed_again, right_first, wrong_first, followed, changed, overruled, given_up,
                    corrected, requests, cost, mending, mending_ms, flags)
                 VALUES (:session, :revision, :arm, :first, :model, :project, :contexts, :again,
                    :failed_first, :failed_again, :right_first, :wrong_first, :followed, :changed, :overruled, :given_up,
                    :corrected, :requests, :cost, :mending, :mending_ms, :flags)",
            )?
            .execute(named_params! {
                ":session": session,
                ":revision": revision.0,
                ":arm": self.arm.as_str(),
                ":first": signed(self.first),
                ":model": self.model,
                ":project": self.project,
                ":contexts": signed(self.contexts),
                ":again": signed(self.again),
                ":failed_first": signed(self.failed_first),
                ":failed_again": signed(self.failed_again),
                ":right_first": signed(self.right_first),
                ":wrong_first": signed(self.wrong_first),
                ":followed": self.followed.map(|next| next == NextChance::Right),
                ":changed": signed(self.changed),
                ":overruled": signed(self.overruled),
                ":given_up": signed(self.given_up),
                ":corrected": signed(self.corrected),
                ":requests": signed(self.requests),
                ":cost": signed(self.cost),
                ":mending": self.mending.map(|(tokens, _)| signed(tokens)),
                ":mending_ms": self.mending.map(|(_, ms)| signed(ms)),
                ":flags": self.flags.bits(),
            })
            .map(drop)
    }
}

/// A session that was joined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
    /// Whether its episodes were summed, so that it is not joined again.
    pub is_summed: bool,
    /// Its calls.
    pub calls: u64,
    /// The model that made most of them.
    pub model: String,
    /// The hash of its project.
    pub project: String,
    /// The calls that failed, were refused by the user or corrected.
    pub went_wrong: u64,
    /// Those of them at which a lesson in force was told, before or there, in the same context.
    pub told: u64,
    /// Those at which a lesson in force fires, but said nothing.
    pub kept_quiet: u64,
}

impl JoinedSession {
    pub(super) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            session: row.get("session")?,
            files: row.get("files")?,
            lessons: row.get("lessons")?,
            beginning: row.get("beginning")?,
            is_fork: row.get("is_fork")?,
            first: unsigned(row, "first")?,
            last: unsigned(row, "last")?,
            is_summed: row.get("is_summed")?,
            calls: unsigned(row, "calls")?,
            model: row.get("model")?,
            project: row.get("project")?,
            went_wrong: unsigned(row, "went_wrong")?,
            told: unsigned(row, "told")?,
            kept_quiet: unsigned(row, "kept_quiet")?,
        })
    }

    pub(super) fn insert(&self, change: &Transaction<'_>) -> rusqlite::Result<()> {
        change
            .prepare_cached(
                "INSERT OR REPLACE INTO joined_session (session, files, lessons, beginning, is_fork, first, last, is_summed,
                    calls, model,
                    project, went_wrong, told, kept_quiet)
                 VALUES (:session, :files, :lessons, :beginning, :is_fork, :first, :last, :is_summed,
                    :calls, :model,
                    :project, :went_wrong, :told, :kept_quiet)",
            )?
            .execute(named_params! {
                ":session": self.session,
                ":files": self.files,
                ":lessons": self.lessons,
                ":beginning": self.beginning,
                ":is_fork": self.is_fork,
                ":first": signed(self.first),
                ":last": signed(self.last),
                ":is_summed": self.is_summed,
                ":calls": signed(self.calls),
                ":model": self.model,
                ":project": self.project,
                ":went_wrong": signed(self.went_wrong),
                ":told": signed(self.told),
                ":kept_quiet": signed(self.kept_quiet),
            })
            .map(drop)
    }
}
