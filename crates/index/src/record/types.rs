//! The contents of records that have no noun of their own elsewhere: triggers, pattern notes, rules.

use std::borrow::Cow;

use crate::corrupt::Corrupt;
use crate::views::Views;
use lessons_lesson::lesson::Subject;
use lessons_pattern::automaton::Automaton;
use lessons_pattern::trigger::TriggerKind;

/// How a trigger is tried. On disk a byte says which: 0 a pattern, 1 words, 2 a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test<'a> {
    /// The bytes of an [`lessons_pattern::automaton::Automaton`] over the texts that the kind looks at.
    Pattern(&'a [u8]),
    /// Words that stand next to each other.
    Words(Vec<String>),
    /// The name of a tool, as the client reports it.
    Tool(&'a str),
}

/// A trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger<'a> {
    /// What it looks at.
    pub kind: TriggerKind,
    /// How many lessons have it among theirs.
    pub document_frequency: u32,
    /// Whether lessons try it on the command as typed, and on what would run.
    pub subjects: Subjects,
    /// How it is tried.
    pub test: Test<'a>,
    /// The lessons that have it among their triggers, ascending.
    pub lessons: Vec<u32>,
}

impl Trigger<'_> {
    /// The document frequency of the trigger, if it matches a call. `subject` is the view of a command that command patterns
    /// look at.
    pub fn document_frequency_on(&self, views: &Views<'_>, subject: Subject) -> Result<Option<u32>, Corrupt> {
        Ok(self.matches(views, subject)?.then_some(self.document_frequency))
    }

    /// Whether the trigger matches a call.
    pub fn matches(&self, views: &Views<'_>, subject: Subject) -> Result<bool, Corrupt> {
        let automaton = match &self.test {
            Test::Tool(name) => return Ok(*name == views.tool()),
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
}

/// The pattern of a trigger, and what a build worked out from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternNote<'a> {
    /// The pattern as a person wrote it.
    pub pattern: &'a str,
    /// What every text that it matches holds.
    pub clauses: Cow<'a, [Vec<String>]>,
    /// The bytes of which every such text ends in one, if that is known.
    pub endings: &'a [u8],
}

/// The views of a command that lessons try a trigger on, as a set. On disk a byte has a bit for each, the lowest for
/// the first of [`Subject::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Subjects(pub(super) u8);

impl Subjects {
    /// The same with `subject`.
    #[must_use]
    pub fn with(self, subject: Subject) -> Self {
        Self(self.0 | bit_of(subject))
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `subject` is one of them.
    pub fn contains(self, subject: Subject) -> bool {
        self.0 & bit_of(subject) != 0
    }

    /// All that are in it, in the order of [`Subject::ALL`].
    pub fn each(self) -> impl Iterator<Item = Subject> {
        Subject::ALL.into_iter().filter(move |subject| self.contains(*subject))
    }
}

fn bit_of(subject: Subject) -> u8 {
    match subject {
        Subject::Command => 1,
        Subject::Executable => 2,
        Subject::Program => 4,
    }
}

/// The rule and the topics of a lesson that is told at calls. `lessons query` ranks by the words of the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule<'a> {
    /// The lesson's position.
    pub lesson: u32,
    /// What to do instead, as recorded.
    pub rule: &'a str,
    /// The lesson's topics.
    pub topics: Vec<&'a str>,
}
