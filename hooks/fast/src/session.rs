//! The claims of a session: what `lessons_core::claims::SessionFolder` does, with bare system calls, and where the
//! file system can, without a new file.
//!
//! What makes a claim is its name: to give an empty file one more name is refused with `EEXIST` where that is taken,
//! just as to create a file with `O_EXCL` is. And it needs no inode, which is what a file costs: ext4 looks for a free
//! one past all that were freed in the last minutes, so after thousands of removals nearby a file takes ten times as
//! long, and a name no longer than before. The empty file is the data folder's `lock`, which is there already. Where it
//! can get no more names, because claims are in memory, the file system knows no links, or there are as many as it
//! allows (65,000 on ext4), a claim is a file of its own. Either way the next one who tries finds the name taken.

use alloc::string::String;
use core::cell::OnceCell;
use core::mem;

use lessons_core::claims::{Claim, SessionFiles, session_hash};
use lessons_core::path;
use rustix::fd::{AsFd, IntoRawFd, OwnedFd};
use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat, linkat, mkdir, openat, unlinkat};
use rustix::io::Errno;

use crate::files;
use crate::home::{Home, Sessions};

/// A file of the data folder that is empty as long as it is there: what commands hold while they write.
const EMPTY: &str = "lock";

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
    sessions: Sessions,
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
            let own = path::join(sessions.path(), &session_hash(self.id));
            Path { sessions, own }
        })
    }

    fn folder(&self) -> Option<&OwnedFd> {
        self.folder.get_or_init(|| files::open_folder(&self.path().own).ok()).as_ref()
    }

    /// Takes a name in the folder of the session. [`Errno::EXIST`] where somebody has it.
    fn claim(&self, folder: &OwnedFd, name: &str) -> Result<(), Errno> {
        match &self.path().sessions {
            Sessions::OnDisk(_) => named_or_created(&self.home.folder, folder, name),
            Sessions::InMemory(_) => create_exclusively(folder, name),
        }
    }

    /// Makes the folders, as ours alone. What stands in their place must be just that.
    fn make_folder(&self) -> Option<OwnedFd> {
        let Path { sessions, own } = self.path();
        // Closed when the process ends, which is soon.
        mem::forget(made(sessions.path())?);
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
        let mut created = self.folder().map_or(Err(Errno::NOENT), |folder| self.claim(folder, name));
        if created == Err(Errno::NOENT)
            && let Some(folder) = self.make_folder()
        {
            created = self.claim(&folder, name);
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

/// Gives the empty file of the data folder `home` one more name, or creates a file with it.
fn named_or_created(home: impl AsFd, folder: &OwnedFd, name: &str) -> Result<(), Errno> {
    match linkat(home, EMPTY, folder, name, AtFlags::empty()) {
        named @ (Ok(()) | Err(Errno::EXIST)) => named,
        Err(_) => create_exclusively(folder, name),
    }
}

fn create_exclusively(folder: impl AsFd, name: &str) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    // Not closed: the process ends in a moment, and that closes it.
    openat(folder, name, flags, Mode::RUSR | Mode::WUSR).map(|file| _ = file.into_raw_fd())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::*;

    /// A data folder with a `lock`, and the folder of a session in it.
    fn data_folder() -> (tempfile::TempDir, OwnedFd, OwnedFd) {
        let data = tempfile::tempdir().unwrap();
        let own = data.path().join("session");
        fs::create_dir(&own).unwrap();
        let open = |folder: &Path| files::open_folder(folder.to_str().unwrap()).unwrap();
        let home = open(data.path());
        create_exclusively(&home, EMPTY).unwrap();
        let session = open(&own);
        (data, home, session)
    }

    /// What claims of `a`, `b` and `a` again come to, and how many names the file of the first has.
    fn three_claims(data: &Path, home: &OwnedFd, session: &OwnedFd) -> ([Result<(), Errno>; 3], u64) {
        let claims = ["a", "b", "a"].map(|name| named_or_created(home, session, name));
        let found = fs::metadata(data.join("session/a")).unwrap();
        assert_eq!((found.is_file(), found.len(), found.mode() & 0o777), (true, 0, 0o600));
        (claims, found.nlink())
    }

    const ONCE_EACH: [Result<(), Errno>; 3] = [Ok(()), Ok(()), Err(Errno::EXIST)];

    #[test]
    fn a_name_is_taken_once_and_costs_no_file() {
        let (data, home, session) = data_folder();
        assert_eq!(three_claims(data.path(), &home, &session), (ONCE_EACH, 3));
    }

    #[test]
    fn where_no_name_can_be_given_a_claim_is_a_file_of_its_own() {
        let (data, home, session) = data_folder();
        unlinkat(&home, EMPTY, AtFlags::empty()).unwrap();
        assert_eq!(three_claims(data.path(), &home, &session), (ONCE_EACH, 1));
        let (data, home, session) = data_folder();
        unlinkat(&home, EMPTY, AtFlags::empty()).unwrap();
        // A folder has no second name.
        fs::create_dir(data.path().join(EMPTY)).unwrap();
        assert_eq!(three_claims(data.path(), &home, &session), (ONCE_EACH, 1));
    }

    #[test]
    fn a_claim_of_either_kind_is_respected_by_the_other() {
        let (_data, home, session) = data_folder();
        assert_eq!(create_exclusively(&session, "a"), Ok(()));
        assert_eq!(named_or_created(&home, &session, "a"), Err(Errno::EXIST));
        assert_eq!(named_or_created(&home, &session, "b"), Ok(()));
        assert_eq!(create_exclusively(&session, "b"), Err(Errno::EXIST));
    }

    #[test]
    fn of_many_who_claim_at_once_one_wins() {
        let (_data, home, session) = data_folder();
        let wins = std::thread::scope(|scope| {
            let claims: Vec<_> =
                (0..24).map(|_| scope.spawn(|| named_or_created(&home, &session, "a").is_ok())).collect();
            claims.into_iter().map(|claim| claim.join().unwrap()).filter(|&won| won).count()
        });
        assert_eq!(wins, 1);
    }
}
