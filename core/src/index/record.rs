//! Records: settings, lessons, texts and triggers as bytes, and back.
//!
//! Numbers are little-endian; a text is its length in four bytes and its UTF-8; a list is its length in
//! four bytes and its items; what may be absent has a byte 0 or 1 in front.

mod read;
mod write;

use std::borrow::Cow;

pub use read::Cursor;
pub use write::Writer;

use crate::lesson::Subject;
use crate::trigger::TriggerKind;

/// How a trigger is tried. On disk a byte says which: 0 a pattern, 1 words, 2 a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test<'a> {
    /// The bytes of an [`crate::automaton::Automaton`] over the texts that the kind looks at.
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
    pub fanout: u32,
    /// On which of a command's texts lessons try it.
    pub subjects: Subjects,
    /// How it is tried.
    pub test: Test<'a>,
    /// The lessons that have it among their triggers, ascending.
    pub lessons: Vec<u32>,
}

/// What was worked out from the pattern of a trigger, for the next build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note<'a> {
    /// The pattern.
    pub pattern: &'a str,
    /// What every text that it matches holds.
    pub clauses: Cow<'a, [Vec<String>]>,
    /// The bytes of which every such text ends in one, if that is known.
    pub endings: &'a [u8],
}

/// On which of a command's texts lessons try a trigger, as a set. On disk a byte has a bit for each, the lowest for
/// the first of [`Subject::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Subjects(u8);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::{DedupScope, Settings, Terms};
    use crate::index::Damaged;
    use crate::lesson::{Mode, When};

    fn terms() -> Terms {
        Terms {
            id: "user/git-stash".parse().unwrap(),
            mode: Mode::Bump,
            when: When::Tool,
            priority: 7,
            created_at: "2026-11-20T10:00:00Z".into(),
            triggers: vec![0, 4],
            also: vec![1],
            unless: vec![2, 3],
            tools: vec!["Bash".into()],
            roots: Some(vec!["/srv/app".into()]),
            agents: vec!["main".into()],
            subject: Subject::Program,
            off_until: Some(12),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::default();
        writer.terms(&terms(), |trigger| trigger);
        let record = writer.finish();
        let mut cursor = Cursor::new(&record);
        assert_eq!(cursor.terms(), Ok(terms()));
        assert_eq!(cursor.end(), Ok(()));

        let settings =
            Settings { off_until: Some(9), dedup_scope: DedupScope::Session, ..Settings::default() };
        let mut writer = Writer::default();
        writer.settings(&settings);
        assert_eq!(Cursor::new(&writer.finish()).settings(), Ok(settings));

        for test in [
            Test::Pattern(b"\x01\x02"),
            Test::Pattern(b""),
            Test::Words(vec!["big".into(), "cat".into()]),
            Test::Tool("Edit"),
        ] {
            let trigger = Trigger {
                kind: TriggerKind::PathPattern,
                fanout: 3,
                subjects: Subjects::default().with(Subject::Executable).with(Subject::Program),
                test,
                lessons: vec![1, 2, 9],
            };
            let mut writer = Writer::default();
            writer.trigger(&trigger);
            assert_eq!(Cursor::new(&writer.finish()).trigger(), Ok(trigger));
        }
    }

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let clauses = vec![vec!["git".to_owned()], vec!["stash".to_owned(), "clean".to_owned()]];
        let notes = [None, Some(Note { pattern: "git", clauses: clauses.into(), endings: b"t" }), None];
        let mut writer = Writer::default();
        for note in &notes {
            writer.note(note.as_ref());
        }
        let bytes = writer.finish();
        let mut cursor = Cursor::new(&bytes);
        assert_eq!([cursor.note().unwrap(), cursor.note().unwrap(), cursor.note().unwrap()], notes);
        assert_eq!(cursor.note(), Err(Damaged));
    }

    #[test]
    fn a_record_that_ends_early_or_claims_too_much_is_damaged() {
        let mut writer = Writer::default();
        writer.terms(&terms(), |trigger| trigger);
        let record = writer.finish();
        for end in 0..record.len() {
            assert_eq!(Cursor::new(&record[..end]).terms(), Err(Damaged), "{end}");
        }
        let mut huge = record;
        huge[0..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(Cursor::new(&huge).terms(), Err(Damaged));
    }
}
