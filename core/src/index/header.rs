//! The header: what the index is, to which manifest it belongs, and where its parts are.
//!
//! **Version.** [`VERSION`] is raised whenever a reader of the version before would misread a file, and
//! whenever the answer to a call could change although the bytes do not: other keys, another meaning of
//! an automaton. A hook that finds another version has the index made anew.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use super::key::checksum;
use super::record::{Cursor, Subjects, Writer};
use super::{Damaged, block};
use crate::compiled::Settings;

/// What an index starts with.
pub const MAGIC: [u8; 8] = *b"LSN-IDX\n";
/// The version this program writes, and the only one it reads.
pub const VERSION: u32 = 2;
/// The bytes of a header; what is not used is zero.
pub const BYTES: usize = 512;

/// Which file the manifest was when the index was made. Hooks do not ask: what a build, a session start and `doctor`
/// compare with what `fstat` says.
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
    /// Which file it is that the system says this of.
    pub fn of(found: &Metadata) -> Self {
        Self {
            inode: found.ino(),
            size: found.size(),
            seconds: found.mtime(),
            nanoseconds: u32::try_from(found.mtime_nsec()).unwrap_or(0),
        }
    }
}

/// Where a part of the index is, in bytes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Where it starts.
    pub at: u64,
    /// Its length.
    pub length: u64,
}

/// What stands at the start of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The manifest it was made from.
    pub manifest: Identity,
    /// The SHA-256 of that manifest.
    pub digest: [u8; 32],
    /// A sum of everything behind the header, for who verifies the whole. The builder knows which.
    pub body: u64,
    /// The settings.
    pub settings: Settings,
    /// On which of a command's texts any trigger is tried that lessons fire by.
    pub subjects: Subjects,
    /// Whether any trigger looks at what an edit puts into files.
    pub reads_contents: bool,
    /// The list of what no key leads to, if there is anything.
    pub always: Span,
    /// The filter over all keys; see [`super::filter`].
    pub filter: Span,
    /// Where the buckets are; see [`super::directory`].
    pub directory: Span,
    /// From keys to postings; see [`super::bucket`].
    pub buckets: Span,
    /// Lists of postings that stand for themselves.
    pub postings: Span,
    /// Which three bytes begin a key of a content trigger; see [`super::prefixes`].
    pub prefixes: Span,
    /// The records of triggers.
    pub triggers: Span,
    /// The records of lessons: what they say, and when, where and how they fire.
    pub lessons: Span,
    /// What the next build need not work out again; see [`super::record::Note`].
    pub notes: Span,
    /// What the next build asks of the manifest: see [`crate::manifest::Former`].
    pub former: Span,
}

impl Header {
    /// The header's bytes: [`BYTES`] of them.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.header(self);
        let mut bytes = Vec::from(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&writer.finish());
        bytes.resize(BYTES - 8, 0);
        let sum = checksum(u64::from(VERSION), &bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// All parts, in the order in which they are written.
    pub(super) fn parts(&self) -> [Span; 10] {
        let Self { always, filter, directory, buckets, postings, .. } = *self;
        let Self { prefixes, triggers, lessons, notes, former, .. } = *self;
        [always, filter, directory, buckets, postings, prefixes, triggers, lessons, notes, former]
    }

    /// How many bytes from the start on a reader has at hand: all up to the end of the filter and the directory.
    pub fn at_hand(&self) -> u64 {
        let [filter, directory] = [self.filter, self.directory].map(|part| part.at + part.length);
        filter.max(directory)
    }

    /// Reads and checks a header. `size` is that of the file: every part must lie in it.
    pub fn decode(bytes: &[u8], size: u64) -> Result<Self, Damaged> {
        let bytes = bytes.get(..BYTES).ok_or(Damaged)?;
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or(Damaged)?;
        let known = content.starts_with(&MAGIC)
            && content.get(8..12) == Some(&VERSION.to_le_bytes())
            && checksum(u64::from(VERSION), content) == u64::from_le_bytes(*sum);
        if !known {
            return Err(Damaged);
        }
        let header = Cursor::new(content.get(12..).unwrap_or_default()).header()?;
        let inside = |part: &Span| part.at.checked_add(part.length).is_some_and(|end| end <= size);
        let blocks = [header.filter, header.prefixes];
        let whole = |part: &Span| part.length.is_multiple_of(block::BYTES as u64);
        if header.parts().iter().all(inside) && blocks.iter().all(whole) { Ok(header) } else { Err(Damaged) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compiled::DedupScope;
    use crate::lesson::Subject;

    /// A header in which every field is another.
    pub(crate) fn sample() -> Header {
        let span = |at| Span { at, length: 64 };
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
            always: span(512),
            filter: span(576),
            directory: span(640),
            buckets: span(704),
            postings: span(768),
            prefixes: span(832),
            triggers: span(896),
            lessons: span(960),
            notes: span(1024),
            former: span(1088),
        }
    }

    /// The first bytes of version 2. A change that breaks this must raise [`VERSION`].
    #[test]
    fn the_golden_header_is_read_and_round_trips() {
        let bytes = sample().encode();
        assert_eq!(bytes.len(), BYTES);
        assert_eq!(&bytes[..28], b"LSN-IDX\n\x02\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0");
        assert_eq!(crate::digest::hex(&bytes, 16), "a1095101848baa95");
        assert_eq!(Header::decode(&bytes, 1152), Ok(sample()));
    }

    #[test]
    fn a_damaged_or_foreign_header_is_refused() {
        let bytes = sample().encode();
        for bit in 0..BYTES * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Header::decode(&damaged, 1152), Err(Damaged), "{bit}");
        }
        assert_eq!(Header::decode(&bytes, 1151), Err(Damaged));
        assert_eq!(Header::decode(&bytes[..511], 1152), Err(Damaged));
    }
}
