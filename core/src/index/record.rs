//! Records: settings, lessons, texts and triggers as bytes, and back.
//!
//! Numbers are little-endian; a text is its length in four bytes and its UTF-8; a list is its length in
//! four bytes and its items; what may be absent has a byte 0 or 1 in front.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use super::Damaged;
use super::header::{Header, Identity, Span};
use crate::compiled::{DedupScope, Settings, Terms};
use crate::lesson::{Mode, Subject, When};
use crate::trigger::TriggerKind;

/// How a trigger is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test<'a> {
    /// The bytes of an [`crate::automaton::Automaton`] over the texts that the kind looks at.
    Pattern {
        /// Its bytes.
        automaton: &'a [u8],
        /// Whether texts beyond ASCII need the other one.
        only_ascii: bool,
    },
    /// Words that stand next to each other.
    Words(Vec<String>),
    /// The name of a tool, as the client reports it.
    Tool(&'a str),
}

/// The bytes that name a pattern.
pub const NAME_BYTES: usize = 16;

/// What names a pattern: the start of its SHA-256.
pub fn name(pattern: &str) -> [u8; NAME_BYTES] {
    let mut name = [0; NAME_BYTES];
    for (to, from) in name.iter_mut().zip(Sha256::digest(pattern.as_bytes())) {
        *to = from;
    }
    name
}

/// A trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger<'a> {
    /// What it looks at.
    pub kind: TriggerKind,
    /// How many lessons have it among theirs.
    pub fanout: u32,
    /// Whether lessons try it on the command as typed, and on what would run.
    pub subjects: Subjects,
    /// How it is tried.
    pub test: Test<'a>,
    /// The lessons that have it among their triggers, ascending.
    pub lessons: Vec<u32>,
}

/// What was worked out from the pattern of a trigger, for the next build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The pattern's [`name`].
    pub name: [u8; NAME_BYTES],
    /// What every text that it matches holds.
    pub clauses: Vec<Vec<String>>,
}

/// On which of a command's texts lessons try a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Subjects {
    /// On the command as typed.
    pub command: bool,
    /// On what would run.
    pub executable: bool,
}

/// Puts a record together.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// The record.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn short(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn long(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn count(&mut self, length: usize) {
        self.short(u32::try_from(length).unwrap_or(u32::MAX));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    fn shorts(&mut self, numbers: &[u32]) {
        self.count(numbers.len());
        for &number in numbers {
            self.short(number);
        }
    }

    fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        for text in texts {
            self.bytes(text.as_bytes());
        }
    }

    fn maybe(&mut self, number: Option<u64>) {
        self.byte(u8::from(number.is_some()));
        if let Some(number) = number {
            self.long(number);
        }
    }

    /// Adds the settings.
    pub fn settings(&mut self, settings: &Settings) {
        self.byte(u8::from(settings.enabled));
        self.maybe(settings.off_until);
        self.long(settings.budget_lessons as u64);
        self.long(settings.budget_bytes as u64);
        self.byte(u8::from(settings.dedup_scope == DedupScope::Session));
        self.byte(settings.compaction_threshold);
    }

    /// Adds when, where and how a lesson fires.
    pub fn terms(&mut self, terms: &Terms) {
        self.bytes(terms.id.to_string().as_bytes());
        self.byte(match terms.mode {
            Mode::Advise => 0,
            Mode::Bump => 1,
            Mode::Block => 2,
        });
        self.byte(u8::from(terms.when == When::Session));
        self.byte(u8::from(terms.subject == Subject::Executable));
        self.byte(terms.priority);
        self.bytes(terms.created_at.as_bytes());
        self.shorts(&terms.triggers);
        self.shorts(&terms.also);
        self.shorts(&terms.unless);
        self.texts(&terms.tools);
        self.byte(u8::from(terms.roots.is_some()));
        self.texts(terms.roots.as_deref().unwrap_or_default());
        self.texts(&terms.agents);
        self.maybe(terms.off_until);
    }

    /// Adds what a lesson says.
    pub fn said(&mut self, full: &str, brief: &str) {
        self.bytes(full.as_bytes());
        self.bytes(brief.as_bytes());
    }

    /// Adds a trigger.
    pub fn trigger(&mut self, trigger: &Trigger<'_>) {
        let kind = TriggerKind::ALL.iter().position(|kind| *kind == trigger.kind).unwrap_or(0);
        self.byte(u8::try_from(kind).unwrap_or(0));
        self.short(trigger.fanout);
        self.byte(u8::from(trigger.subjects.command) | u8::from(trigger.subjects.executable) << 1);
        match &trigger.test {
            Test::Pattern { automaton, only_ascii } => {
                self.byte(u8::from(*only_ascii));
                self.bytes(automaton);
            }
            Test::Words(words) => {
                self.byte(2);
                self.texts(words);
            }
            Test::Tool(name) => {
                self.byte(3);
                self.bytes(name.as_bytes());
            }
        }
        self.shorts(&trigger.lessons);
    }

    /// Adds a note, or that there is none.
    pub fn note(&mut self, note: Option<&Note>) {
        self.byte(u8::from(note.is_some()));
        if let Some(note) = note {
            self.0.extend_from_slice(&note.name);
            self.count(note.clauses.len());
            note.clauses.iter().for_each(|clause| self.texts(clause));
        }
    }
}

impl Writer {
    fn span(&mut self, span: Span) {
        self.long(span.at);
        self.long(span.length);
    }

    /// Adds a header's fields.
    pub(super) fn header(&mut self, header: &Header) {
        self.long(header.manifest.inode);
        self.long(header.manifest.size);
        self.long(header.manifest.seconds.cast_unsigned());
        self.short(header.manifest.nanoseconds);
        self.0.extend_from_slice(&header.digest);
        self.0.extend_from_slice(&header.body);
        self.settings(&header.settings);
        self.byte(u8::from(header.reads_contents));
        self.short(header.always);
        for span in [
            header.filter,
            header.table,
            header.pairs,
            header.postings,
            header.triggers,
            header.lessons,
            header.texts,
            header.beyond,
            header.notes,
        ] {
            self.span(span);
        }
    }
}

/// Takes a record apart. What does not fit is damage.
#[derive(Debug)]
pub struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// At the start of a record.
    pub fn new(record: &'a [u8]) -> Self {
        Self(record)
    }

    /// All of the record has been read.
    pub fn end(self) -> Result<(), Damaged> {
        if self.0.is_empty() { Ok(()) } else { Err(Damaged) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Damaged> {
        self.take(1)?.first().copied().ok_or(Damaged)
    }

    fn yes_or_no(&mut self) -> Result<bool, Damaged> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damaged),
        }
    }

    /// A number of four bytes.
    pub(super) fn short(&mut self) -> Result<u32, Damaged> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().map_err(|_| Damaged)?))
    }

    /// A number of eight bytes.
    pub(super) fn long(&mut self) -> Result<u64, Damaged> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().map_err(|_| Damaged)?))
    }

    fn size(&mut self) -> Result<usize, Damaged> {
        usize::try_from(self.long()?).map_err(|_| Damaged)
    }

    fn bytes(&mut self) -> Result<&'a [u8], Damaged> {
        let count = self.short()? as usize;
        self.take(count)
    }

    fn text(&mut self) -> Result<&'a str, Damaged> {
        core::str::from_utf8(self.bytes()?).map_err(|_| Damaged)
    }

    /// A list of numbers. Its length is held against what is left, so that it costs no more than the record.
    fn shorts(&mut self) -> Result<Vec<u32>, Damaged> {
        let count = self.short()? as usize;
        let (numbers, []) = self.take(count.checked_mul(4).ok_or(Damaged)?)?.as_chunks::<4>() else {
            return Err(Damaged);
        };
        Ok(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect())
    }

    fn texts(&mut self) -> Result<Vec<String>, Damaged> {
        let count = self.short()?;
        (0..count).map(|_| self.text().map(str::to_owned)).collect()
    }

    fn maybe(&mut self) -> Result<Option<u64>, Damaged> {
        if self.yes_or_no()? { self.long().map(Some) } else { Ok(None) }
    }

    /// Reads what [`Writer::settings`] wrote.
    pub fn settings(&mut self) -> Result<Settings, Damaged> {
        Ok(Settings {
            enabled: self.yes_or_no()?,
            off_until: self.maybe()?,
            budget_lessons: self.size()?,
            budget_bytes: self.size()?,
            dedup_scope: if self.yes_or_no()? { DedupScope::Session } else { DedupScope::Context },
            compaction_threshold: self.byte()?,
        })
    }

    /// Reads what [`Writer::terms`] wrote.
    pub fn terms(&mut self) -> Result<Terms, Damaged> {
        Ok(Terms {
            id: self.text()?.parse().map_err(|_| Damaged)?,
            mode: match self.byte()? {
                0 => Mode::Advise,
                1 => Mode::Bump,
                2 => Mode::Block,
                _ => return Err(Damaged),
            },
            when: if self.yes_or_no()? { When::Session } else { When::Tool },
            subject: if self.yes_or_no()? { Subject::Executable } else { Subject::Command },
            priority: self.byte()?,
            created_at: self.text()?.to_string(),
            triggers: self.shorts()?,
            also: self.shorts()?,
            unless: self.shorts()?,
            tools: self.texts()?,
            roots: {
                let scoped = self.yes_or_no()?;
                Some(self.texts()?).filter(|_| scoped)
            },
            agents: self.texts()?,
            off_until: self.maybe()?,
        })
    }

    /// Reads what [`Writer::said`] wrote: the full and the short text.
    pub fn said(&mut self) -> Result<(&'a str, &'a str), Damaged> {
        Ok((self.text()?, self.text()?))
    }

    /// Reads what [`Writer::trigger`] wrote.
    pub fn trigger(&mut self) -> Result<Trigger<'a>, Damaged> {
        let kind = *TriggerKind::ALL.get(usize::from(self.byte()?)).ok_or(Damaged)?;
        let fanout = self.short()?;
        let subjects = self.byte()?;
        Ok(Trigger {
            kind,
            fanout,
            subjects: Subjects { command: subjects & 1 != 0, executable: subjects & 2 != 0 },
            test: match self.byte()? {
                only_ascii @ 0..=1 => Test::Pattern { automaton: self.bytes()?, only_ascii: only_ascii == 1 },
                2 => Test::Words(self.texts()?),
                3 => Test::Tool(self.text()?),
                _ => return Err(Damaged),
            },
            lessons: self.shorts()?,
        })
    }

    /// Reads what [`Writer::note`] wrote.
    pub fn note(&mut self) -> Result<Option<Note>, Damaged> {
        if !self.yes_or_no()? {
            return Ok(None);
        }
        let name = self.take(NAME_BYTES)?.try_into().map_err(|_| Damaged)?;
        let count = self.short()?;
        let clauses = (0..count).map(|_| self.texts()).collect::<Result<_, _>>()?;
        Ok(Some(Note { name, clauses }))
    }
}

impl Cursor<'_> {
    fn digest(&mut self) -> Result<[u8; 32], Damaged> {
        self.take(32)?.try_into().map_err(|_| Damaged)
    }

    fn span(&mut self) -> Result<Span, Damaged> {
        Ok(Span { at: self.long()?, length: self.long()? })
    }

    /// Reads what [`Writer::header`] wrote.
    pub(super) fn header(&mut self) -> Result<Header, Damaged> {
        Ok(Header {
            manifest: Identity {
                inode: self.long()?,
                size: self.long()?,
                seconds: self.long()?.cast_signed(),
                nanoseconds: self.short()?,
            },
            digest: self.digest()?,
            body: self.digest()?,
            settings: self.settings()?,
            reads_contents: self.yes_or_no()?,
            always: self.short()?,
            filter: self.span()?,
            table: self.span()?,
            pairs: self.span()?,
            postings: self.span()?,
            triggers: self.span()?,
            lessons: self.span()?,
            texts: self.span()?,
            beyond: self.span()?,
            notes: self.span()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            subject: Subject::Executable,
            off_until: Some(12),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::default();
        writer.terms(&terms());
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
            Test::Pattern { automaton: b"\x01\x02", only_ascii: true },
            Test::Pattern { automaton: b"", only_ascii: false },
            Test::Words(vec!["big".into(), "cat".into()]),
            Test::Tool("Edit"),
        ] {
            let trigger = Trigger {
                kind: TriggerKind::PathPattern,
                fanout: 3,
                subjects: Subjects { command: false, executable: true },
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
        let notes = [None, Some(Note { name: name("git"), clauses }), None];
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
        writer.terms(&terms());
        let record = writer.finish();
        for end in 0..record.len() {
            assert_eq!(Cursor::new(&record[..end]).terms(), Err(Damaged), "{end}");
        }
        let mut huge = record;
        huge[0..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(Cursor::new(&huge).terms(), Err(Damaged));
    }
}
