//! What the system knows of a file without opening it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Which file stands at a path, how large it is, and when it has changed last. Who writes into a file can put back its
/// size and the time of its last writing, but not the time of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Its size, in bytes.
    pub(crate) size: u64,
    /// When it has changed last, its name and rights counted, in nanoseconds since 1970.
    pub(crate) changed: u64,
}

impl FileVersion {
    /// What stands at `path`. A link is not followed.
    pub(crate) fn at(path: &Path) -> std::io::Result<Self> {
        path.symlink_metadata().map(|found| Self::of(&found))
    }

    pub(crate) fn of(found: &Metadata) -> Self {
        let part = |number: i64| u64::try_from(number).unwrap_or_default();
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.len(),
            changed: part(found.ctime())
                .saturating_mul(1_000_000_000)
                .saturating_add(part(found.ctime_nsec())),
        }
    }
}
