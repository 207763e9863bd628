//! The folder of a session on this machine's disk.
//!
//! A claim is a name: to add a name to an empty file fails with `EEXIST` if the name is taken,
//! just as to create a file with `O_EXCL` does. A name needs no inode, which is the cost of a file: ext4 looks for a free
//! one past all that were freed in the last minutes, so after thousands of removals nearby a file takes ten times as
//! long, and a name no longer than before. The empty file is the data folder's `lock`, which exists already. If it
//! can get no more names, because claims are in memory, the file system knows no links, or there are as many as it
//! allows (65,000 on ext4), a claim is a file of its own. Either way the next attempt finds the name taken.
#![allow(
    clippy::disallowed_methods,
    reason = "claims are empty files of one session: a removal that is lost means one text told late, and hooks cannot link the store"
)]

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat};
use nix::sys::stat::Mode;
use nix::unistd::{AccessFlags, UnlinkatFlags, faccessat, linkat, unlinkat};

use super::{Claim, SessionClaims, SessionFiles, TOLD, lesson_hash, session_hash};
use lessons_home::{Home, files};
use lessons_lesson::QualifiedId;

/// How long claims are kept after a session's last claim.
pub const KEPT: Duration = Duration::from_hours(7 * 24);

/// The path of a session's folder, whose name is a hash of the session id.
pub fn session_folder(sessions: &Path, session_id: &str) -> PathBuf {
    sessions.join(session_hash(session_id))
}

/// The claim files of a session on this machine's disk, which is accessed only when a claim is made or looked for.
#[derive(Debug)]
pub struct SessionFolder {
    home: Home,
    id: String,
    /// The path of the folder.
    path: OnceCell<PathBuf>,
    /// The open folder; `None` if it does not exist.
    folder: OnceCell<Option<File>>,
}

impl SessionFolder {
    /// The files of the session with this id; `None` without an id.
    pub fn of(home: &Home, session_id: Option<&str>) -> Option<Self> {
        let id = session_id.filter(|id| !id.is_empty())?.to_owned();
        Some(Self { home: home.clone(), id, path: OnceCell::new(), folder: OnceCell::new() })
    }

    fn path(&self) -> &Path {
        self.path.get_or_init(|| session_folder(&self.home.sessions(), &self.id))
    }

    fn folder(&self) -> Option<&File> {
        self.folder.get_or_init(|| files::open_folder(self.path()).ok()).as_ref()
    }

    /// Claims a name in the folder, which is created if it does not exist.
    fn take(&mut self, claim: impl Fn(&Self, &File) -> Result<(), Errno>) -> Claim {
        let mut taken = self.folder().map_or(Err(Errno::ENOENT), |folder| claim(self, folder));
        if taken == Err(Errno::ENOENT)
            && let Some(folder) = self.make_folder()
        {
            taken = claim(self, &folder);
            self.folder = OnceCell::from(Some(folder));
        }
        match taken {
            Ok(()) => Claim::Won,
            Err(Errno::EEXIST) => Claim::Taken,
            Err(_) => Claim::Unrecorded,
        }
    }

    /// Creates the folder and the folder of all sessions, private to this user. Existing ones must be private too.
    fn make_folder(&self) -> Option<File> {
        files::ensure_folder(self.path().parent()?).ok()?;
        files::ensure_folder(self.path()).ok()
    }

    /// Adds a name to the empty file of the data folder, or creates a file with that name. [`Errno::EEXIST`] if
    /// the name is taken.
    fn claim(&self, folder: &File, name: &str) -> Result<(), Errno> {
        // Claims in memory are on another file system, to which no link is possible.
        if self.path().starts_with(self.home.root()) {
            let named = linkat(AT_FDCWD, &self.home.lock(), folder, name, AtFlags::empty());
            if matches!(named, Ok(()) | Err(Errno::EEXIST)) {
                return named;
            }
        }
        create_exclusively(folder, name)
    }
}

impl SessionFiles for SessionFolder {
    fn create(&mut self, name: &str) -> Claim {
        self.take(|own, folder| own.claim(folder, name))
    }

    fn holds(&self, name: &str) -> bool {
        let is_there = |folder| faccessat(folder, name, AccessFlags::F_OK, AtFlags::empty()).is_ok();
        self.folder().is_some_and(is_there)
    }

    fn remove(&mut self, name: &str) {
        if let Some(folder) = self.folder() {
            let _ = unlinkat(folder, name, UnlinkatFlags::NoRemoveDir);
        }
    }
}

impl SessionClaims<SessionFolder> {
    /// Removes, at a compaction, the claims that the model's context no longer reflects: of all bumps and incidents, and of the told
    /// lessons besides `kept`.
    pub fn forget(&self, kept: &[QualifiedId]) {
        let Some(entries) = self.files.as_ref().and_then(|files| std::fs::read_dir(files.path()).ok()) else {
            return;
        };
        let kept: HashSet<String> = kept.iter().map(|lesson| self.name(TOLD, &lesson_hash(lesson))).collect();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let Some((kind, rest)) = name.split_once('-') else { continue };
            let goes = match kind {
                TOLD => !kept.contains(name),
                kind => matches!(kind, "b" | "i" | "r1" | "r2" | "r3" | "s") || kind.starts_with('n'),
            };
            if goes && rest.starts_with(self.context()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn create_exclusively(folder: &File, name: &str) -> Result<(), Errno> {
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
    openat(folder, name, flags, Mode::S_IRUSR | Mode::S_IWUSR).map(drop)
}

/// Removes the claims of sessions without a claim in the last [`KEPT`]. Returns the number of sessions
/// removed.
pub fn sweep(sessions: &Path, now: SystemTime) -> usize {
    let Ok(entries) = std::fs::read_dir(sessions) else { return 0 };
    let stale = |path: &Path| {
        let touched = std::fs::symlink_metadata(path).and_then(|found| found.modified());
        touched.is_ok_and(|touched| now.duration_since(touched).is_ok_and(|age| age > KEPT))
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        // Only folders with the name of a session hash are removed.
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit())
        })
        .filter(|path| stale(path) && std::fs::remove_dir_all(path).is_ok())
        .count()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;
    use crate::claims::{Bump, Insistence, Memory};
    use lessons_lesson::compiled::DedupScope;

    fn id(text: &str) -> QualifiedId {
        text.parse().unwrap()
    }

    fn ledger(dir: &Path, session: &str, agent: Option<&str>) -> SessionClaims<SessionFolder> {
        SessionClaims::new(files(dir, session), agent, DedupScope::Context)
    }

    /// The files of a session in a data folder.
    fn files(dir: &Path, session: &str) -> Option<SessionFolder> {
        SessionFolder::of(&Home::at(dir.to_owned()), Some(session))
    }

    #[test]
    fn a_lesson_is_told_once_in_a_context_and_again_in_another() {
        let dir = tempfile::tempdir().unwrap();
        let tell =
            |session: &str, agent: Option<&str>| ledger(dir.path(), session, agent).tell(&id("user/a"));
        assert_eq!(tell("one", None), Claim::Won);
        assert_eq!(tell("one", None), Claim::Taken);
        assert_eq!(tell("one", Some("sub")), Claim::Won);
        assert_eq!(tell("two", None), Claim::Won);
    }

    #[test]
    fn with_session_scope_sub_agents_share_what_was_told() {
        let dir = tempfile::tempdir().unwrap();
        let tell = |agent| {
            SessionClaims::new(files(dir.path(), "s"), agent, DedupScope::Session).tell(&id("user/a"))
        };
        assert_eq!((tell(None), tell(Some("sub"))), (Claim::Won, Claim::Taken));
    }

    #[test]
    fn exactly_one_of_many_threads_wins() {
        let dir = tempfile::tempdir().unwrap();
        let won = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..24)
                .map(|_| scope.spawn(|| ledger(dir.path(), "s", None).tell(&id("user/a")) == Claim::Won))
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|&won| won).count()
        });
        assert_eq!(won, 1);
    }

    #[test]
    fn a_bump_refuses_until_the_same_call_is_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let bump =
            |subject: &str| ledger(dir.path(), "s", None).bump(&id("user/a"), subject, Insistence::Sparing);
        assert_eq!(bump("git stash"), Bump::Refuses);
        assert_eq!(bump("git stash drop"), Bump::Refuses);
        assert_eq!(bump("git stash"), Bump::Passes);
        assert_eq!(bump("git stash pop"), Bump::Settled);
    }

    #[test]
    fn after_three_refusals_a_bump_is_settled() {
        let dir = tempfile::tempdir().unwrap();
        let bump =
            |subject: &str| ledger(dir.path(), "s", None).bump(&id("user/a"), subject, Insistence::Sparing);
        assert_eq!(["1", "2", "3", "4", "5"].map(bump), {
            use Bump::{Refuses, Settled};
            [Refuses, Refuses, Refuses, Settled, Settled]
        });
    }

    #[test]
    fn without_a_session_or_a_place_to_write_nothing_is_recorded() {
        let nowhere = Home::at("/proc/nowhere".into());
        let mut no_session = SessionClaims::new(SessionFolder::of(&nowhere, None), None, DedupScope::Context);
        assert_eq!(no_session.tell(&id("user/a")), Claim::Unrecorded);
        assert_eq!(no_session.bump(&id("user/a"), "x", Insistence::Always), Bump::Unrecorded);
        let mut no_disk =
            SessionClaims::new(SessionFolder::of(&nowhere, Some("s")), None, DedupScope::Context);
        assert_eq!(no_disk.tell(&id("user/a")), Claim::Unrecorded);
    }

    #[test]
    fn a_compaction_forgets_what_it_does_not_keep_and_every_bump_of_its_context() {
        let dir = tempfile::tempdir().unwrap();
        let mut main = ledger(dir.path(), "s", None);
        let mut sub = ledger(dir.path(), "s", Some("sub"));
        for ledger in [&mut main, &mut sub] {
            ledger.tell(&id("user/low"));
            ledger.tell(&id("user/high"));
            ledger.bump(&id("user/bump"), "x", Insistence::Always);
        }
        main.forget(&[id("user/low")]);
        assert_eq!(main.tell(&id("user/low")), Claim::Taken);
        assert_eq!(main.tell(&id("user/high")), Claim::Won);
        assert_eq!(main.bump(&id("user/bump"), "x", Insistence::Always), Bump::Refuses);
        assert_eq!(sub.tell(&id("user/high")), Claim::Taken);
        assert_eq!(sub.bump(&id("user/bump"), "x", Insistence::Always), Bump::Passes);
    }

    #[test]
    fn a_compaction_unsettles_what_was_settled_for_one_call() {
        let dir = tempfile::tempdir().unwrap();
        let mut main = ledger(dir.path(), "s", None);
        let mut again = || main.bump(&id("user/a"), "x", Insistence::Always);
        assert_eq!([again(), again(), again()], [Bump::Refuses, Bump::Passes, Bump::Settled]);
        main.forget(&[]);
        assert_eq!(main.bump(&id("user/a"), "x", Insistence::Always), Bump::Refuses);
    }

    #[test]
    fn a_compaction_begins_the_count_of_refusals_anew() {
        let dir = tempfile::tempdir().unwrap();
        let mut main = ledger(dir.path(), "s", None);
        for number in 0..8 {
            let lesson = id(&format!("user/l-{number}"));
            assert_eq!(main.bump(&lesson, "x", Insistence::Sparing), Bump::Refuses);
        }
        assert_eq!(main.bump(&id("user/a"), "x", Insistence::Sparing), Bump::Advises);
        main.forget(&[]);
        assert_eq!(main.bump(&id("user/a"), "x", Insistence::Sparing), Bump::Refuses);
    }

    #[test]
    fn what_is_off_is_off_in_every_context_of_its_session_and_after_a_compaction() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = files(dir.path(), "s").unwrap();
        assert_eq!(files.create(&crate::claims::off_name("user/a")), Claim::Won);
        ledger(dir.path(), "s", None).forget(&[]);
        for agent in [None, Some("sub")] {
            let ledger = ledger(dir.path(), "s", agent);
            assert!(ledger.is_off(&id("user/a")) && !ledger.is_off(&id("user/b")));
        }
        assert!(!ledger(dir.path(), "other", None).is_off(&id("user/a")));
        files.create(&crate::claims::off_name(crate::claims::EVERYTHING));
        assert!(ledger(dir.path(), "s", None).is_off(&id("user/b")));
    }

    #[test]
    fn what_could_not_be_printed_is_given_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut first = ledger(dir.path(), "s", None);
        first.tell(&id("user/a"));
        first.take_back();
        assert_eq!(ledger(dir.path(), "s", None).tell(&id("user/a")), Claim::Won);
    }

    #[test]
    fn a_hostile_session_id_stays_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        for session in ["../../../tmp/pwn", "/etc/cron.d/x", "abc\0../../x", "..\\..\\x"] {
            assert_eq!(ledger(dir.path(), session, None).tell(&id("user/a")), Claim::Won);
        }
        let names: Vec<_> = std::fs::read_dir(dir.path().join("sessions")).unwrap().flatten().collect();
        assert_eq!(names.len(), 4);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn silent_sessions_are_swept_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = dir.path().join("sessions");
        ledger(dir.path(), "s", None).tell(&id("user/a"));
        std::fs::create_dir(sessions.join("somebody-elses")).unwrap();
        let later = SystemTime::now() + KEPT + Duration::from_mins(1);
        assert_eq!(sweep(&sessions, SystemTime::now()), 0);
        assert_eq!(sweep(&sessions, later), 1);
        assert!(sessions.join("somebody-elses").exists());
    }

    /// A data folder with a `lock`, and the files of a session in it.
    fn with_lock() -> (tempfile::TempDir, SessionFolder) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("lock"), "").unwrap();
        std::fs::set_permissions(dir.path().join("lock"), std::fs::Permissions::from_mode(0o600)).unwrap();
        let files = files(dir.path(), "s").unwrap();
        (dir, files)
    }

    /// The results of claiming `a`, `b` and `a` again, and the number of names of the file of the first.
    fn three_claims(files: &mut SessionFolder) -> ([Claim; 3], u64) {
        let claims = ["a", "b", "a"].map(|name| files.create(name));
        let found = std::fs::metadata(files.path().join("a")).unwrap();
        assert_eq!((found.is_file(), found.len(), found.mode() & 0o777), (true, 0, 0o600));
        (claims, found.nlink())
    }

    const ONCE_EACH: [Claim; 3] = [Claim::Won, Claim::Won, Claim::Taken];

    #[test]
    fn a_name_is_taken_once_and_costs_no_file() {
        let (_dir, mut files) = with_lock();
        assert_eq!(three_claims(&mut files), (ONCE_EACH, 3));
    }

    #[test]
    fn where_no_name_can_be_given_a_claim_is_a_file_of_its_own() {
        let (dir, mut files) = with_lock();
        std::fs::remove_file(dir.path().join("lock")).unwrap();
        assert_eq!(three_claims(&mut files), (ONCE_EACH, 1));
        let (dir, mut files) = with_lock();
        std::fs::remove_file(dir.path().join("lock")).unwrap();
        // A folder has no second name.
        std::fs::create_dir(dir.path().join("lock")).unwrap();
        assert_eq!(three_claims(&mut files), (ONCE_EACH, 1));
    }

    #[test]
    fn a_claim_of_either_kind_is_respected_by_the_other() {
        let (_dir, mut files) = with_lock();
        assert_eq!(files.take(|_, folder| create_exclusively(folder, "a")), Claim::Won);
        assert_eq!(files.create("a"), Claim::Taken);
        assert_eq!(files.create("b"), Claim::Won);
        assert_eq!(files.take(|_, folder| create_exclusively(folder, "b")), Claim::Taken);
    }

    #[test]
    fn a_session_is_swept_when_its_last_claim_is_more_than_seven_days_old() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = dir.path().join("sessions");
        ledger(dir.path(), "s", None).tell(&id("user/a"));
        let session = session_folder(&sessions, "s");
        let touched = std::fs::metadata(&session).unwrap().modified().unwrap();
        // Neither the length of a session's name alone nor its digits alone make a folder one.
        let others = ["sixteen-letters-", "0123abcd", "0123456789abcdef0"];
        for name in others {
            std::fs::create_dir(sessions.join(name)).unwrap();
        }
        assert_eq!(KEPT, Duration::from_hours(168));
        assert_eq!(sweep(&sessions, touched + KEPT), 0);
        assert_eq!(sweep(&sessions, touched + 2 * KEPT), 1);
        assert!(!session.exists());
        assert!(others.iter().all(|name| sessions.join(name).exists()));
        assert_eq!(sweep(&dir.path().join("nowhere"), touched), 0);
    }

    #[test]
    fn a_compaction_keeps_what_it_is_told_to_keep_and_what_was_shown() {
        let dir = tempfile::tempdir().unwrap();
        let mut main = ledger(dir.path(), "s", None);
        for lesson in ["user/kept", "user/told", "user/unknown"] {
            main.tell(&id(lesson));
        }
        main.show(&id("user/shown"));
        // Settled by three refusals, and by a call that was made again.
        for call in ["1", "2", "3", "4"] {
            main.bump(&id("user/refused"), call, Insistence::Sparing);
        }
        for call in ["1", "1"] {
            main.bump(&id("user/again"), call, Insistence::Sparing);
        }
        main.forget(&[id("user/kept"), id("user/never-told")]);
        assert!(main.has_shown(&id("user/shown")));
        assert_eq!(main.tell(&id("user/kept")), Claim::Taken);
        assert_eq!(main.tell(&id("user/told")), Claim::Won);
        assert_eq!(main.tell(&id("user/unknown")), Claim::Won);
        for bump in ["user/refused", "user/again"] {
            for call in ["1", "2", "3"] {
                assert_eq!(main.bump(&id(bump), call, Insistence::Sparing), Bump::Refuses, "{bump} {call}");
            }
            assert_eq!(main.bump(&id(bump), "4", Insistence::Sparing), Bump::Settled, "{bump}");
        }
    }
}
