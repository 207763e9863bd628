//! The claims of a session: what `lessons_core::claims::SessionFolder` does, with bare system calls.

use alloc::string::String;
use core::cell::OnceCell;

use lessons_core::claims::{Claim, SessionFiles, session_hash};
use lessons_core::path;
use rustix::fd::IntoRawFd;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, access, mkdir, openat, unlinkat};
use rustix::io::Errno;

use crate::files;

/// The files of a session.
pub(crate) struct Session<'s> {
    sessions: &'s str,
    id: &'s str,
    /// Its folder, once somebody has asked: the name is a hash.
    folder: OnceCell<String>,
}

impl<'s> Session<'s> {
    /// Those of the session with this id. `None` without one.
    pub(crate) fn of(sessions: &'s str, session_id: Option<&'s str>) -> Option<Self> {
        let id = session_id.filter(|id| !id.is_empty())?;
        Some(Self { sessions, id, folder: OnceCell::new() })
    }

    fn folder(&self) -> &str {
        self.folder.get_or_init(|| path::join(self.sessions, &session_hash(self.id)))
    }

    /// Makes the folders, as ours alone. What stands in their place must be just that.
    fn make_folders(&self) -> bool {
        [self.sessions, self.folder()].into_iter().all(|folder| {
            let made = mkdir(folder, Mode::RWXU);
            matches!(made, Ok(()) | Err(Errno::EXIST)) && files::tightened_folder(folder).is_some()
        })
    }
}

impl SessionFiles for Session<'_> {
    fn create(&mut self, name: &str) -> Claim {
        let path = path::join(self.folder(), name);
        let mut created = create_exclusively(&path);
        if created == Err(Errno::NOENT) && self.make_folders() {
            created = create_exclusively(&path);
        }
        match created {
            Ok(()) => Claim::Won,
            Err(Errno::EXIST) => Claim::Taken,
            Err(_) => Claim::Unrecorded,
        }
    }

    fn holds(&self, name: &str) -> bool {
        access(path::join(self.folder(), name).as_str(), rustix::fs::Access::EXISTS).is_ok()
    }

    fn remove(&mut self, name: &str) {
        let _ = unlinkat(CWD, path::join(self.folder(), name).as_str(), AtFlags::empty());
    }
}

fn create_exclusively(path: &str) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    // Not closed: the process ends in a moment, and that closes it.
    openat(CWD, path, flags, Mode::RUSR | Mode::WUSR).map(|file| _ = file.into_raw_fd())
}
