//! The header: the version and settings of the index, the manifest that it belongs to, and where its parts are.
//!
//! **Version.** [`VERSION`] is raised whenever a reader of the version before would misread a file, and
//! whenever the answer to a call could change although the bytes do not: other keys, another meaning of
//! an automaton. An index of another version counts as missing, and is replaced without a word.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use super::block;
use super::corrupt::{Corrupt, Result};
use super::key::checksum;
use super::record::{Subjects, Value, structs};
use lessons_lesson::Settings;

/// The first bytes of an index.
pub const MAGIC: [u8; 8] = *b"LSN-IDX\n";
/// The version this program writes, and the only one it reads.
pub const VERSION: u32 = 9;
/// The bytes of a header; what is not used is zero.
pub const BYTES: usize = 512;

/// The identity of the manifest that was written with the index. A command that finds another manifest beside the index knows
/// that a build ended between the two renames, and builds again. Hooks do not look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Identity {
    /// Its inode.
    pub inode: u64,
    /// Its size, in bytes.
    pub size: u64,
    /// When it was written, in seconds since 1970.
    pub seconds: i64,
    /// The rest of that time, in nanoseconds.
    pub nanoseconds: u32,
}

impl Identity {
    /// The identity of the file with this metadata.
    pub fn of(found: &Metadata) -> Self {
        Self {
            inode: found.ino(),
            size: found.size(),
            seconds: found.mtime(),
            nanoseconds: u32::try_from(found.mtime_nsec()).unwrap_or(0),
        }
    }
}

/// The span of a part of the index, in bytes from the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The start.
    pub at: u64,
    /// The length.
    pub length: u64,
}

/// The parts of an index, in the order in which they are written. A record's checksum depends on its part, so that none
/// passes for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The postings of triggers without a key, if there are any, which every call looks at: see [`super::postings::each`].
    Always,
    /// The filter over all keys; see [`super::filter`].
    Filter,
    /// The positions of the buckets; see [`super::directory`].
    Directory,
    /// The buckets, from keys to postings; see [`super::bucket`].
    Buckets,
    /// The lists of postings that are stored outside of buckets.
    Postings,
    /// The first three bytes of the keys of content triggers; see [`super::prefixes`].
    Prefixes,
    /// The records of triggers.
    Triggers,
    /// The records of lessons: their texts and their terms.
    Lessons,
    /// The record of the lessons that are told at the start of a session.
    Session,
    /// The record of the lessons for the start of sessions that came into force lately, with the times. Empty where there
    /// are none, which is all that a call then looks at.
    Late,
    /// The record of the lessons for single agents, with the texts that these are told at their start; see
    /// [`super::record::AgentLesson`].
    Agents,
    /// The record of the build's notes; see [`lessons_lesson::compiled::BuildNotes`].
    BuildNotes,
    /// The rules and topics of the lessons that are told at calls, for `lessons query`; see [`super::record::Rule`].
    Rules,
    /// The patterns of the triggers, with results that the next build reuses; see [`super::record::PatternNote`].
    PatternNotes,
}

impl Part {
    /// The number of parts.
    pub const COUNT: usize = Self::PatternNotes as usize + 1;
}

/// The header of an index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The identity of the manifest that was written with the index.
    pub manifest: Identity,
    /// The SHA-256 of that manifest.
    pub digest: [u8; 32],
    /// A checksum of everything behind the header, for readers of the whole file. The builder computes and checks it.
    pub body: u64,
    /// The settings.
    pub settings: Settings,
    /// The views of a command that any trigger is tried on by which lessons fire.
    pub subjects: Subjects,
    /// Whether any trigger looks at what an edit puts into files.
    pub reads_contents: bool,
    /// Whether any lesson fires on the files of a call.
    pub fires_on_files: bool,
    /// Where the parts are.
    pub parts: [Span; Part::COUNT],
}

impl Header {
    /// The header's bytes: [`BYTES`] of them.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BYTES);
        (MAGIC, VERSION).write(&mut bytes);
        self.write(&mut bytes);
        bytes.resize(BYTES - 8, 0);
        checksum(u64::from(VERSION), &bytes).write(&mut bytes);
        bytes
    }

    /// Where a part is.
    pub fn span(&self, part: Part) -> Span {
        self.parts[part as usize]
    }

    /// The number of bytes that a reader keeps in memory: everything up to the end of filter and directory.
    pub(crate) fn at_hand(&self) -> u64 {
        let [filter, directory] =
            [Part::Filter, Part::Directory].map(|part| self.span(part).at + self.span(part).length);
        filter.max(directory)
    }

    /// Reads and checks a header. `size` is that of the file: every part must lie in it.
    pub fn decode(bytes: &[u8], size: u64) -> Result<Self> {
        let bytes = bytes.get(..BYTES).ok_or(Corrupt)?;
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or(Corrupt)?;
        let mut left = content;
        let is_known = Value::read(&mut left) == Ok((MAGIC, VERSION));
        if !is_known || checksum(u64::from(VERSION), content) != u64::from_le_bytes(*sum) {
            return Err(Corrupt);
        }
        let header = Self::read(&mut left)?;
        let inside = |part: &Span| part.at.checked_add(part.length).is_some_and(|end| end <= size);
        let whole = |part: Part| header.span(part).length.is_multiple_of(block::BYTES as u64);
        let fits = header.parts.iter().all(inside) && whole(Part::Filter) && whole(Part::Prefixes);
        if fits { Ok(header) } else { Err(Corrupt) }
    }
}

structs! {
    Header { manifest, digest, body, settings, subjects, reads_contents, fires_on_files, parts }
    Identity { inode, size, seconds, nanoseconds }
    Span { at, length }
}

impl Value<'_> for [Span; Part::COUNT] {
    fn write(&self, to: &mut Vec<u8>) {
        for part in self {
            part.write(to);
        }
    }

    /// All at once: a hook reads them at every call.
    fn read(from: &mut &[u8]) -> Result<Self> {
        let bytes: [u8; 16 * Part::COUNT] = Value::read(from)?;
        let mut numbers = bytes.as_chunks().0.iter().map(|number| u64::from_le_bytes(*number));
        let mut next = || numbers.next().unwrap_or_default();
        Ok(std::array::from_fn(|_| Span { at: next(), length: next() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lessons_lesson::compiled::DedupScope;
    use lessons_lesson::lesson::Subject;

    /// A header in which every field is another.
    fn sample() -> Header {
        Header {
            manifest: Identity { inode: 1, size: 2, seconds: -3, nanoseconds: 4 },
            digest: [5; 32],
            body: 6,
            settings: Settings {
                off_until: Some(7),
                dedup_scope: DedupScope::Session,
                ..Settings::default()
            },
            subjects: Subjects::default().with(Subject::Program),
            reads_contents: true,
            fires_on_files: true,
            parts: std::array::from_fn(|n| Span { at: 512 + 64 * n as u64, length: 64 }),
        }
    }

    /// The first bytes of version 9. A change that breaks this must raise [`VERSION`].
    #[test]
    fn the_golden_header_is_read_and_round_trips() {
        let bytes = sample().encode();
        assert_eq!(bytes.len(), BYTES);
        assert_eq!(&bytes[..28], b"LSN-IDX\n\x09\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0");
        assert_eq!(lessons_text::digest::hex(&bytes, 16), "f8b8b080e22eac9c");
        assert_eq!(Header::decode(&bytes, 1408), Ok(sample()));
    }

    #[test]
    fn a_damaged_or_foreign_header_is_refused() {
        let bytes = sample().encode();
        for bit in 0..BYTES * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Header::decode(&damaged, 1408), Err(Corrupt), "{bit}");
        }
        assert_eq!(Header::decode(&bytes, 1407), Err(Corrupt));
        assert_eq!(Header::decode(&bytes[..511], 1408), Err(Corrupt));
    }
}
