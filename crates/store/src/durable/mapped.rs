//! Published files mapped into memory, so that reading a large one allocates nothing.
//!
//! A machine that has not used its memory yet gives it slowly, a virtual one in seconds for a gigabyte. What the last
//! build published lies in the system's cache already.
//!
//! Nobody writes to such a file or cuts it: [`durable::Finished`](crate::durable::Finished) puts another one in its
//! place, and this one lives on for as long as it is mapped. Were its user to write to a large one all the same while
//! it is read, what is read would change; were it cut, or could the disk not be read, this process would end by a signal.

use std::fs::File;
use std::path::Path;

use bytes::Bytes;
use lessons_home::files::{self, FileError};

/// The size in bytes below which a file is read instead: that is no slower, and safe from later writes.
const LEAST_MAPPED: u64 = 64 << 20;

/// Opens a file that is only ever replaced: a manifest, an index. At most `limit` bytes; `Ok(None)` when there is
/// none.
pub fn read(path: &Path, limit: u64) -> Result<Option<Bytes>, FileError> {
    let Some(file) = files::open(path)? else { return Ok(None) };
    let io = |source| FileError::Io { path: path.to_owned(), source };
    let size = file.metadata().map_err(io)?.len();
    if size > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), size, limit });
    }
    let mapped = (size >= LEAST_MAPPED).then(|| map(&file)).flatten();
    // Some file systems map nothing.
    mapped.map_or_else(|| Ok(files::read_opened(path, &file, limit)?.into()), Ok).map(Some)
}

fn map(file: &File) -> Option<Bytes> {
    #[allow(unsafe_code, reason = "a map of a file is memory that the compiler knows nothing of")]
    // SAFETY: it is a regular file of this user's in a folder that no other may write, and nothing of ours writes to it:
    // see the head of this file, also for what happens where its user does.
    let map = unsafe { memmap2::Mmap::map(file) }.ok()?;
    Some(Bytes::from_owner(map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable;

    #[test]
    fn what_was_read_stays_when_the_file_is_replaced() {
        // A file of holes is large at once.
        let hole = tempfile::tempfile().unwrap();
        hole.set_len(LEAST_MAPPED).unwrap();
        assert_eq!(map(&hole).unwrap().len() as u64, LEAST_MAPPED);

        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        assert_eq!(read(&path, 10).unwrap(), None);
        for text in [&b"first"[..], b"", b"a longer one"] {
            durable::replace(&path, text).unwrap();
            let found = read(&path, 12).unwrap().unwrap();
            durable::replace(&path, b"later").unwrap();
            assert_eq!(found, text);
        }
        durable::replace(&path, b"a longer one").unwrap();
        assert!(matches!(read(&path, 11), Err(FileError::TooLarge { size: 12, limit: 11, .. })));
    }
}
