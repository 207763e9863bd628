//! The version of a file, as the system knows it without opening the file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The identity, size and time of change of a file. Whoever writes into a file can restore its size and its time of
/// modification, but not its time of change (`ctime`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// The size, in bytes.
    pub(crate) size: u64,
    /// The time of the last change of content, name or rights, in nanoseconds since 1970.
    pub(crate) changed: u64,
}

impl FileVersion {
    /// The version of the file at `path`. A link is not followed.
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
