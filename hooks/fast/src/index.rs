//! The index, opened, held against its manifest, and ready to be asked.

use alloc::vec::Vec;

use lessons_core::index::header::{BYTES, Header, Identity};
use lessons_core::index::storage::Storage;
use lessons_core::index::{Damaged, Index};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Stat, statat};
use rustix::io::{pread, retry_on_intr};

use crate::home::Home;

/// How much is read at first: the header, what every call looks at, and all that has to be at hand where there are few
/// lessons. More would begin pages of memory that nothing else needs.
const FIRST_READ: usize = 1536;
/// What has to be at hand is read up to so many bytes, for which pages of memory are needed; more is mapped. A map costs
/// as much as four pages.
const MOST_READ: usize = 8 << 10;

/// An index whose records are read from the file.
pub(crate) type OpenIndex = Index<'static, File>;

/// Opens the index of a data folder. `None` where it is missing, damaged, of another version, or not made
/// from the manifest that is there now.
pub(crate) fn open(home: &Home<'_>) -> Option<OpenIndex> {
    let (file, found) = home.folder.file("lesson-manifest.idx")?;
    let size = u64::try_from(found.st_size).ok()?;
    let mut first = Vec::with_capacity(FIRST_READ);
    read_on(&file, &mut first)?;
    let header = Header::decode(first.get(..BYTES)?, size).ok()?;
    let manifest = statat(&home.folder, "lesson-manifest.json", AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if header.manifest != identity(&manifest) {
        return None;
    }
    let at_hand = usize::try_from(header.at_hand()).ok()?;
    if at_hand <= MOST_READ {
        first.reserve_exact(at_hand.saturating_sub(first.len()));
        read_on(&file, &mut first)?;
    }
    // It lives as long as the process does, which is not long.
    let first: &'static [u8] = first.leak();
    let start = if at_hand <= first.len() { first } else { map::part(&file, at_hand, first.as_ptr())? };
    Index::new(header, start, File { first, file }).ok()
}

/// Reads on from where `bytes` end, until there is no room left in them.
fn read_on(file: &OwnedFd, bytes: &mut Vec<u8>) -> Option<()> {
    while bytes.len() < bytes.capacity() {
        let from = bytes.len() as u64;
        if retry_on_intr(|| pread(file, rustix::buffer::spare_capacity(bytes), from)).ok()? == 0 {
            break;
        }
    }
    Some(())
}

/// Which file the manifest is.
fn identity(found: &Stat) -> Identity {
    #[allow(clippy::useless_conversion, reason = "the fields have other types on other systems")]
    let parts = (
        u64::try_from(found.st_ino).unwrap_or(0),
        u64::try_from(found.st_size).unwrap_or(0),
        i64::try_from(found.st_mtime).unwrap_or(0),
        u32::try_from(found.st_mtime_nsec).unwrap_or(0),
    );
    let (inode, size, seconds, nanoseconds) = parts;
    Identity { inode, size, seconds, nanoseconds }
}

/// The file, read at any place.
pub(crate) struct File {
    /// What has been read of it, from its start.
    first: &'static [u8],
    file: OwnedFd,
}

impl Storage for File {
    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Damaged> {
        let known = usize::try_from(at).ok().and_then(|at| self.first.get(at..)?.get(..into.len()));
        if let Some(known) = known {
            into.copy_from_slice(known);
            return Ok(());
        }
        let mut filled = 0;
        while filled < into.len() {
            let free = into.get_mut(filled..).ok_or(Damaged)?;
            let count =
                retry_on_intr(|| pread(&self.file, &mut *free, at + filled as u64)).map_err(|_| Damaged)?;
            if count == 0 {
                return Err(Damaged);
            }
            filled += count;
        }
        Ok(())
    }
}

mod map {
    #![allow(unsafe_code, reason = "a map of a file is memory that the compiler knows nothing of")]

    use rustix::fd::OwnedFd;
    use rustix::mm::{MapFlags, ProtFlags, mmap};

    use crate::OWN_MEMORY;

    /// So many bytes of a file come with a page of it that is touched: all up to multiples of this.
    const AROUND: usize = 64 << 10;

    /// The first `length` bytes of a file, mapped for good. They are not brought in beforehand: with each
    /// page that is touched the system brings its neighbours, and few are touched.
    ///
    /// They come to lie behind the program's memory, of which `own` is some: what is far from everything else needs
    /// tables of pages for itself, three of them, and each takes longer than to read what is mapped.
    pub(super) fn part(file: &OwnedFd, length: usize, own: *const u8) -> Option<&'static [u8]> {
        let behind = own.wrapping_add(OWN_MEMORY);
        let hint = behind.wrapping_add(behind.align_offset(AROUND)).cast_mut().cast();
        // SAFETY: where something is at the hint, the system chooses another place, so no other memory is touched.
        let start = unsafe { mmap(hint, length, ProtFlags::READ, MapFlags::PRIVATE, file, 0) }.ok()?;
        // SAFETY: the map starts at `start`, has `length` readable bytes and is never unmapped. Nobody
        // writes to a published index: it is replaced by a rename. Were its user to write or cut it all
        // the same, bytes could change under us, also after they were checked, and a lesson could be missed or the
        // index be refused; what lies behind a new end of the file would end this process by a signal.
        Some(unsafe { core::slice::from_raw_parts(start.cast::<u8>().cast_const(), length) })
    }
}
