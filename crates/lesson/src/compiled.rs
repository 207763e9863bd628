//! The nouns of compiled lessons: what the manifest says for people, and the index in binary.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use lessons_text::neutral;

use crate::conditions::Conditions;
use crate::id::QualifiedId;
use crate::lesson::{Mode, Priority, Quality, Severity, Subject, When};
use crate::lot::{InLot, Lot};

/// The settings that hooks act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Off: nothing is told and nothing refused by lessons.
    pub enabled: bool,
    /// Until when everything is off, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_until: Option<u64>,
    /// The most lessons told at one call.
    pub budget_lessons: usize,
    /// The most bytes of text at one call.
    pub budget_bytes: usize,
    /// The most bytes of lessons at the start of a session. The protocol comes on top.
    pub session_bytes: usize,
    /// What counts as having been told before.
    pub dedup_scope: DedupScope,
    /// Claims of lessons with at least this priority are forgotten at compaction.
    pub compaction_threshold: u8,
    /// What sub-agents are told when they start.
    #[serde(default)]
    pub agents: AgentSettings,
    /// By which lot sessions get no reminders. `None` where nothing is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lot: Option<Lot>,
}

/// The settings for what sub-agents are told when they start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSettings {
    /// The most lessons.
    pub lessons: usize,
    /// The most bytes of lessons, without the fence around them.
    pub bytes: usize,
    /// Whether they are told how to record a lesson.
    pub protocol: bool,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self { lessons: 10, bytes: 1024, protocol: true }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            off_until: None,
            budget_lessons: 3,
            budget_bytes: 4096,
            session_bytes: 1500,
            dedup_scope: DedupScope::Context,
            compaction_threshold: 7,
            agents: AgentSettings::default(),
            lot: None,
        }
    }
}

lessons_text::named! {
    /// How far a claim reaches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum DedupScope {
        /// The main thread and each sub-agent for itself: what one is told does not reach the others.
        #[default]
        Context = "context",
        /// The session, sub-agents included.
        Session = "session",
    }
}

/// When, where and how a lesson fires. Triggers are positions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Terms {
    /// Its id with its layer.
    pub id: QualifiedId,
    /// What the hook does.
    pub mode: Mode,
    /// When it is told.
    pub when: When,
    /// Its rank, 1 to 10.
    pub priority: u8,
    /// The worth of the lesson, which decides between lessons of one priority.
    #[serde(default)]
    pub quality: Quality,
    /// The damage that the mistake does: see [`crate::lesson::Lesson::effective_severity`].
    pub severity: Severity,
    /// When it was recorded, RFC 3339. Newer ones come first among equals.
    pub created_at: String,
    /// Any of these must match.
    pub triggers: Vec<u32>,
    /// All of these must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<u32>,
    /// None of these may match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<u32>,
    /// Only these tools. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Only in projects at or below one of these roots. `None`: everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Vec<String>>,
    /// Only for these agent types. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Only on these machines and in these states.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
    /// What command patterns look at.
    pub subject: Subject,
    /// Until when it is off, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_until: Option<u64>,
    /// Whether sessions of the [`Lot`] leave it out.
    #[serde(default)]
    pub in_lot: InLot,
}

impl Terms {
    /// The terms of a lesson that says nothing but its id and when it was recorded: advice at tool calls, everywhere, with
    /// no trigger yet. The other values are those that a lesson has where it does not give its own.
    pub fn new(id: QualifiedId, created_at: impl Into<String>) -> Self {
        let (priority, created_at) = (Priority::default().get(), created_at.into());
        Self { id, priority, created_at, ..Self::default() }
    }

    /// Whether the lesson is switched off now.
    pub fn is_off(&self, clock: &dyn Clock) -> bool {
        self.off_until.is_some_and(|until| clock.now() < until)
    }
}

/// The two texts of a lesson, ready to be told; see [`crate::render::lesson`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The full text: mistake, rule and reason in one line, and the line with the id.
    pub full: String,
    /// The title or the rule in short, and the line with the id, for where the full text does not fit.
    pub brief: String,
}

/// The most weakened lessons that are named.
const MOST_WEAKENED: usize = 3;

/// What a build says about itself and to the user, besides the lessons.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BuildNotes {
    /// The version of the program that built.
    pub made_by: String,
    /// The project stores that the user trusts, ascending by root.
    pub trusted: Vec<TrustedRoot>,
    /// The lessons that became active lately, newest first.
    pub news: Vec<News>,
    /// The files whose content was accepted when this was built, as they were then. A file that differs was changed by
    /// other means than a command. `None`: the build did not look.
    pub sources: Option<Vec<AcceptedSource>>,
    /// The accepted lessons that should refuse calls and could not be compiled.
    pub lost_refusals: Vec<LostRefusal>,
    /// The lessons that stopped calls until somebody weakened them.
    #[serde(default)]
    pub weakened: Vec<Weakened>,
    /// The number of built-in lessons in force. An index of an earlier build does not say.
    #[serde(default)]
    pub built_in: usize,
}

/// An accepted lesson that should refuse calls and could not be compiled. The user is told of it at every session start:
/// a refusal must not end silently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRefusal {
    /// The lesson.
    pub id: QualifiedId,
    /// The reason, in a sentence.
    pub reason: String,
}

/// A lesson that stopped calls until somebody switched it off, retired it or made it a reminder. The user is told of it once,
/// and by `lessons status` while it lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weakened {
    /// The lesson.
    pub id: QualifiedId,
    /// The time of the first build that knew of it, in milliseconds since 1970.
    pub at: u64,
    /// Who did it, in words.
    pub by: String,
    /// What it is now.
    pub how: Weakening,
}

/// What a lesson is that stopped calls before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Weakening {
    /// Switched off, by itself or with all others.
    Off {
        /// Until when, in milliseconds since 1970.
        until: Option<u64>,
    },
    /// It only reminds.
    Reminds,
    /// Retired, or otherwise not in force.
    Gone,
}

impl BuildNotes {
    /// The lessons that were weakened after `since` (in milliseconds since 1970) and still are, in words: the first three, and
    /// the number of the others. `None` if there are none.
    pub fn weakened_since(&self, since: u64, clock: &dyn Clock) -> Option<String> {
        let is_over =
            |it: &Weakened| matches!(it.how, Weakening::Off { until: Some(until) } if clock.now() >= until);
        let mut words: Vec<String> =
            self.weakened.iter().filter(|it| it.at > since && !is_over(it)).map(Weakened::in_words).collect();
        let more = words.len().saturating_sub(MOST_WEAKENED);
        words.truncate(MOST_WEAKENED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        (!words.is_empty()).then(|| format!("{}{more}", words.join(", ")))
    }
}

impl Weakened {
    /// The lesson, what it is now and who did it.
    fn in_words(&self) -> String {
        let how = match self.how {
            Weakening::Off { until: None } => "switched off",
            Weakening::Off { until: Some(_) } => "switched off for a while",
            Weakening::Reminds => "now only reminds",
            Weakening::Gone => "no longer in force",
        };
        format!("{} ({how}, by {})", self.id, neutral::line(&self.by))
    }
}

/// A project store that the user has approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedRoot {
    /// The project's root.
    pub root: String,
    /// The SHA-256 of the approved bytes, as hex.
    pub sha256: String,
    /// The SHA-256 of the approved settings, as hex, where the project brings some along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

/// A lesson that became active lately, of which the user is to be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// The lesson.
    pub id: QualifiedId,
    /// When it became active, in milliseconds since 1970.
    pub at: u64,
    /// Who switched it on, in words.
    pub by: String,
    /// What the lesson does, in one line.
    pub summary: String,
}

/// A lesson for the start of sessions that came into force lately. A session that was running by then is told it at its
/// next call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateLesson {
    /// The lesson.
    pub id: QualifiedId,
    /// When it came into force, in milliseconds since 1970.
    pub at: u64,
}

impl LateLesson {
    /// The time for which running sessions are told such a lesson, in milliseconds: a day. Sessions that run for longer
    /// without a call are rare, and every call looks at these lessons.
    pub const KEPT: u64 = 24 * 3600 * 1000;
    /// The most lessons of which calls look at, so that an import of many costs no call much.
    pub const MOST: usize = 8;

    /// Whether sessions are still told a lesson at a call now that came into force then.
    pub fn is_due(at: u64, now: u64) -> bool {
        now.saturating_sub(at) < Self::KEPT
    }
}

/// A file of the data folder that is accepted as it is, told apart by what the file system says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedSource {
    /// Its name in the data folder.
    pub file: String,
    /// What is compared before its content. `None`: there is no such file.
    pub state: Option<FileState>,
    /// The SHA-256 of its content, as hex; empty without a file. A file that was written again with the same content, as git
    /// does, is accepted as it is.
    #[serde(default)]
    pub sha256: String,
}

impl AcceptedSource {
    /// The state of the file at `path`; `None` where there is none.
    pub fn state_of(path: &Path) -> Option<FileState> {
        let found = path.symlink_metadata().ok()?;
        let written = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
        Some(FileState(found.len(), written, found.ino()))
    }
}

/// What tells in most cases, without reading it, that a file was written again: its length in bytes, when it was written, in
/// nanoseconds since 1970, and its inode, which another file has that was moved to its place with both of these kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState(pub u64, pub i64, #[serde(default)] pub u64);

/// The time. It is asked for only where a lesson, or all of them, are switched off for a while.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;
}

/// A time that is known.
impl Clock for u64 {
    fn now(&self) -> u64 {
        *self
    }
}
