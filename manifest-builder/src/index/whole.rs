//! An index as the next build reads it.

use bytes::Bytes;
use lessons_core::automaton::compile::Built;
use lessons_core::index::header::{BYTES as HEADER_BYTES, Header, Span, VERSION};
use lessons_core::index::record::{Cursor, Test};
use lessons_core::index::{self, Damaged, Index, storage};
use lessons_core::manifest::{Former, ManifestError};
use lessons_core::prepared::Prepared;
use lessons_core::trigger::Trigger;

use crate::patterns::Patterns;
use crate::summed;

/// An index of which every byte is as it was written. A hook checks only what it reads.
#[derive(Debug)]
pub struct Whole {
    bytes: Bytes,
    header: Header,
}

impl Whole {
    /// The index of these bytes. One that is damaged anywhere is none, nor one of another version.
    pub fn of(bytes: Bytes) -> Result<Self, Damaged> {
        let header = Index::of_bytes(&bytes)?.header().clone();
        let body = bytes.get(HEADER_BYTES..).ok_or(Damaged)?;
        if header.body != summed::sum(u64::from(VERSION), HEADER_BYTES, body) {
            return Err(Damaged);
        }
        Ok(Self { bytes, header })
    }

    /// Its header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What it knows of its patterns.
    pub fn patterns(&self) -> Result<Patterns, Damaged> {
        let mut notes = Cursor::new(self.part(self.header.notes)?);
        let mut known = Patterns::default();
        for record in storage::contents(self.part(self.header.triggers)?) {
            let Some(note) = notes.note()? else { continue };
            let trigger = Cursor::new(record?).trigger()?;
            let Test::Pattern(automaton) = trigger.test else { return Err(Damaged) };
            let automaton = Built::new(self.bytes.slice_ref(automaton));
            let prepared =
                Prepared::of_expression(note.clauses.into_owned(), note.endings.to_vec(), automaton);
            known.know(Trigger::new(trigger.kind, note.pattern), prepared);
        }
        Ok(known)
    }

    /// What it knows of its manifest.
    pub fn former(&self) -> Result<Former, ManifestError> {
        Former::parse(self.part(self.header.former).unwrap_or_default())
    }

    fn part(&self, part: Span) -> Result<&[u8], Damaged> {
        index::part(&self.bytes, part)
    }
}
