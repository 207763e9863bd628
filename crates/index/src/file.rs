//! The index of a data folder, open on this machine's disk.

use std::fs::File;
use std::os::unix::fs::FileExt;

use memmap2::Mmap;

use super::corrupt::{Corrupt, Result};
use super::header::{BYTES, Header, Identity};
use super::reader::Index;
use super::storage::Storage;
use lessons_home::{Home, files};

/// How many bytes are read at first: the header, what every call looks at, and all that has to be at hand where there
/// are few lessons. More would begin pages of memory that nothing else needs.
const FIRST_READ: usize = 1536;
/// What has to be at hand is read up to so many bytes, for which pages of memory are needed; more is mapped. A map
/// costs as much as four pages.
const MOST_READ: usize = 8 << 10;

/// An index whose records are read from the file when they are asked for.
pub struct IndexFile {
    /// Its header.
    pub header: Header,
    file: File,
    /// The identity of the file.
    pub identity: Identity,
    start: Start,
}

/// The first bytes of an index, all that has to be at hand among them.
enum Start {
    Read(Vec<u8>),
    Mapped(Mmap),
}

impl IndexFile {
    /// Opens the index of a data folder. `None` where it is missing, corrupt, of another version, or not ours alone.
    pub fn open(home: &Home) -> Option<Self> {
        let (file, found) = files::open_judged(&home.index()).ok()??;
        let mut first = vec![0; FIRST_READ];
        let length = read_up_to(&file, 0, &mut first)?;
        first.truncate(length);
        let header = Header::decode(first.get(..BYTES)?, found.len()).ok()?;
        let at_hand = usize::try_from(header.at_hand()).ok()?;
        let start = if at_hand <= first.len() {
            Start::Read(first)
        } else if at_hand <= MOST_READ {
            first.resize(at_hand, 0);
            file.read_exact_at(first.get_mut(length..)?, length as u64).ok()?;
            Start::Read(first)
        } else {
            Start::Mapped(map(&file, at_hand)?)
        };
        Some(Self { header, file, identity: Identity::of(&found), start })
    }

    /// The index, ready to be searched.
    pub fn index(&self) -> Result<Index<'_>> {
        Index::new(&self.header, self.at_hand(), self)
    }

    fn at_hand(&self) -> &[u8] {
        match &self.start {
            Start::Read(bytes) => bytes,
            Start::Mapped(map) => map,
        }
    }
}

impl Storage for &IndexFile {
    fn read(&self, at: u64, into: &mut [u8]) -> Result<()> {
        let known = usize::try_from(at).ok().and_then(|at| self.at_hand().get(at..)?.get(..into.len()));
        match known {
            Some(known) => {
                into.copy_from_slice(known);
                Ok(())
            }
            None => self.file.read_exact_at(into, at).map_err(|_| Corrupt),
        }
    }
}

/// Reads until `into` is full or the file ends, and returns the number of bytes read.
fn read_up_to(file: &File, from: u64, into: &mut [u8]) -> Option<usize> {
    let mut filled = 0;
    while let Some(free) = into.get_mut(filled..).filter(|free| !free.is_empty()) {
        match file.read_at(free, from + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(filled)
}

/// The first `length` bytes of an index, mapped.
#[allow(unsafe_code, reason = "a map of a file is memory that the compiler knows nothing of")]
fn map(file: &File, length: usize) -> Option<Mmap> {
    // SAFETY: no program writes to a published index: it is replaced by a rename. Were its user to write or cut it all the
    // same, bytes could change under us, also after they were checked, and a lesson could be missed or the index be
    // refused: whatever the bytes are, reading them is safe. What lies behind a new end of the file would end this
    // process by a signal.
    unsafe { memmap2::MmapOptions::new().len(length).map(file) }.ok()
}
