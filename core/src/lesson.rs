//! A lesson: a mistake, what to do instead, and when to say so.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{LessonId, TopicId};
use crate::trigger::Trigger;

/// The longest rule, mistake, rationale or detail, in characters.
pub const MAX_TEXT_CHARS: usize = 2000;
/// The longest summary, in characters.
pub const MAX_SUMMARY_CHARS: usize = 120;
/// The most triggers a lesson may have, `also` and `unless` counted too.
pub const MAX_TRIGGERS: usize = 32;

/// What the hook does when a lesson matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Tells the model; the call runs.
    #[default]
    Advise,
    /// Refuses the call until the model repeats it.
    Bump,
    /// Refuses the call, every time.
    Block,
}

impl Mode {
    /// Whether this mode can stop a call.
    pub fn refuses(self) -> bool {
        !matches!(self, Self::Advise)
    }
}

/// When a lesson is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// At a tool call that matches its triggers.
    #[default]
    Tool,
    /// At the start of every session. Needs no trigger.
    Session,
}

/// How much damage the mistake does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Severity {
    Low,
    #[default]
    Medium,
    High,
    Critical,
}

/// How much the lesson is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Quality {
    Trivial,
    #[default]
    Valuable,
    Critical,
}

/// Whether a lesson is in force. Only active ones are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// In force.
    #[default]
    Active,
    /// Put away by a person.
    Deprecated,
    /// Replaced by the lesson that `superseded_by` names.
    Superseded,
}

/// What command patterns look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// The command as typed, without the bodies of heredocs.
    Command,
    /// What would run: see [`crate::shell::CommandLine::executable`].
    Executable,
    /// Each simple command that would run, from its program's name on; a trigger matches if any of them does: see
    /// [`crate::shell::CommandLine::invocations`].
    Program,
}

impl Subject {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Command, Self::Executable, Self::Program];

    /// What the `unless` of a lesson with this subject look at. What silences a lesson about programs often stands
    /// where no program is, as in `RAILS_ENV=test rake db:drop`, so there it is looked for in all that would run too.
    pub fn of_unless(self) -> &'static [Self] {
        match self {
            Self::Command => &[Self::Command],
            Self::Executable => &[Self::Executable],
            Self::Program => &[Self::Program, Self::Executable],
        }
    }
}

/// Rank among lessons, 1 (lowest) to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Priority(u8);

impl Priority {
    /// Lowest and highest.
    pub const RANGE: std::ops::RangeInclusive<u8> = 1..=10;

    /// Checks and wraps `value`.
    pub fn new(value: u8) -> Result<Self, OutOfRange> {
        if Self::RANGE.contains(&value) {
            Ok(Self(value))
        } else {
            Err(OutOfRange { what: "priority", allowed: "a whole number from 1 to 10" })
        }
    }

    /// The number.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self(5)
    }
}

impl TryFrom<u8> for Priority {
    type Error = OutOfRange;
    fn try_from(value: u8) -> Result<Self, OutOfRange> {
        Self::new(value)
    }
}

impl From<Priority> for u8 {
    fn from(priority: Priority) -> Self {
        priority.0
    }
}

/// How sure we are that the lesson is right, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

impl Confidence {
    /// Checks and wraps `value`.
    pub fn new(value: f64) -> Result<Self, OutOfRange> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(OutOfRange { what: "confidence", allowed: "a number from 0 to 1" })
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Self(1.0)
    }
}

impl TryFrom<f64> for Confidence {
    type Error = OutOfRange;
    fn try_from(value: f64) -> Result<Self, OutOfRange> {
        Self::new(value)
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> Self {
        confidence.0
    }
}

/// A number outside its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be {allowed}")]
pub struct OutOfRange {
    what: &'static str,
    allowed: &'static str,
}

/// Where a lesson fires. Empty lists mean everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Scope {
    /// Keys of projects: a git remote as `host/path`, else `root-` and a hash of the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// Agent types; `main` is the main thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

impl Scope {
    /// Whether the lesson fires everywhere.
    pub fn is_everywhere(&self) -> bool {
        self.projects.is_empty() && self.agents.is_empty()
    }
}

/// A call that a lesson is tried on. The project's root is `/p`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleCall {
    /// The tool's name.
    pub tool: String,
    /// The command, for Bash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The path, relative to `/p` or absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What an edit puts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

impl fmt::Display for SampleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        for part in [&self.command, &self.file, &self.content].into_iter().flatten() {
            write!(f, " `{part}`")?;
        }
        Ok(())
    }
}

/// A lesson's own tests. They are about matching, not about claims or budget.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Calls on which the lesson must fire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fires: Vec<SampleCall>,
    /// Calls on which it must not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quiet: Vec<SampleCall>,
}

/// What a person said of a call at which a lesson fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// It should fire there.
    Right,
    /// It should not.
    Wrong,
}

/// How an entry of [`Lesson::evidence`] begins that says why the lesson refuses calls without proof.
pub const FORCED: &str = "forced:block: ";

/// One in so many calls that a person has looked at may be wrong, and the lesson is in force all the same.
pub const ONE_WRONG_IN: usize = 20;

impl Examples {
    /// Whether so many wrong ones among the examples can be lived with.
    pub fn tolerate(&self, wrong: usize) -> bool {
        wrong * ONE_WRONG_IN <= self.fires.len() + self.quiet.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fires.is_empty() && self.quiet.is_empty()
    }
}

/// A reviewed lesson. It owns its triggers; that the store interns them is the store's business.
///
/// As JSON it is what programs get and give: fields at their default are left out, so that the same
/// lesson is the same text in later versions too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lesson {
    /// Its id inside its layer.
    pub id: LessonId,
    /// What to do instead, imperative. 1 to [`MAX_TEXT_CHARS`] characters.
    pub rule: String,
    /// What goes wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// The one line that is used when the full text does not fit, at most [`MAX_SUMMARY_CHARS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// One line of why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Longer text, shown to people on request, never to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// At least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<TopicId>,
    /// `category:value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The lesson is a candidate if any of these matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<Trigger>,
    /// All of these must match too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Trigger>,
    /// Any of these that matches silences the lesson.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<Trigger>,
    /// Narrows every trigger to these tools. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What the hook does.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// When it is told.
    #[serde(default, skip_serializing_if = "is_default")]
    pub when: When,
    /// Its rank.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: Priority,
    /// How sure we are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidence: Confidence,
    /// How much damage the mistake does.
    #[serde(default, skip_serializing_if = "is_default")]
    pub severity: Severity,
    /// What it is worth.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quality: Quality,
    /// Where it fires.
    #[serde(default, skip_serializing_if = "Scope::is_everywhere")]
    pub scope: Scope,
    /// What command patterns look at; `None` takes [`Lesson::effective_subject`]'s default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// Its own tests.
    #[serde(default, skip_serializing_if = "Examples::is_empty")]
    pub examples: Examples,
    /// Where it comes from: `commit:…`, `session:…`, `candidate:…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Whether it is in force.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: Status,
    /// The lesson that replaces this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<LessonId>,
    /// The day it was recorded, RFC 3339.
    pub created_at: String,
    /// When it was last changed, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Lesson {
    /// A lesson with every optional field at its default.
    pub fn new(id: LessonId, rule: impl Into<String>, topic: TopicId, created_at: impl Into<String>) -> Self {
        Self {
            id,
            rule: rule.into(),
            mistake: None,
            summary: None,
            rationale: None,
            detail: None,
            topics: vec![topic],
            tags: Vec::new(),
            triggers: Vec::new(),
            also: Vec::new(),
            unless: Vec::new(),
            tools: Vec::new(),
            mode: Mode::default(),
            when: When::default(),
            priority: Priority::default(),
            confidence: Confidence::default(),
            severity: Severity::default(),
            quality: Quality::default(),
            scope: Scope::default(),
            subject: None,
            examples: Examples::default(),
            evidence: Vec::new(),
            status: Status::default(),
            superseded_by: None,
            created_at: created_at.into(),
            updated_at: None,
        }
    }

    /// The one line: the summary, else the first [`MAX_SUMMARY_CHARS`] characters of the rule.
    pub fn one_line(&self) -> String {
        match &self.summary {
            Some(summary) => summary.clone(),
            None => self.rule.chars().take(MAX_SUMMARY_CHARS).collect(),
        }
    }

    /// What command patterns look at: as set, else what would run for a mode that refuses, so that
    /// `git commit -m "git stash"` is never refused, else the command as typed.
    pub fn effective_subject(&self) -> Subject {
        self.subject.unwrap_or(if self.mode.refuses() { Subject::Executable } else { Subject::Command })
    }

    /// Every trigger with the list it stands in.
    pub fn all_triggers(&self) -> impl Iterator<Item = (Role, &Trigger)> {
        let role = |role| move |trigger| (role, trigger);
        self.triggers
            .iter()
            .map(role(Role::Any))
            .chain(self.also.iter().map(role(Role::Also)))
            .chain(self.unless.iter().map(role(Role::Unless)))
    }
}

/// The part a trigger plays in its lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// One of `triggers`.
    Any,
    /// One of `also`.
    Also,
    /// One of `unless`.
    Unless,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "trigger",
            Self::Also => "also",
            Self::Unless => "unless",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson() -> Lesson {
        Lesson::new(LessonId::new("a").unwrap(), "Do it.", TopicId::new("t").unwrap(), "2026-01-01")
    }

    #[test]
    fn the_one_line_is_the_summary_or_the_start_of_the_rule() {
        let mut lesson = lesson();
        lesson.rule = "é".repeat(130);
        assert_eq!(lesson.one_line(), "é".repeat(120));
        lesson.summary = Some("short".into());
        assert_eq!(lesson.one_line(), "short");
    }

    #[test]
    fn a_refusing_mode_looks_at_what_would_run_unless_told_otherwise() {
        let mut lesson = lesson();
        assert_eq!(lesson.effective_subject(), Subject::Command);
        lesson.mode = Mode::Bump;
        assert_eq!(lesson.effective_subject(), Subject::Executable);
        lesson.subject = Some(Subject::Command);
        assert_eq!(lesson.effective_subject(), Subject::Command);
    }

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert!(Priority::new(0).is_err() && Priority::new(11).is_err() && Priority::new(10).is_ok());
        assert!(Confidence::new(-0.1).is_err() && Confidence::new(f64::NAN).is_err());
    }
}
