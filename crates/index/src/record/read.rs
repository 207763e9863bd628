//! The reader of records.

use super::types::{AgentLesson, PatternNote, Rule, Subjects, Test, Trigger};
use crate::corrupt::Corrupt;
use lessons_lesson::compiled::AgentSettings;
use lessons_lesson::{
    BuildNotes, Conditions, DedupScope, InLot, Lot, Mode, Quality, Settings, Severity, Share, Subject, Terms,
    When,
};
use lessons_pattern::TriggerKind;
use lessons_text::Named;

/// The reader of a record. A value that does not fit the encoding is [`Corrupt`].
#[derive(Debug)]
pub struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// A reader at the start of a record.
    pub fn new(record: &'a [u8]) -> Self {
        Self(record)
    }

    /// Ends the reading. [`Corrupt`] if bytes of the record are left.
    pub fn end(self) -> Result<(), Corrupt> {
        if self.0.is_empty() { Ok(()) } else { Err(Corrupt) }
    }

    /// Reads `count` bytes.
    pub(crate) fn raw(&mut self, count: usize) -> Result<&'a [u8], Corrupt> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Corrupt)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Corrupt> {
        self.raw(1)?.first().copied().ok_or(Corrupt)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Corrupt> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Corrupt),
        }
    }

    /// Reads a value of an enum by its position among all of them.
    fn one_of<T: Copy>(&mut self, all: &[T]) -> Result<T, Corrupt> {
        all.get(usize::from(self.byte()?)).copied().ok_or(Corrupt)
    }

    /// Reads a number of four bytes.
    pub(crate) fn short(&mut self) -> Result<u32, Corrupt> {
        Ok(u32::from_le_bytes(self.raw(4)?.try_into().map_err(|_| Corrupt)?))
    }

    /// Reads a number of eight bytes.
    pub(crate) fn long(&mut self) -> Result<u64, Corrupt> {
        Ok(u64::from_le_bytes(self.raw(8)?.try_into().map_err(|_| Corrupt)?))
    }

    fn size(&mut self) -> Result<usize, Corrupt> {
        usize::try_from(self.long()?).map_err(|_| Corrupt)
    }

    fn bytes(&mut self) -> Result<&'a [u8], Corrupt> {
        let count = self.short()? as usize;
        self.raw(count)
    }

    fn text(&mut self) -> Result<&'a str, Corrupt> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Corrupt)
    }

    /// Reads a list of numbers. A length beyond the end of the record is [`Corrupt`], so memory is bounded by the record.
    pub(crate) fn shorts(&mut self) -> Result<Vec<u32>, Corrupt> {
        let count = self.short()? as usize;
        let (numbers, []) = self.raw(count.checked_mul(4).ok_or(Corrupt)?)?.as_chunks::<4>() else {
            return Err(Corrupt);
        };
        Ok(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect())
    }

    fn texts(&mut self) -> Result<Vec<String>, Corrupt> {
        let count = self.short()?;
        (0..count).map(|_| self.text().map(str::to_owned)).collect()
    }

    fn maybe(&mut self) -> Result<Option<u64>, Corrupt> {
        if self.flag()? { self.long().map(Some) } else { Ok(None) }
    }

    /// Reads what [`super::write::Writer::settings`] wrote.
    pub fn settings(&mut self) -> Result<Settings, Corrupt> {
        Ok(Settings {
            enabled: self.flag()?,
            off_until: self.maybe()?,
            budget_lessons: self.size()?,
            budget_bytes: self.size()?,
            session_bytes: self.size()?,
            dedup_scope: if self.flag()? { DedupScope::Session } else { DedupScope::Context },
            compaction_threshold: self.byte()?,
            agents: AgentSettings { lessons: self.size()?, bytes: self.size()?, protocol: self.flag()? },
            lot: self.lot()?,
        })
    }

    fn lot(&mut self) -> Result<Option<Lot>, Corrupt> {
        let (share, halves) = (self.byte()?, [self.long()?, self.long()?]);
        let mut salt = [0; 16];
        salt.iter_mut().zip(halves.into_iter().flat_map(u64::to_le_bytes)).for_each(|(to, from)| *to = from);
        if share == 0 {
            return Ok(None);
        }
        Share::one_of(share).map(|share| Some(Lot { salt, share })).ok_or(Corrupt)
    }

    /// Reads what [`super::write::Writer::terms`] wrote.
    pub fn terms(&mut self) -> Result<Terms, Corrupt> {
        Ok(Terms {
            id: self.text()?.parse().map_err(|_| Corrupt)?,
            mode: self.one_of(&Mode::ALL)?,
            when: if self.flag()? { When::Session } else { When::Tool },
            subject: self.one_of(&Subject::ALL)?,
            priority: self.byte()?,
            quality: self.one_of(&Quality::ALL)?,
            severity: self.one_of(&Severity::ALL)?,
            created_at: self.text()?.to_string(),
            triggers: self.shorts()?,
            also: self.shorts()?,
            unless: self.shorts()?,
            tools: self.texts()?,
            roots: {
                let scoped = self.flag()?;
                Some(self.texts()?).filter(|_| scoped)
            },
            agents: self.texts()?,
            conditions: Conditions { os: self.words()?, shell: self.words()?, state: self.words()? },
            off_until: self.maybe()?,
            in_lot: if self.flag()? { InLot::Never } else { InLot::Yes },
        })
    }

    /// Reads a set of words: a byte with a bit for each word, the lowest for the first word of the list.
    fn words<T: Named>(&mut self) -> Result<Vec<T>, Corrupt> {
        let set = self.byte()?;
        if u32::from(set) >> T::VALUES.len() != 0 {
            return Err(Corrupt);
        }
        let words = T::VALUES.iter().enumerate();
        Ok(words.filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, word)| *word).collect())
    }

    /// Reads what [`super::write::Writer::lesson_texts`] wrote: the full and the short text.
    pub fn lesson_texts(&mut self) -> Result<(&'a str, &'a str), Corrupt> {
        Ok((self.text()?, self.text()?))
    }

    /// Reads what [`super::write::Writer::trigger`] wrote.
    pub fn trigger(&mut self) -> Result<Trigger<'a>, Corrupt> {
        Ok(Trigger {
            kind: self.one_of(&TriggerKind::ALL)?,
            document_frequency: self.short()?,
            subjects: self.subjects()?,
            test: match self.byte()? {
                0 => Test::Pattern(self.bytes()?),
                1 => Test::Words(self.texts()?),
                2 => Test::Tool(self.text()?),
                _ => return Err(Corrupt),
            },
            lessons: self.shorts()?,
        })
    }

    /// Reads a set of views of a command.
    pub(crate) fn subjects(&mut self) -> Result<Subjects, Corrupt> {
        self.byte().map(Subjects)
    }

    /// Reads what [`super::write::Writer::pattern_note`] wrote.
    pub fn pattern_note(&mut self) -> Result<PatternNote<'a>, Corrupt> {
        let pattern = self.text()?;
        let count = self.short()?;
        let clauses = (0..count).map(|_| self.texts()).collect::<Result<_, _>>()?;
        Ok(PatternNote { pattern, clauses, endings: self.bytes()? })
    }

    /// Reads what [`super::write::Writer::agent_lesson`] wrote.
    pub fn agent_lesson(&mut self) -> Result<AgentLesson<'a>, Corrupt> {
        Ok(AgentLesson { lesson: self.short()?, text: self.text()? })
    }

    /// Reads what [`super::write::Writer::late_lesson`] wrote: the lesson's position, and the time.
    pub fn late_lesson(&mut self) -> Result<(u32, u64), Corrupt> {
        Ok((self.short()?, self.long()?))
    }

    /// Reads what [`super::write::Writer::rule`] wrote.
    pub fn rule(&mut self) -> Result<Rule<'a>, Corrupt> {
        let (lesson, rule, count) = (self.short()?, self.text()?, self.short()?);
        Ok(Rule { lesson, rule, topics: (0..count).map(|_| self.text()).collect::<Result<_, _>>()? })
    }

    /// Reads what [`super::write::Writer::build_notes`] wrote: the rest of the record, as JSON.
    pub fn build_notes(&mut self) -> Result<BuildNotes, Corrupt> {
        serde_json::from_slice(std::mem::take(&mut self.0)).map_err(|_| Corrupt)
    }

    /// Whether the end of the record is reached.
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}
