//! Opening our own files without being led astray: what `lessons_core::files` does, without a word about
//! why not. What is not as it should be is left to the other program, which says what is wrong.

use alloc::vec::Vec;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fchmod, fstat, openat, stat};
use rustix::io::{Errno, read, retry_on_intr};
use rustix::process::geteuid;

/// What is known of the path that led to a folder.
pub(crate) enum Form {
    /// It is the folder's own: absolute, and without a link.
    Canonical,
    /// Nothing.
    Unknown,
}

/// A folder that is ours alone.
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens it. `None` if it is a link, or others can look into it.
    pub(crate) fn open(path: &str) -> Option<Self> {
        Self::checked(open_folder(path).ok()?)
    }

    fn checked(folder: OwnedFd) -> Option<Self> {
        let found = fstat(&folder).ok()?;
        (is_ours(&found) && is_private(&found, FileType::Directory)).then_some(Self(folder))
    }

    /// The same, and whether `path`, which has no `.` and `..` in it, is the folder's canonical path: to be
    /// led there without passing a link costs nothing, and to ask for the path of an open folder costs as
    /// much as all the rest of a call that no lesson is about.
    pub(crate) fn open_told(path: &str) -> Option<(Self, Form)> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{ResolveFlags, openat2};
            let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            if let Ok(folder) = openat2(CWD, path, FOLDER, Mode::empty(), resolve) {
                return Some((Self::checked(folder)?, Form::Canonical));
            }
        }
        // Links lead there, or the kernel is older than 5.6.
        Some((Self::open(path)?, Form::Unknown))
    }

    /// Opens a file in it, with what is known of the file. Only we can have put it there, so it need not be
    /// asked once more who we are.
    pub(crate) fn file(&self, name: &str) -> Option<(OwnedFd, Stat)> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::empty()).ok()?;
        let found = fstat(&file).ok()?;
        is_private(&found, FileType::RegularFile).then_some((file, found))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// How folders are opened.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a folder, whoever may look into it.
pub(crate) fn open_folder(path: &str) -> Result<OwnedFd, Errno> {
    openat(CWD, path, FOLDER, Mode::empty())
}

/// Opens a folder of ours, and closes it to others who may look into it.
pub(crate) fn tightened_folder(path: &str) -> Option<OwnedFd> {
    let folder = open_folder(path).ok()?;
    let found = fstat(&folder).ok()?;
    let mode = Mode::from_raw_mode(found.st_mode);
    if !is_ours(&found) || mode.intersects(Mode::WGRP | Mode::WOTH) {
        return None;
    }
    if mode.intersects(Mode::RWXG | Mode::RWXO) {
        fchmod(&folder, Mode::RWXU).ok()?;
    }
    Some(folder)
}

/// Whether a folder is ours alone.
pub(crate) fn is_private_folder(path: &str) -> bool {
    stat(path).is_ok_and(|found| is_ours(&found) && is_private(&found, FileType::Directory))
}

fn is_ours(found: &Stat) -> bool {
    found.st_uid == geteuid().as_raw()
}

/// Whether it is what it should be, and closed to everybody but its owner.
fn is_private(found: &Stat, expected: FileType) -> bool {
    let mode = Mode::from_raw_mode(found.st_mode);
    FileType::from_raw_mode(found.st_mode) == expected && !mode.intersects(Mode::RWXG | Mode::RWXO)
}

/// At most `limit` bytes of a file.
pub(crate) fn contents(file: impl AsFd, limit: usize) -> Option<Vec<u8>> {
    let mut bytes = alloc::vec![0; limit];
    let mut filled = 0;
    while let Some(free) = bytes.get_mut(filled..).filter(|free| !free.is_empty()) {
        let wanted = free.len();
        match retry_on_intr(|| read(&file, &mut *free)) {
            Ok(count) if count == wanted => return Some(bytes),
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(_) => return None,
        }
    }
    bytes.truncate(filled);
    Some(bytes)
}

/// Writes all of it.
pub(crate) fn write_all(to: impl AsFd, bytes: &[u8]) -> Result<(), Errno> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = retry_on_intr(|| rustix::io::write(&to, rest))?;
        rest = rest.get(count..).unwrap_or_default();
        if count == 0 {
            return Err(Errno::IO);
        }
    }
    Ok(())
}
