//! Events: what `Event::append` of `lessons_core` does, with bare system calls.

use core::mem;

use lessons_core::events::{Event, MAX_FILE, dropped_name, file_name};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, fstat, mkdirat, openat};
use rustix::io::Errno;

use crate::files;

/// The folder of events, within the data folder.
const FOLDER: &str = "events";

/// Appends an event to the file of its day. One that cannot be written is lost: it is never worth a call.
pub(crate) fn append(home: BorrowedFd<'_>, event: &Event) {
    let Some(events) = folder(home) else { return };
    let Ok(file) = append_to(&events, &file_name(event.t)) else { return };
    let full = fstat(&file).map_or(true, |found| {
        FileType::from_raw_mode(found.st_mode) != FileType::RegularFile
            || u64::try_from(found.st_size).is_ok_and(|size| size > MAX_FILE)
    });
    if full {
        let _ = append_to(&events, &dropped_name(event.t)).and_then(|count| files::write_all(count, b"."));
    } else {
        // One write: lines of parallel hooks never mix.
        let _ = rustix::io::write(&file, event.line().as_bytes());
    }
    // Files are closed when the process ends, which is now.
    mem::forget((events, file));
}

fn folder(home: BorrowedFd<'_>) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(home, FOLDER, flags, Mode::empty());
    match open() {
        Err(Errno::NOENT) => mkdirat(home, FOLDER, Mode::RWXU).and_then(|()| open()).ok(),
        opened => opened.ok(),
    }
}

fn append_to(events: impl AsFd, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::WRONLY
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC;
    openat(events, name, flags, Mode::RUSR | Mode::WUSR)
}
