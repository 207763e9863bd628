//! Taking records apart.

use super::{Note, Subjects, Test, Trigger};
use crate::compiled::{DedupScope, Settings, Terms};
use crate::index::Damaged;
use crate::index::header::{Header, Identity, Span};
use crate::lesson::{Mode, Subject, When};
use crate::trigger::TriggerKind;

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
    pub(in crate::index) fn short(&mut self) -> Result<u32, Damaged> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().map_err(|_| Damaged)?))
    }

    /// A number of eight bytes.
    pub(in crate::index) fn long(&mut self) -> Result<u64, Damaged> {
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
        std::str::from_utf8(self.bytes()?).map_err(|_| Damaged)
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
            subject: *Subject::ALL.get(usize::from(self.byte()?)).ok_or(Damaged)?,
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
        let subjects = self.subjects()?;
        Ok(Trigger {
            kind,
            fanout,
            subjects,
            test: match self.byte()? {
                0 => Test::Pattern(self.bytes()?),
                1 => Test::Words(self.texts()?),
                2 => Test::Tool(self.text()?),
                _ => return Err(Damaged),
            },
            lessons: self.shorts()?,
        })
    }

    fn subjects(&mut self) -> Result<Subjects, Damaged> {
        self.byte().map(Subjects)
    }

    /// Reads what [`Writer::note`] wrote.
    pub fn note(&mut self) -> Result<Option<Note<'a>>, Damaged> {
        if !self.yes_or_no()? {
            return Ok(None);
        }
        let pattern = self.text()?;
        let count = self.short()?;
        let clauses = (0..count).map(|_| self.texts()).collect::<Result<_, _>>()?;
        Ok(Some(Note { pattern, clauses, endings: self.bytes()? }))
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
    pub(in crate::index) fn header(&mut self) -> Result<Header, Damaged> {
        Ok(Header {
            manifest: Identity {
                inode: self.long()?,
                size: self.long()?,
                seconds: self.long()?.cast_signed(),
                nanoseconds: self.short()?,
            },
            digest: self.digest()?,
            body: self.long()?,
            settings: self.settings()?,
            subjects: self.subjects()?,
            reads_contents: self.yes_or_no()?,
            always: self.span()?,
            filter: self.span()?,
            directory: self.span()?,
            buckets: self.span()?,
            postings: self.span()?,
            prefixes: self.span()?,
            triggers: self.span()?,
            lessons: self.span()?,
            notes: self.span()?,
            former: self.span()?,
        })
    }
}
