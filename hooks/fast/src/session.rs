//! The claims of a session: what `lessons_core::claims::SessionFolder` does, with bare system calls.

use alloc::string::String;
use core::cell::OnceCell;
use core::mem;

use lessons_core::claims::{Claim, SessionFiles, session_hash};
use lessons_core::path;
use rustix::fd::{AsFd, IntoRawFd, OwnedFd};
use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat, mkdir, openat, unlinkat};
use rustix::io::Errno;

use crate::files;
use crate::home::Home;

/// The files of a session.
pub(crate) struct Session<'s> {
    home: &'s Home<'s>,
    id: &'s str,
    /// Where its folder is, once somebody has asked: the name is a hash.
    path: OnceCell<Path>,
    /// The folder, open, once somebody has asked. `None` where there is none.
    folder: OnceCell<Option<OwnedFd>>,
}

/// Where the folder of a session is.
struct Path {
    /// Those of all sessions.
    sessions: String,
    /// The session's.
    own: String,
}

impl<'s> Session<'s> {
    /// Those of the session with this id. `None` without one.
    pub(crate) fn of(home: &'s Home<'s>, session_id: Option<&'s str>) -> Option<Self> {
        let id = session_id.filter(|id| !id.is_empty())?;
        Some(Self { home, id, path: OnceCell::new(), folder: OnceCell::new() })
    }

    fn path(&self) -> &Path {
        self.path.get_or_init(|| {
            let sessions = self.home.sessions();
            let own = path::join(&sessions, &session_hash(self.id));
            Path { sessions, own }
        })
    }

    fn folder(&self) -> Option<&OwnedFd> {
        self.folder.get_or_init(|| files::open_folder(&self.path().own).ok()).as_ref()
    }

    /// Makes the folders, as ours alone. What stands in their place must be just that.
    fn make_folder(&self) -> Option<OwnedFd> {
        let Path { sessions, own } = self.path();
        // Closed when the process ends, which is soon.
        mem::forget(made(sessions)?);
        made(own)
    }
}

/// A folder of ours, made if there is none.
fn made(folder: &str) -> Option<OwnedFd> {
    match mkdir(folder, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => files::tightened_folder(folder),
        Err(_) => None,
    }
}

impl SessionFiles for Session<'_> {
    fn create(&mut self, name: &str) -> Claim {
        let mut created = self.folder().map_or(Err(Errno::NOENT), |folder| create_exclusively(folder, name));
        if created == Err(Errno::NOENT)
            && let Some(folder) = self.make_folder()
        {
            created = create_exclusively(&folder, name);
            self.folder = OnceCell::from(Some(folder));
        }
        match created {
            Ok(()) => Claim::Won,
            Err(Errno::EXIST) => Claim::Taken,
            Err(_) => Claim::Unrecorded,
        }
    }

    fn holds(&self, name: &str) -> bool {
        let there = |folder| accessat(folder, name, Access::EXISTS, AtFlags::empty()).is_ok();
        self.folder().is_some_and(there)
    }

    fn remove(&mut self, name: &str) {
        if let Some(folder) = self.folder() {
            let _ = unlinkat(folder, name, AtFlags::empty());
        }
    }
}

fn create_exclusively(folder: impl AsFd, name: &str) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    // Not closed: the process ends in a moment, and that closes it.
    openat(folder, name, flags, Mode::RUSR | Mode::WUSR).map(|file| _ = file.into_raw_fd())
}
