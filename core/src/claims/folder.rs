//! The folder of a session, on this machine's disk.
#![allow(
    clippy::disallowed_methods,
    reason = "claims are empty files of one session: a removal that is lost means one text told late, and hooks cannot link the store"
)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Claim, Ledger, SessionFiles, session_hash};
use crate::approval::Grant;
use crate::files;

/// How long claims are kept after a session's last claim.
pub const KEPT: Duration = Duration::from_hours(7 * 24);
/// How long a grant is good for.
pub const GRANT_GOOD_FOR: Duration = Duration::from_mins(10);

/// The folder of a session: its name is a hash of the id.
pub fn session_folder(sessions: &Path, session_id: &str) -> PathBuf {
    sessions.join(session_hash(session_id))
}

/// The files of a session, on this machine's disk.
#[derive(Debug)]
pub struct SessionFolder(PathBuf);

impl SessionFolder {
    /// Those of the session with this id. `None` without one.
    pub fn of(sessions: &Path, session_id: Option<&str>) -> Option<Self> {
        session_id.filter(|id| !id.is_empty()).map(|id| Self(session_folder(sessions, id)))
    }
}

impl SessionFiles for SessionFolder {
    fn create(&mut self, name: &str) -> Claim {
        let path = self.0.join(name);
        let mut created = create_exclusively(&path);
        if matches!(&created, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            let made = self.0.parent().is_some_and(|sessions| {
                files::ensure_folder(sessions).is_ok() && files::ensure_folder(&self.0).is_ok()
            });
            if made {
                created = create_exclusively(&path);
            }
        }
        match created {
            Ok(_) => Claim::Won,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Claim::Taken,
            Err(_) => Claim::Unrecorded,
        }
    }

    fn holds(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    fn remove(&mut self, name: &str) {
        let _ = std::fs::remove_file(self.0.join(name));
    }
}

impl Ledger<SessionFolder> {
    /// Forgets, at a compaction, what the model no longer has before it: told lessons of at least
    /// `priority`, and everything about bumps.
    pub fn forget(&self, priority: u8) {
        let Some(entries) = self.files.as_ref().and_then(|files| std::fs::read_dir(&files.0).ok()) else {
            return;
        };
        let context = self.context();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some((kind, rest)) = name.to_str().and_then(|name| name.split_once('-')) else { continue };
            let told = kind.strip_prefix('t').and_then(|digits| digits.parse::<u8>().ok());
            let goes = match told {
                Some(told) => told >= priority,
                None => matches!(kind, "b" | "r1" | "r2" | "r3" | "s"),
            };
            if goes && rest.starts_with(context) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Leaves a grant for a command line.
    pub fn grant(&mut self, grant: &Grant) {
        let Some(files) = &mut self.files else { return };
        let name = grant.file_name();
        // A grant from before is replaced: its ten minutes start again.
        files.remove(&name);
        files.create(&name);
    }
}

fn create_exclusively(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Uses up the grant for a command line of a session. `true` once, within [`GRANT_GOOD_FOR`].
pub fn use_grant(sessions: &Path, session_id: &str, grant: &Grant, now: SystemTime) -> bool {
    let path = session_folder(sessions, session_id).join(grant.file_name());
    let Ok(left) = std::fs::symlink_metadata(&path).and_then(|found| found.modified()) else { return false };
    // A clock that went back makes a grant look younger, never older than it is: it is used up below.
    let age = now.duration_since(left).unwrap_or_default();
    std::fs::remove_file(&path).is_ok() && age <= GRANT_GOOD_FOR
}

/// Removes the claims of sessions that have been silent for longer than [`KEPT`]. Returns how many
/// sessions went.
pub fn sweep(sessions: &Path, now: SystemTime) -> usize {
    let Ok(entries) = std::fs::read_dir(sessions) else { return 0 };
    let stale = |path: &Path| {
        let touched = std::fs::symlink_metadata(path).and_then(|found| found.modified());
        touched.is_ok_and(|touched| now.duration_since(touched).is_ok_and(|age| age > KEPT))
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        // Only folders that we have named: the rest is not ours to remove.
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit())
        })
        .filter(|path| stale(path) && std::fs::remove_dir_all(path).is_ok())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{Bump, Memory};
    use crate::compiled::DedupScope;
    use crate::id::QualifiedId;

    fn id(text: &str) -> QualifiedId {
        text.parse().unwrap()
    }

    fn ledger(dir: &Path, session: &str, agent: Option<&str>) -> Ledger<SessionFolder> {
        let files = SessionFolder::of(&dir.join("sessions"), Some(session));
        Ledger::new(files, agent, DedupScope::Context)
    }

    #[test]
    fn a_lesson_is_told_once_in_a_context_and_again_in_another() {
        let dir = tempfile::tempdir().unwrap();
        let tell =
            |session: &str, agent: Option<&str>| ledger(dir.path(), session, agent).tell(&id("user/a"), 5);
        assert_eq!(tell("one", None), Claim::Won);
        assert_eq!(tell("one", None), Claim::Taken);
        assert_eq!(tell("one", Some("sub")), Claim::Won);
        assert_eq!(tell("two", None), Claim::Won);
    }

    #[test]
    fn with_session_scope_sub_agents_share_what_was_told() {
        let dir = tempfile::tempdir().unwrap();
        let tell = |agent| {
            let files = SessionFolder::of(dir.path(), Some("s"));
            Ledger::new(files, agent, DedupScope::Session).tell(&id("user/a"), 5)
        };
        assert_eq!((tell(None), tell(Some("sub"))), (Claim::Won, Claim::Taken));
    }

    #[test]
    fn exactly_one_of_many_threads_wins() {
        let dir = tempfile::tempdir().unwrap();
        let won = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..24)
                .map(|_| scope.spawn(|| ledger(dir.path(), "s", None).tell(&id("user/a"), 5) == Claim::Won))
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|&won| won).count()
        });
        assert_eq!(won, 1);
    }

    #[test]
    fn a_bump_refuses_until_the_same_call_is_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let bump = |subject: &str| ledger(dir.path(), "s", None).bump(&id("user/a"), subject);
        assert_eq!(bump("git stash"), Bump::Refuses);
        assert_eq!(bump("git stash drop"), Bump::Refuses);
        assert_eq!(bump("git stash"), Bump::Passes);
        assert_eq!(bump("git stash pop"), Bump::Settled);
    }

    #[test]
    fn after_three_refusals_a_bump_is_settled() {
        let dir = tempfile::tempdir().unwrap();
        let bump = |subject: &str| ledger(dir.path(), "s", None).bump(&id("user/a"), subject);
        assert_eq!(["1", "2", "3", "4", "5"].map(bump), {
            use Bump::{Refuses, Settled};
            [Refuses, Refuses, Refuses, Settled, Settled]
        });
    }

    #[test]
    fn without_a_session_or_a_place_to_write_nothing_is_recorded() {
        let nowhere = Path::new("/proc/nowhere");
        let mut no_session = Ledger::new(SessionFolder::of(nowhere, None), None, DedupScope::Context);
        assert_eq!(no_session.tell(&id("user/a"), 5), Claim::Unrecorded);
        assert_eq!(no_session.bump(&id("user/a"), "x"), Bump::Unrecorded);
        let mut no_disk = Ledger::new(SessionFolder::of(nowhere, Some("s")), None, DedupScope::Context);
        assert_eq!(no_disk.tell(&id("user/a"), 5), Claim::Unrecorded);
    }

    #[test]
    fn a_compaction_forgets_the_important_ones_and_every_bump_of_its_context() {
        let dir = tempfile::tempdir().unwrap();
        let mut main = ledger(dir.path(), "s", None);
        let mut sub = ledger(dir.path(), "s", Some("sub"));
        for ledger in [&mut main, &mut sub] {
            ledger.tell(&id("user/low"), 6);
            ledger.tell(&id("user/high"), 7);
            ledger.bump(&id("user/bump"), "x");
        }
        main.forget(7);
        assert_eq!(main.tell(&id("user/low"), 6), Claim::Taken);
        assert_eq!(main.tell(&id("user/high"), 7), Claim::Won);
        assert_eq!(main.bump(&id("user/bump"), "x"), Bump::Refuses);
        assert_eq!(sub.tell(&id("user/high"), 7), Claim::Taken);
        assert_eq!(sub.bump(&id("user/bump"), "x"), Bump::Passes);
    }

    #[test]
    fn what_is_off_is_off_in_every_context_of_its_session_and_after_a_compaction() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = dir.path().join("sessions");
        let mut files = SessionFolder::of(&sessions, Some("s")).unwrap();
        assert_eq!(files.create(&crate::claims::off_name("user/a")), Claim::Won);
        ledger(dir.path(), "s", None).forget(1);
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
        first.tell(&id("user/a"), 5);
        first.take_back();
        assert_eq!(ledger(dir.path(), "s", None).tell(&id("user/a"), 5), Claim::Won);
    }

    #[test]
    fn a_hostile_session_id_stays_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        for session in ["../../../tmp/pwn", "/etc/cron.d/x", "abc\0../../x", "..\\..\\x"] {
            assert_eq!(ledger(dir.path(), session, None).tell(&id("user/a"), 5), Claim::Won);
        }
        let names: Vec<_> = std::fs::read_dir(dir.path().join("sessions")).unwrap().flatten().collect();
        assert_eq!(names.len(), 4);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_grant_is_good_once_and_for_ten_minutes() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = dir.path().join("sessions");
        let grant = Grant::of_argv(&["promote".to_owned(), "x".to_owned()]);
        let now = SystemTime::now();
        assert!(!use_grant(&sessions, "s", &grant, now));
        ledger(dir.path(), "s", None).grant(&grant);
        assert!(!use_grant(&sessions, "other", &grant, now));
        assert!(use_grant(&sessions, "s", &grant, now));
        assert!(!use_grant(&sessions, "s", &grant, now));
        ledger(dir.path(), "s", None).grant(&grant);
        assert!(!use_grant(&sessions, "s", &grant, now + Duration::from_mins(11)));
    }

    #[test]
    fn silent_sessions_are_swept_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = dir.path().join("sessions");
        ledger(dir.path(), "s", None).tell(&id("user/a"), 5);
        std::fs::create_dir(sessions.join("somebody-elses")).unwrap();
        let later = SystemTime::now() + KEPT + Duration::from_mins(1);
        assert_eq!(sweep(&sessions, SystemTime::now()), 0);
        assert_eq!(sweep(&sessions, later), 1);
        assert!(sessions.join("somebody-elses").exists());
    }
}
