//! The reader of an index: its records, one at a time, wherever the index is kept.

use std::cell::RefCell;

use super::corrupt::{Corrupt, Result};
use super::directory::Directory;
use super::header::{Header, Part, Span};
use super::record::{AgentLesson, Rule, Trigger, Value};
use super::storage::{Record, Storage};
use lessons_lesson::{BuildNotes, Settings, Terms, Texts};

/// An open index.
///
/// Lessons and triggers are known by their positions: the place of their record in its part. Every position that is asked for
/// was read from the index itself, so one that leads nowhere is corruption.
pub struct Index<'f> {
    /// Its header.
    pub header: &'f Header,
    /// The bytes of the filter.
    pub(super) filter: &'f [u8],
    /// Where buckets are.
    pub(super) directory: Directory<'f>,
    /// The bytes of the index, wherever they are.
    pub(super) storage: Box<dyn Storage + 'f>,
    /// The memory for the record that is looked at.
    pub(super) record: RefCell<Record>,
}

impl<'f> Index<'f> {
    /// The index with this header. `start` are its first [`Header::at_hand`] bytes, or more.
    pub fn new(header: &'f Header, start: &'f [u8], storage: impl Storage + 'f) -> Result<Self> {
        let filter = part(start, header.span(Part::Filter))?;
        let directory = Directory::over(part(start, header.span(Part::Directory))?);
        Ok(Self { header, filter, directory, storage: Box::new(storage), record: RefCell::default() })
    }

    /// The settings that hooks act on.
    pub fn settings(&self) -> &'f Settings {
        &self.header.settings
    }

    /// When, where and how a lesson fires.
    pub fn terms(&self, lesson: u32) -> Result<Terms> {
        self.with_record(Part::Lessons, lesson, |mut record| {
            let (_full, _brief) = <(&str, &str)>::read(&mut record)?;
            let terms = Terms::read(&mut record)?;
            if record.is_empty() { Ok(terms) } else { Err(Corrupt) }
        })
    }

    /// The texts of a lesson.
    pub fn texts(&self, lesson: u32) -> Result<Texts> {
        self.with_record(Part::Lessons, lesson, |mut record| Texts::read(&mut record))
    }

    /// The lessons that are told at the start of a session, ascending.
    pub fn session_lessons(&self) -> Result<Vec<u32>> {
        self.with_record(Part::Session, 0, |mut record| Value::read(&mut record))
    }

    /// The lessons for the start of sessions that came into force lately, newest first, each with the time in milliseconds
    /// since 1970. Where there are none, nothing is read.
    pub fn late_lessons(&self) -> Result<Vec<(u32, u64)>> {
        let mut late = Vec::new();
        if self.header.span(Part::Late).length > 0 {
            self.each(Part::Late, |record| Value::read(record).map(|lesson| late.push(lesson)))?;
        }
        Ok(late)
    }

    /// Has `read` look at each lesson for single agents, ascending.
    pub fn each_agent_lesson(&self, mut read: impl FnMut(AgentLesson<'_>)) -> Result<()> {
        self.each(Part::Agents, |record| Value::read(record).map(&mut read))
    }

    /// What the build said about itself and to the user.
    pub fn build_notes(&self) -> Result<BuildNotes> {
        self.with_record(Part::BuildNotes, 0, |mut record| Value::read(&mut record))
    }

    /// Has `read` look at the rule of each lesson that is told at calls, ascending by lesson.
    pub fn each_rule(&self, mut read: impl FnMut(Rule<'_>)) -> Result<()> {
        self.each(Part::Rules, |record| Value::read(record).map(&mut read))
    }

    /// Has `read` read values from the one record of a part, to the end.
    fn each(&self, part: Part, mut read: impl FnMut(&mut &[u8]) -> Result<()>) -> Result<()> {
        self.with_record(part, 0, |mut record| {
            while !record.is_empty() {
                read(&mut record)?;
            }
            Ok(())
        })
    }

    /// Has `read` look at the record of a trigger.
    pub fn with_trigger<T>(&self, trigger: u32, read: impl FnOnce(Trigger<'_>) -> Result<T>) -> Result<T> {
        self.with_record(Part::Triggers, trigger, |mut record| read(Value::read(&mut record)?))
    }

    /// Has `read` look at a record.
    pub(super) fn with_record<T>(
        &self,
        part: Part,
        place: u32,
        read: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T> {
        let mut record = self.record.take();
        record.read(&*self.storage, self.header.span(part), part, place)?;
        let value = read(record.content())?;
        self.record.replace(record);
        Ok(value)
    }
}

/// The bytes of a part of an index that is in memory, up to the end of the part at least.
pub fn part(index: &[u8], part: Span) -> Result<&[u8]> {
    let start = usize::try_from(part.at).map_err(|_| Corrupt)?;
    let length = usize::try_from(part.length).map_err(|_| Corrupt)?;
    index.get(start..start.checked_add(length).ok_or(Corrupt)?).ok_or(Corrupt)
}
