//! The index: the manifest, laid out so that a hook looks at what matters and at nothing else.
//!
//! `lesson-manifest.idx` stands beside the manifest and is made from it. Hooks read nothing else. Nothing in it is
//! parsed as a whole:
//!
//! | part | what a hook does with it |
//! |---|---|
//! | [`header`] | reads it: which manifest, the settings, where the parts are |
//! | [`postings`] that no key leads to | always looks at them |
//! | [`filter`] | asks for every gram of the call; most calls end here |
//! | [`directory`], [`bucket`]s | from a key that may be there to its postings: which triggers, and what else the call must hold ([`screen`]) |
//! | [`prefixes`] | the same question for contents, in one pass |
//! | triggers, lessons ([`storage`], [`record`]) | only those that are left, each by one read |
//! | notes ([`record`]), former | nothing: the next build reads what it need not work out again |
//!
//! A key is a [gram](key) of which every text that a trigger matches must hold one; the builder
//! chooses it. What has no key stands in one list that is always looked at.
//!
//! Every byte that is used has been checked by the sum of its block, bucket or record, and the directory by that of the
//! bucket to which it led. So random damage is seen where it is read; and whatever the bytes are, reading them is safe,
//! and linear in their number.

pub mod block;
pub mod bucket;
pub mod directory;
pub mod file;
pub mod filter;
pub mod header;
pub mod key;
pub mod postings;
pub mod prefixes;
pub mod record;
pub mod screen;
mod search;
pub mod storage;

use std::borrow::Cow;
use std::cell::RefCell;

use directory::Directory;
use header::{Header, Span};
use record::{Cursor, Test, Trigger};
use storage::{Kind, Record, Storage};

use crate::automaton::{self, Automaton};
use crate::compiled::{Lessons, Outcomes, Settings, Terms, Texts};
use crate::lesson::Subject;
use crate::matching::Views;

/// The bytes are not what a builder writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the index is damaged")]
pub struct Damaged;

impl From<automaton::Damaged> for Damaged {
    fn from(_: automaton::Damaged) -> Self {
        Self
    }
}

/// An index in use.
pub struct Index<'f, S> {
    header: Header,
    filter: &'f [u8],
    directory: Directory<'f>,
    storage: S,
    /// The memory for the record that is looked at.
    record: RefCell<Record>,
}

impl<'f, S: Storage> Index<'f, S> {
    /// The index with this header. `start` are its first [`Header::at_hand`] bytes, or more.
    pub fn new(header: Header, start: &'f [u8], storage: S) -> Result<Self, Damaged> {
        let filter = part(start, header.filter)?;
        let directory = Directory::over(part(start, header.directory)?);
        Ok(Self { header, filter, directory, storage, record: RefCell::default() })
    }

    /// What the index says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Has `read` look at a record.
    fn with_record<T>(
        &self,
        kind: Kind,
        place: u32,
        read: impl FnOnce(&[u8]) -> Result<T, Damaged>,
    ) -> Result<T, Damaged> {
        let part = match kind {
            Kind::Always => self.header.always,
            Kind::List => self.header.postings,
            Kind::Trigger => self.header.triggers,
            Kind::Lesson => self.header.lessons,
        };
        let mut record = self.record.take();
        record.read(&self.storage, part, kind, place)?;
        let what = read(record.content())?;
        self.record.replace(record);
        Ok(what)
    }
}

/// The bytes of a part of an index that is in memory, up to its end at least.
pub fn part(index: &[u8], part: Span) -> Result<&[u8], Damaged> {
    let start = usize::try_from(part.at).map_err(|_| Damaged)?;
    let length = usize::try_from(part.length).map_err(|_| Damaged)?;
    index.get(start..start.checked_add(length).ok_or(Damaged)?).ok_or(Damaged)
}

/// Whether a trigger matches. The manifest's triggers do the same, with patterns for automata.
fn matches(trigger: &Trigger<'_>, views: &Views<'_>, subject: Subject) -> Result<bool, Damaged> {
    let automaton = match &trigger.test {
        Test::Tool(name) => return Ok(*name == views.tool()),
        Test::Words(words) => return Ok(views.with_words(words, subject).is_some()),
        Test::Pattern(automaton) => automaton,
    };
    let automaton = Automaton::parse(automaton)?;
    let found = views.find(trigger.kind, subject, |view| {
        let matches = automaton.is_match(view.bytes(automaton.alphabet()));
        matches.map(|matches| matches.then_some(())).transpose()
    });
    Ok(found.transpose()?.is_some())
}

/// The same, with how many lessons have it, if it does.
fn outcome(trigger: &Trigger<'_>, views: &Views<'_>, subject: Subject) -> Result<Option<u32>, Damaged> {
    Ok(matches(trigger, views, subject)?.then_some(trigger.fanout))
}

impl<'f> Index<'f, &'f [u8]> {
    /// An index that is in memory as a whole.
    pub fn of_bytes(bytes: &'f [u8]) -> Result<Self, Damaged> {
        let size = bytes.len() as u64;
        Self::new(Header::decode(bytes, size)?, bytes, bytes)
    }
}

impl<S: Storage> Lessons for Index<'_, S> {
    type Damage = Damaged;

    fn settings(&self) -> &Settings {
        &self.header.settings
    }

    fn candidates(&self, views: &Views<'_>, tried: &mut Outcomes) -> Result<Vec<u32>, Damaged> {
        let mut lessons = Vec::new();
        for place in search::triggers(self, views)? {
            self.with_record(Kind::Trigger, place, |record| {
                let trigger = Cursor::new(record).trigger()?;
                for subject in trigger.subjects.each() {
                    let outcome = outcome(&trigger, views, subject)?;
                    tried.add(place, subject, outcome);
                    if outcome.is_some() {
                        lessons.extend_from_slice(&trigger.lessons);
                        break;
                    }
                }
                Ok(())
            })?;
        }
        tried.rule_out_others();
        lessons.sort_unstable();
        lessons.dedup();
        Ok(lessons)
    }

    fn terms(&self, lesson: u32) -> Result<Cow<'_, Terms>, Damaged> {
        self.with_record(Kind::Lesson, lesson, |record| {
            let mut record = Cursor::new(record);
            record.said()?;
            let terms = record.terms()?;
            record.end()?;
            Ok(Cow::Owned(terms))
        })
    }

    fn texts(&self, lesson: u32) -> Result<Texts<'_>, Damaged> {
        self.with_record(Kind::Lesson, lesson, |record| {
            let (full, brief) = Cursor::new(record).said()?;
            Ok(Texts { full: Cow::Owned(full.to_owned()), brief: Cow::Owned(brief.to_owned()) })
        })
    }

    fn tries(&self, trigger: u32, views: &Views<'_>, subject: Subject) -> Result<Option<u32>, Damaged> {
        self.with_record(Kind::Trigger, trigger, |record| {
            outcome(&Cursor::new(record).trigger()?, views, subject)
        })
    }
}
