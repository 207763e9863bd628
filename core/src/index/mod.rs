//! The index: the manifest, laid out so that a hook looks at what matters and at nothing else.
//!
//! `lesson-manifest.idx` stands beside the manifest, is made from it, and gives the same answers; a
//! hook that cannot use it reads the manifest instead. Nothing in it is parsed as a whole:
//!
//! | part | what a hook does with it |
//! |---|---|
//! | [`header`] | reads it: which manifest, the settings, where the parts are |
//! | filter ([`block::Filter`]) | asks for every gram of the call; most calls end here |
//! | table ([`block::Table`]) | from a key that may be there to its list |
//! | [`prefixes`] | the same question for contents, in one pass |
//! | [`postings`] | which triggers, and what else the call must hold ([`screen`]) |
//! | triggers, lessons, texts ([`record`]) | only of those that are left |
//!
//! A key is a [gram](key) of which every text that a trigger matches must hold one; the builder
//! chooses it. What has no key stands in one list that is always looked at.
//!
//! Every byte that is used has been checked by the sum of its block, list or record, so random damage is
//! seen where it is read; and whatever the bytes are, reading them is safe, and linear in their number.

pub mod block;
pub mod header;
pub mod key;
pub mod postings;
pub mod prefixes;
pub mod record;
pub mod screen;
mod search;
pub mod storage;

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use header::Header;
use record::{Cursor, Test};
use storage::{Kind, Storage};

use crate::automaton::{self, Automaton};
use crate::compiled::{Lessons, Settings, Terms, Texts};
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
    storage: S,
    size: u64,
    /// The records of triggers that were read.
    triggers: RefCell<BTreeMap<u32, Rc<Vec<u8>>>>,
}

impl<'f, S: Storage> Index<'f, S> {
    /// The index with this header. `filter` are the bytes of its part, `size` those of the whole.
    pub fn new(header: Header, filter: &'f [u8], storage: S, size: u64) -> Self {
        Self { header, filter, storage, size, triggers: RefCell::default() }
    }

    /// What the index says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn trigger_record(&self, position: u32) -> Result<Rc<Vec<u8>>, Damaged> {
        if let Some(known) = self.triggers.borrow().get(&position) {
            return Ok(Rc::clone(known));
        }
        let record = Rc::new(self.record(self.header.triggers, Kind::Trigger, position)?);
        self.triggers.borrow_mut().insert(position, Rc::clone(&record));
        Ok(record)
    }

    /// Whether a trigger matches. The manifest's triggers do the same, with patterns for automata.
    fn matches(&self, position: u32, views: &Views<'_>, subject: Subject) -> Result<bool, Damaged> {
        let record = self.trigger_record(position)?;
        let trigger = Cursor::new(&record).trigger()?;
        let (automaton, paths) = match trigger.test {
            Test::Tool(name) => return Ok(name == views.tool()),
            Test::Words(words) => return Ok(views.with_words(&words, subject).is_some()),
            Test::Pattern { automaton, paths } => (automaton, paths),
        };
        let automaton = Automaton::parse(automaton)?;
        let found = views.find(trigger.kind, paths, subject, |view| {
            let matches = automaton.is_match(view.bytes(automaton.alphabet()));
            matches.map(|matches| matches.then_some(())).transpose()
        });
        Ok(found.transpose()?.is_some())
    }

    fn record(&self, places: header::Span, kind: Kind, position: u32) -> Result<Vec<u8>, Damaged> {
        storage::record(&self.storage, self.size, places, kind, position)
    }
}

impl<'f> Index<'f, &'f [u8]> {
    /// An index that is in memory as a whole.
    pub fn of_bytes(bytes: &'f [u8]) -> Result<Self, Damaged> {
        let size = bytes.len() as u64;
        let header = Header::decode(bytes, size)?;
        let start = usize::try_from(header.filter.at).map_err(|_| Damaged)?;
        let length = usize::try_from(header.filter.length).map_err(|_| Damaged)?;
        let filter = bytes.get(start..start + length).ok_or(Damaged)?;
        Ok(Self::new(header, filter, bytes, size))
    }
}

impl<S: Storage> Lessons for Index<'_, S> {
    type Damage = Damaged;

    fn settings(&self) -> &Settings {
        &self.header.settings
    }

    fn candidates(&self, views: &Views<'_>) -> Result<Vec<u32>, Damaged> {
        let mut lessons = Vec::new();
        for position in search::triggers(self, views)? {
            let record = self.trigger_record(position)?;
            let trigger = Cursor::new(&record).trigger()?;
            let subjects = [
                (trigger.subjects.command, Subject::Command),
                (trigger.subjects.executable, Subject::Executable),
            ];
            for (_, subject) in subjects.into_iter().filter(|(asked, _)| *asked) {
                if self.matches(position, views, subject)? {
                    lessons.extend_from_slice(&trigger.lessons);
                    break;
                }
            }
        }
        lessons.sort_unstable();
        lessons.dedup();
        Ok(lessons)
    }

    fn terms(&self, lesson: u32) -> Result<Cow<'_, Terms>, Damaged> {
        let record = self.record(self.header.lessons, Kind::Terms, lesson)?;
        let mut cursor = Cursor::new(&record);
        let terms = cursor.terms()?;
        cursor.end()?;
        Ok(Cow::Owned(terms))
    }

    fn texts(&self, lesson: u32) -> Result<Texts<'_>, Damaged> {
        let record = self.record(self.header.texts, Kind::Texts, lesson)?;
        let (full, brief) = Cursor::new(&record).said()?;
        Ok(Texts { full: Cow::Owned(full.to_owned()), brief: Cow::Owned(brief.to_owned()) })
    }

    fn holds(&self, trigger: u32, views: &Views<'_>, subject: Subject) -> Result<bool, Damaged> {
        self.matches(trigger, views, subject)
    }

    fn fanout(&self, trigger: u32) -> Result<u32, Damaged> {
        let record = self.trigger_record(trigger)?;
        Ok(Cursor::new(&record).trigger()?.fanout)
    }
}
