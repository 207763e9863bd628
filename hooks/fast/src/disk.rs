//! This machine's disk, for the search for a project's root.

use alloc::string::String;

use lessons_core::project::{Disk, GIT_FILE_LIMIT};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, lstat, openat};

use crate::files;

/// The disk of this machine.
pub(crate) struct RealDisk;

impl Disk for RealDisk {
    fn holds(&self, path: &str) -> bool {
        lstat(path).is_ok()
    }

    fn small_file(&self, path: &str) -> Option<String> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(CWD, path, flags, Mode::empty()).ok()?;
        let found = fstat(&file).ok()?;
        let small = usize::try_from(found.st_size).is_ok_and(|size| size <= GIT_FILE_LIMIT);
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile || !small {
            return None;
        }
        String::from_utf8(files::contents(file, GIT_FILE_LIMIT)?).ok()
    }
}
