//! What was told before, and who may tell it now.
//!
//! A claim is an empty file, created with `O_CREAT|O_EXCL`: the file system decides between
//! parallel calls, exactly once, without a lock. It is both the session's record and the race's
//! referee. Names are hashes, so that no id from a payload reaches the file system.
//!
//! In the folder of a session, `<kind>-<context>-<rest>`:
//!
//! | kind | means |
//! |---|---|
//! | `t07` | a lesson of priority 7 was told |
//! | `b` | this very call was refused by a bump |
//! | `r1` to `r3` | a bump has refused so often |
//! | `s` | a bump is settled |
//! | `grant` | the user was asked about a command line (see [`crate::approval`]) |
#![allow(
    clippy::disallowed_methods,
    reason = "claims are empty files of one session: a removal that is lost means one text told late, and hooks cannot link the store"
)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::approval::Grant;
use crate::digest;
use crate::files;
use crate::id::QualifiedId;
use crate::manifest::DedupScope;

/// How long claims are kept after a session's last claim.
pub const KEPT: Duration = Duration::from_hours(7 * 24);
/// How long a grant is good for.
pub const GRANT_GOOD_FOR: Duration = Duration::from_mins(10);
/// After so many refusals in one context a bump is settled.
pub const MOST_REFUSALS: u8 = 3;

/// What came of trying to claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It is ours.
    Won,
    /// Somebody has it.
    Taken,
    /// It cannot be recorded: no session, or a file system that refuses.
    Unrecorded,
}

/// What a bump does at this call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bump {
    /// It refuses.
    Refuses,
    /// This very call was refused before: it passes, and the bump is settled.
    Passes,
    /// It was settled before.
    Settled,
    /// Nothing can be recorded, so a refusal could never be lifted: it must not refuse.
    Unrecorded,
}

/// What remembers between calls. The hook uses [`Ledger`]; tests and replays keep it in memory.
pub trait Memory {
    /// Claims the right to tell a lesson.
    fn tell(&mut self, lesson: &QualifiedId, priority: u8) -> Claim;
    /// What a bump does about a call with this subject. Records it.
    fn bump(&mut self, lesson: &QualifiedId, subject: &str) -> Bump;
    /// Gives back what was claimed through this value, because it could not be printed.
    fn take_back(&mut self);
}

/// Claims in the folder of a session.
#[derive(Debug)]
pub struct Ledger {
    /// `None` without a session id.
    folder: Option<PathBuf>,
    context: String,
    claimed: Vec<PathBuf>,
}

/// The folder of a session: its name is a hash of the id.
pub fn session_folder(sessions: &Path, session_id: &str) -> PathBuf {
    sessions.join(session_hash(session_id))
}

/// The hash of a session id, as it stands in names and events: 16 hex digits.
pub fn session_hash(session_id: &str) -> String {
    digest::hex(session_id.as_bytes(), 16)
}

impl Ledger {
    /// The claims of one context: the main thread of a session, one of its sub-agents, or, where
    /// the settings say so, the session as a whole.
    pub fn new(sessions: &Path, session_id: Option<&str>, agent_id: Option<&str>, scope: DedupScope) -> Self {
        let agent = match scope {
            DedupScope::Context => agent_id.unwrap_or("main"),
            DedupScope::Session => "session",
        };
        Self {
            folder: session_id.filter(|id| !id.is_empty()).map(|id| session_folder(sessions, id)),
            context: digest::hex(agent.as_bytes(), 8),
            claimed: Vec::new(),
        }
    }

    /// Forgets, at a compaction, what the model no longer has before it: told lessons of at least
    /// `priority`, and everything about bumps.
    pub fn forget(&self, priority: u8) {
        let Some(entries) = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some((kind, rest)) = name.to_str().and_then(|name| name.split_once('-')) else { continue };
            let told = kind.strip_prefix('t').and_then(|digits| digits.parse::<u8>().ok());
            let goes = match told {
                Some(told) => told >= priority,
                None => matches!(kind, "b" | "r1" | "r2" | "r3" | "s"),
            };
            if goes && rest.starts_with(&self.context) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Leaves a grant for a command line.
    pub fn grant(&mut self, grant: &Grant) {
        let Some(folder) = self.folder.clone() else { return };
        let path = folder.join(grant.file_name());
        // A grant from before is replaced: its ten minutes start again.
        let _ = std::fs::remove_file(&path);
        self.create(&path);
    }

    fn path(&self, kind: &str, rest: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{kind}-{}-{rest}", self.context)))
    }

    /// Creates a claim file, and the session's folder if this is the first.
    fn create(&mut self, path: &Path) -> Claim {
        let mut created = create_exclusively(path);
        if matches!(&created, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            let made = path.parent().and_then(Path::parent).is_some_and(|sessions| {
                files::ensure_folder(sessions).is_ok()
                    && path.parent().is_some_and(|folder| files::ensure_folder(folder).is_ok())
            });
            if made {
                created = create_exclusively(path);
            }
        }
        match created {
            Ok(_) => {
                self.claimed.push(path.to_owned());
                Claim::Won
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Claim::Taken,
            Err(_) => Claim::Unrecorded,
        }
    }

    fn claim(&mut self, kind: &str, rest: &str) -> Claim {
        match self.path(kind, rest) {
            Some(path) => self.create(&path),
            None => Claim::Unrecorded,
        }
    }
}

impl Memory for Ledger {
    fn tell(&mut self, lesson: &QualifiedId, priority: u8) -> Claim {
        self.claim(&format!("t{priority:02}"), &lesson_hash(lesson))
    }

    fn bump(&mut self, lesson: &QualifiedId, subject: &str) -> Bump {
        let name = lesson_hash(lesson);
        if self.path("s", &name).is_some_and(|settled| settled.exists()) {
            return Bump::Settled;
        }
        let id = lesson.to_string();
        match self.claim("b", &digest::hex_of_parts(&[id.as_bytes(), subject.as_bytes()], 32)) {
            Claim::Unrecorded => return Bump::Unrecorded,
            Claim::Taken => {
                self.claim("s", &name);
                return Bump::Passes;
            }
            Claim::Won => {}
        }
        // Whoever gets the last slot refuses for the last time.
        for refusal in 1..=MOST_REFUSALS {
            match self.claim(&format!("r{refusal}"), &name) {
                Claim::Won => return Bump::Refuses,
                Claim::Taken => {}
                Claim::Unrecorded => return Bump::Unrecorded,
            }
        }
        self.claim("s", &name);
        Bump::Settled
    }

    fn take_back(&mut self) {
        for path in self.claimed.drain(..) {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn lesson_hash(lesson: &QualifiedId) -> String {
    digest::hex(lesson.to_string().as_bytes(), 24)
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

    fn id(text: &str) -> QualifiedId {
        text.parse().unwrap()
    }

    fn ledger(dir: &Path, session: &str, agent: Option<&str>) -> Ledger {
        Ledger::new(&dir.join("sessions"), Some(session), agent, DedupScope::Context)
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
        let tell =
            |agent| Ledger::new(dir.path(), Some("s"), agent, DedupScope::Session).tell(&id("user/a"), 5);
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
        let mut no_session = Ledger::new(nowhere, None, None, DedupScope::Context);
        assert_eq!(no_session.tell(&id("user/a"), 5), Claim::Unrecorded);
        assert_eq!(no_session.bump(&id("user/a"), "x"), Bump::Unrecorded);
        let mut no_disk = Ledger::new(nowhere, Some("s"), None, DedupScope::Context);
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
