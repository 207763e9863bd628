//! The contents of records for which no other crate has a type: triggers, pattern notes, rules.

use std::borrow::Cow;

use crate::corrupt::Result;
use crate::views::{View, Views};
use lessons_lesson::Subject;
use lessons_pattern::TriggerKind;
use lessons_pattern::automaton::Automaton;

/// The test of a trigger. On disk its first byte is 0 for a pattern, 1 for words, 2 for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test<'a> {
    /// The bytes of an [`lessons_pattern::automaton::Automaton`] for the texts that the kind of trigger looks at.
    Pattern(&'a [u8]),
    /// A sequence of adjacent words.
    Words(Vec<String>),
    /// The name of a tool, as the client reports it.
    Tool(&'a str),
}

/// A trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger<'a> {
    /// The kind: the part of a call that the trigger looks at.
    pub kind: TriggerKind,
    /// The document frequency: the number of lessons with this trigger.
    pub document_frequency: u32,
    /// The views of a command on which lessons test the trigger.
    pub subjects: Subjects,
    /// The test.
    pub test: Test<'a>,
    /// The positions of the lessons with this trigger, ascending.
    pub lessons: Vec<u32>,
}

impl Trigger<'_> {
    /// Whether the trigger matches a call. `subject` is the view of a command that command patterns look at.
    pub fn matches(&self, views: &Views<'_>, subject: Subject) -> Result<bool> {
        let automaton = match &self.test {
            Test::Tool(name) => return Ok(*name == views.call.tool),
            Test::Words(words) => return Ok(views.with_words(words, subject).is_some()),
            Test::Pattern(automaton) => automaton,
        };
        let automaton = Automaton::parse(automaton)?;
        let found = views.find(self.kind, subject, |view| {
            let matches = automaton.is_match(view.bytes(automaton.alphabet()));
            matches.map(|matches| matches.then_some(())).transpose()
        });
        Ok(found.transpose()?.is_some())
    }

    /// Whether the trigger is a pattern for commands that matches this text.
    pub fn matches_command(&self, text: &View<'_>) -> Result<bool> {
        match &self.test {
            Test::Pattern(automaton) if self.kind == TriggerKind::CommandPattern => {
                let automaton = Automaton::parse(automaton)?;
                Ok(automaton.is_match(text.bytes(automaton.alphabet()))?)
            }
            _ => Ok(false),
        }
    }
}

/// The pattern of a trigger, and what a build derived from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternNote<'a> {
    /// The pattern as a person wrote it.
    pub pattern: &'a str,
    /// The literals of which every matching text contains some.
    pub clauses: Cow<'a, [Vec<String>]>,
    /// The bytes with one of which every matching text ends, if they are known.
    pub endings: &'a [u8],
}

/// The set of views of a command on which lessons test a trigger. On disk it is a byte with a bit for each view, the
/// lowest for the first of [`Subject::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Subjects(pub(super) u8);

impl Subjects {
    /// The set with `subject` added.
    #[must_use]
    pub fn with(self, subject: Subject) -> Self {
        Self(self.0 | bit_of(subject))
    }

    /// The union of two sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `subject` is in the set.
    pub fn contains(self, subject: Subject) -> bool {
        self.0 & bit_of(subject) != 0
    }

    /// The views in the set, in the order of [`Subject::ALL`].
    pub fn each(self) -> impl Iterator<Item = Subject> {
        Subject::ALL.into_iter().filter(move |subject| self.contains(*subject))
    }
}

fn bit_of(subject: Subject) -> u8 {
    1 << subject as u8
}

/// The rule and the topics of a lesson that is told at calls. `lessons query` ranks by the words of the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule<'a> {
    /// The lesson's position.
    pub lesson: u32,
    /// The rule, as recorded.
    pub rule: &'a str,
    /// The lesson's topics.
    pub topics: Vec<&'a str>,
}

/// A lesson for single agents, with the text that these are told when they start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLesson<'a> {
    /// The lesson's position.
    pub lesson: u32,
    /// The text; see [`lessons_lesson::render::agent_lesson`].
    pub text: &'a str,
}
