//! The claims of a session: what `lessons_core::claims::SessionFolder` does, with bare system calls, and where the
//! file system can, without a new file.
//!
//! What makes a claim is its name: to give an empty file one more name is refused with `EEXIST` where that is taken,
//! just as to create a file with `O_EXCL` is. And it needs no inode, which is what a file costs: ext4 looks for a free
//! one past all that were freed in the last minutes, so after thousands of removals nearby a file takes ten times as
//! long, and a name no longer than before. Where no name can be given, because the file system knows no links or the
//! file has as many as it can (65,000 on ext4), a claim is a file of its own. Either way the next one who tries
//! finds the name taken.

use alloc::string::String;
use core::cell::OnceCell;
use core::mem;

use lessons_core::claims::{Claim, SessionFiles, session_hash};
use lessons_core::path;
use rustix::fd::{AsFd, IntoRawFd, OwnedFd};
use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat, linkat, mkdir, openat, unlinkat};
use rustix::io::Errno;

use crate::files;
use crate::home::Home;

/// The empty file that claims are further names of, as seen from the folder of a session. No session has such a name.
const NAMESAKE: &str = "../claim";

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
        let mut created = self.folder().map_or(Err(Errno::NOENT), |folder| claim(folder, name));
        if created == Err(Errno::NOENT)
            && let Some(folder) = self.make_folder()
        {
            created = claim(&folder, name);
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

/// Takes a name in the folder of a session. [`Errno::EXIST`] where somebody has it.
fn claim(folder: &OwnedFd, name: &str) -> Result<(), Errno> {
    let link = || linkat(folder, NAMESAKE, folder, name, AtFlags::empty());
    let linked = link().or_else(|error| {
        if error != Errno::NOENT {
            return Err(error);
        }
        // The first claim of all. Somebody else's may come first, which is as good.
        let _ = create_exclusively(folder, NAMESAKE);
        link()
    });
    match linked {
        Ok(()) | Err(Errno::EXIST) => linked,
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

    /// What claims of `names` come to, in the folder of a new session below `sessions`.
    fn claims(sessions: &Path, names: &[&str]) -> Vec<Result<(), Errno>> {
        let own = tempfile::tempdir_in(sessions).unwrap().keep();
        let folder = files::open_folder(own.to_str().unwrap()).unwrap();
        let claims = names.iter().map(|name| claim(&folder, name)).collect();
        for name in names {
            let found = fs::metadata(own.join(name)).unwrap();
            assert_eq!((found.is_file(), found.len(), found.mode() & 0o777), (true, 0, 0o600), "{name}");
        }
        claims
    }

    #[test]
    fn a_name_is_taken_once_in_each_session_and_costs_no_file() {
        let sessions = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let found = claims(sessions.path(), &["a", "b", "a"]);
            assert_eq!(found, [Ok(()), Ok(()), Err(Errno::EXIST)]);
        }
        let namesake = fs::metadata(sessions.path().join("claim")).unwrap();
        assert_eq!(namesake.nlink(), 5);
    }

    #[test]
    fn where_no_name_can_be_given_a_claim_is_a_file_of_its_own() {
        let sessions = tempfile::tempdir().unwrap();
        // A folder has no second name.
        fs::create_dir(sessions.path().join("claim")).unwrap();
        assert_eq!(claims(sessions.path(), &["a", "b", "a"]), [Ok(()), Ok(()), Err(Errno::EXIST)]);
    }

    #[test]
    fn a_claim_of_either_kind_is_respected_by_the_other() {
        let sessions = tempfile::tempdir().unwrap();
        let own = sessions.path().join("s");
        fs::create_dir(&own).unwrap();
        let folder = files::open_folder(own.to_str().unwrap()).unwrap();
        assert_eq!(create_exclusively(&folder, "a"), Ok(()));
        assert_eq!(claim(&folder, "a"), Err(Errno::EXIST));
        assert_eq!(claim(&folder, "b"), Ok(()));
        assert_eq!(create_exclusively(&folder, "b"), Err(Errno::EXIST));
    }

    #[test]
    fn of_many_who_claim_at_once_before_any_claim_was_made_one_wins() {
        let sessions = tempfile::tempdir().unwrap();
        let own = sessions.path().join("s");
        fs::create_dir(&own).unwrap();
        let own = own.to_str().unwrap();
        let wins = std::thread::scope(|scope| {
            let claims: Vec<_> = (0..24)
                .map(|_| scope.spawn(|| claim(&files::open_folder(own).unwrap(), "a").is_ok()))
                .collect();
            claims.into_iter().map(|claim| claim.join().unwrap()).filter(|&won| won).count()
        });
        assert_eq!(wins, 1);
    }
}
