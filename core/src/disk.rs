//! The implementation of [`Disk`] on this machine's disk.

use std::io::Read;
use std::path::Path;

use crate::files;
use crate::project::{Disk, GIT_FILE_LIMIT};

/// This machine's disk.
#[derive(Debug, Clone, Copy)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn holds(&self, path: &str) -> bool {
        Path::new(path).symlink_metadata().is_ok()
    }

    fn small_file(&self, path: &str) -> Option<String> {
        let file = files::open_unfollowed(Path::new(path)).ok()?;
        let limit = u64::try_from(GIT_FILE_LIMIT).ok()?;
        let found = file.metadata().ok()?;
        if !found.is_file() || found.len() > limit {
            return None;
        }
        let mut text = String::new();
        file.take(limit).read_to_string(&mut text).ok()?;
        Some(text)
    }
}
