//! A lesson: a mistake, what to do instead, and when to say so.

use serde::{Deserialize, Serialize};

use crate::conditions::{Conditions, Os, Shell, StateCheck};
pub use crate::examples::{Examples, FORCED, Label, ONE_WRONG_IN, SampleCall};
use crate::id::{Layer, LessonId, QualifiedId, TopicId};
use lessons_pattern::Trigger;

/// The longest rule, mistake, rationale or detail, in characters.
pub const MAX_TEXT_CHARS: usize = 2000;
/// The longest summary, in characters.
pub const MAX_SUMMARY_CHARS: usize = 120;
/// The most triggers of a lesson, with `also` and `unless`.
pub const MAX_TRIGGERS: usize = 32;

/// The longest reason why a lesson is worth keeping, in characters.
pub const MAX_METACOGNITION_CHARS: usize = 500;
/// The longest phase, in characters.
pub const MAX_PHASE_CHARS: usize = 24;

/// The agent type of the main thread.
pub const MAIN: &str = "main";

/// The tag of a lesson about lost data.
pub const DATA_LOSS: &str = "severity:data-loss";

lessons_text::named! {
    /// The action of the hook when a lesson matches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Mode {
        /// The model is told; the call runs.
        #[default]
        Advise = "advise",
        /// The call is refused until the model repeats it.
        Bump = "bump",
        /// The call is refused every time.
        Block = "block",
    }
}

impl Mode {
    /// Whether this mode can stop a call.
    pub fn refuses(self) -> bool {
        !matches!(self, Self::Advise)
    }
}

lessons_text::named! {
    /// The occasion on which a lesson is told.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum When {
        /// A tool call that matches the lesson's triggers.
        #[default]
        Tool = "tool",
        /// The start of every session. Such a lesson needs no trigger.
        Session = "session",
    }
}

lessons_text::named! {
    /// The damage that the mistake does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[allow(missing_docs, reason = "the names say it")]
    pub enum Severity {
        Low = "low",
        #[default]
        Medium = "medium",
        High = "high",
        Critical = "critical",
    }
}

lessons_text::named! {
    /// The worth of a lesson.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[allow(missing_docs, reason = "the names say it")]
    pub enum Quality {
        Trivial = "trivial",
        #[default]
        Valuable = "valuable",
        Critical = "critical",
    }
}

lessons_text::named! {
    /// The status of a lesson. Only active lessons are compiled.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Status {
        /// The lesson is in force.
        #[default]
        Active = "active",
        /// A person has retired the lesson.
        Deprecated = "deprecated",
        /// The lesson is replaced by the one that `superseded_by` names.
        Superseded = "superseded",
    }
}

lessons_text::named! {
    /// The text that command patterns are matched against.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Subject {
        /// The command as typed, without the bodies of heredocs.
        #[default]
        Command = "command",
        /// The part of the command that would run: see [`lessons_shell::CommandLine::executable`].
        Executable = "executable",
        /// Each simple command that would run, from its program's name on; a trigger matches if any of them does: see
        /// [`lessons_shell::CommandLine::invocations`].
        Program = "program",
    }
}

impl Subject {
    /// The subjects of the `unless` triggers of a lesson with this subject. What silences a lesson about programs is often
    /// outside of the invocation, as in `RAILS_ENV=test rake db:drop`, so there the whole executable text is searched too.
    pub fn of_unless(self) -> &'static [Self] {
        match self {
            Self::Command => &[Self::Command],
            Self::Executable => &[Self::Executable],
            Self::Program => &[Self::Program, Self::Executable],
        }
    }
}

/// The rank of a lesson, from 1 (lowest) to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Priority(u8);

impl Priority {
    /// The lowest and the highest priority.
    pub const RANGE: std::ops::RangeInclusive<u8> = 1..=10;

    /// A priority, or an error if `value` is out of range.
    pub fn new(value: u8) -> Result<Self, OutOfRange> {
        let is_right = Self::RANGE.contains(&value);
        is_right.then_some(Self(value)).ok_or(OutOfRange("priority must be a whole number from 1 to 10"))
    }

    /// The priority as a number.
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

/// The certainty that a lesson is right, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Confidence(f64);

impl Confidence {
    /// A confidence, or an error if `value` is out of range.
    pub fn new(value: f64) -> Result<Self, OutOfRange> {
        let is_right = (0.0..=1.0).contains(&value);
        is_right.then_some(Self(value)).ok_or(OutOfRange("confidence must be a number from 0 to 1"))
    }

    /// The confidence as a number.
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

/// The error for a number outside of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OutOfRange(&'static str);

/// The projects and agents for which a lesson fires. An empty list means all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Scope {
    /// The keys of the projects: a git remote as `host/path`, else `root-` and a hash of the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// The agent types; `main` is the main thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

impl Scope {
    /// Whether the lesson fires everywhere.
    pub fn is_everywhere(&self) -> bool {
        self.projects.is_empty() && self.agents.is_empty()
    }
}

/// A reviewed lesson. It owns its triggers; whether a store shares equal ones does not matter here.
///
/// Its JSON is an interface to programs: fields at their default are left out, so that the same
/// lesson is the same text in later versions too.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lesson {
    /// The id inside the lesson's layer.
    pub id: LessonId,
    /// The rule: what to do instead, imperative. 1 to [`MAX_TEXT_CHARS`] characters.
    pub rule: String,
    /// The mistake: what goes wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// The one line that is used when the full text does not fit, at most [`MAX_SUMMARY_CHARS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The reason, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Longer text, shown to people on request, never to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The reason why the lesson is worth keeping, at most [`MAX_METACOGNITION_CHARS`]; never told to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metacognition: Option<String>,
    /// The phase of work in which it was learned, such as `plan` or `execute`: kebab-case, at most [`MAX_PHASE_CHARS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The public key of the colleague who shared it, 64 hexadecimal digits. Only a promotion of what was received sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The topics, at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<TopicId>,
    /// The tags, `category:value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The triggers of which any makes the lesson a candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<Trigger>,
    /// The triggers that must all match too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Trigger>,
    /// The triggers of which any silences the lesson.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<Trigger>,
    /// The tools to which every trigger is restricted. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The operating systems on which the lesson holds. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<Os>,
    /// The shells in which the lesson holds. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shell: Vec<Shell>,
    /// The states in which the lesson holds: all of these at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StateCheck>,
    /// The action of the hook.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// The occasion on which the lesson is told.
    #[serde(default, skip_serializing_if = "is_default")]
    pub when: When,
    /// The rank among lessons.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: Priority,
    /// The certainty that the lesson is right.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidence: Confidence,
    /// The damage that the mistake does.
    #[serde(default, skip_serializing_if = "is_default")]
    pub severity: Severity,
    /// The worth of the lesson.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quality: Quality,
    /// The projects and agents for which the lesson fires.
    #[serde(default, skip_serializing_if = "Scope::is_everywhere")]
    pub scope: Scope,
    /// The text that command patterns are matched against; `None` takes [`Lesson::effective_subject`]'s default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// The tests of the lesson.
    #[serde(default, skip_serializing_if = "Examples::is_empty")]
    pub examples: Examples,
    /// The origin of the lesson: `commit:…`, `session:…`, `candidate:…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Whether the lesson is in force.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: Status,
    /// The lesson that replaces this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<LessonId>,
    /// The day on which the lesson was recorded, RFC 3339.
    pub created_at: String,
    /// The time of the last change, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// Whether a field has its default, with which it is left out of JSON.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Lesson {
    /// The id of the lesson as one of the user's own.
    pub fn user_id(&self) -> QualifiedId {
        QualifiedId { layer: Layer::User, id: self.id.clone() }
    }

    /// A lesson with every optional field at its default.
    pub fn new(id: LessonId, rule: impl Into<String>, topic: TopicId, created_at: impl Into<String>) -> Self {
        let (rule, created_at) = (rule.into(), created_at.into());
        Self { id, rule, topics: vec![topic], created_at, ..Self::default() }
    }

    /// The one-line text: the summary, else the first [`MAX_SUMMARY_CHARS`] characters of the rule.
    pub fn one_line(&self) -> String {
        match &self.summary {
            Some(summary) => summary.clone(),
            None => self.rule.chars().take(MAX_SUMMARY_CHARS).collect(),
        }
    }

    /// The subject in effect: as set, else the executable text for a mode that refuses, so that
    /// `git commit -m "git stash"` is never refused, else the command as typed.
    pub fn effective_subject(&self) -> Subject {
        self.subject.unwrap_or(if self.mode.refuses() { Subject::Executable } else { Subject::Command })
    }

    /// The severity in effect: as set, and at least high for a lesson about lost data.
    pub fn effective_severity(&self) -> Severity {
        let loses_data = self.tags.iter().any(|tag| tag == DATA_LOSS);
        if loses_data { self.severity.max(Severity::High) } else { self.severity }
    }

    /// The conditions on the machine and on the state of a call.
    pub fn conditions(&self) -> Conditions {
        Conditions::of(&self.os, &self.shell, &self.state)
    }

    /// Its texts that a person or a model reads, each with the name of its field.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { mistake, summary, rationale, detail, metacognition, .. } = self;
        let optional = [mistake, summary, rationale, detail, metacognition].map(Option::as_deref);
        let names = ["mistake", "summary", "rationale", "detail", "metacognition"];
        let optional = names.into_iter().zip(optional).filter_map(|(name, text)| Some((name, text?)));
        std::iter::once(("rule", self.rule.as_str())).chain(optional)
    }

    /// Every trigger with its role.
    pub fn all_triggers(&self) -> impl Iterator<Item = (TriggerRole, &Trigger)> {
        let Self { triggers, also, unless, .. } = self;
        let lists = [(TriggerRole::Any, triggers), (TriggerRole::Also, also), (TriggerRole::Unless, unless)];
        lists.into_iter().flat_map(|(role, list)| list.iter().map(move |trigger| (role, trigger)))
    }
}

lessons_text::named! {
    /// The role of a trigger in its lesson, named by the list that contains it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum TriggerRole {
        /// The trigger is in `triggers`.
        Any = "trigger",
        /// The trigger is in `also`.
        Also = "also",
        /// The trigger is in `unless`.
        Unless = "unless",
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
    fn lost_data_is_of_high_severity_at_least() {
        let mut lesson = lesson();
        assert_eq!(lesson.effective_severity(), Severity::Medium);
        lesson.tags.push(DATA_LOSS.into());
        assert_eq!(lesson.effective_severity(), Severity::High);
        lesson.severity = Severity::Critical;
        assert_eq!(lesson.effective_severity(), Severity::Critical);
    }

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert!(Priority::new(0).is_err() && Priority::new(11).is_err() && Priority::new(10).is_ok());
        assert!(Confidence::new(-0.1).is_err() && Confidence::new(f64::NAN).is_err());
    }
}
