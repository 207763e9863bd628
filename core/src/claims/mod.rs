//! What was told before, and who may tell it now.
//!
//! A claim is one more name of an empty file, or where none can be given an empty file of its own, created with
//! `O_CREAT|O_EXCL`; both are refused where the name is taken: the file system decides
//! between parallel calls, exactly once, without a lock. It is both the session's record and the race's
//! referee. Only that the name is there counts, but for a grant: its file is its own, and its time counts too.
//! Names are hashes, so that no id from a payload reaches the file system.
//!
//! In the folder of a session, `<kind>-<context>-<rest>`:
//!
//! | kind | means |
//! |---|---|
//! | `t07` | a lesson of priority 7 was told |
//! | `b` | this very call was refused by a bump |
//! | `r1` to `r3` | a bump has refused so often |
//! | `s` | a bump is settled |
//! | `q` | a lesson was shown in answer to a question |
//! | `grant` | the user was asked about a command line (see [`crate::approval`]) |
//! | `off` | the user has switched a lesson, or all of them, off for this session |
//!
//! The last two hold for every context of the session, so there is none in their names. A hook looks for
//! `off` only when a lesson matches.

mod folder;

use std::cell::OnceCell;

pub use folder::{GRANT_GOOD_FOR, KEPT, SessionFolder, session_folder, sweep, use_grant};

use crate::compiled::DedupScope;
use crate::digest;
use crate::id::QualifiedId;

/// After so many refusals in one context a bump is settled.
pub const MOST_REFUSALS: u8 = 3;

/// The kind of what a question was answered with.
const SHOWN: &str = "q";

/// What stands for all lessons where one can be switched off.
pub const EVERYTHING: &str = "all";

/// The name of the file that switches a lesson off for a session: its id with its layer, or
/// [`EVERYTHING`].
pub fn off_name(what: &str) -> String {
    format!("off-{}", digest::hex(what.as_bytes(), 32))
}

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

/// What remembers between calls. The hook uses [`Ledger`], replays use [`Fresh`].
pub trait Memory {
    /// Whether this lesson is switched off for the session. Asked only about lessons that match.
    fn is_off(&self, lesson: &QualifiedId) -> bool;
    /// Claims the right to tell a lesson.
    fn tell(&mut self, lesson: &QualifiedId, priority: u8) -> Claim;
    /// What a bump does about a call with this subject. Records it.
    fn bump(&mut self, lesson: &QualifiedId, subject: &str) -> Bump;
    /// Gives back what was claimed through this value, because it could not be printed.
    fn take_back(&mut self);
}

/// The memory of a session that has just begun: nothing was told or refused, and nothing is off. What it is
/// told it forgets, so each call finds it fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fresh;

impl Memory for Fresh {
    fn is_off(&self, _: &QualifiedId) -> bool {
        false
    }
    fn tell(&mut self, _: &QualifiedId, _: u8) -> Claim {
        Claim::Won
    }
    fn bump(&mut self, _: &QualifiedId, _: &str) -> Bump {
        Bump::Refuses
    }
    fn take_back(&mut self) {}
}

/// The files of one session.
pub trait SessionFiles {
    /// Creates an empty file, exclusively; the session's folder too, if this is its first.
    fn create(&mut self, name: &str) -> Claim;
    /// Whether there is one.
    fn holds(&self, name: &str) -> bool;
    /// Removes one. Nothing can be done where that fails.
    fn remove(&mut self, name: &str);
}

/// The hash of a session id, as it stands in names and events: 16 hex digits.
pub fn session_hash(session_id: &str) -> String {
    digest::hex(session_id.as_bytes(), 16)
}

/// The claims of one context, in the files of its session.
#[derive(Debug)]
pub struct Ledger<F> {
    /// `None` where nothing can be recorded.
    files: Option<F>,
    /// Whose claims these are.
    agent: String,
    /// The context's part of a name, once somebody has asked: most calls claim nothing, and a hash is most of
    /// what is left of them.
    context: OnceCell<String>,
    /// Whether everything is switched off for the session, once somebody has asked.
    is_all_off: OnceCell<bool>,
    claimed: Vec<String>,
}

impl<F: SessionFiles> Ledger<F> {
    /// The claims of one context: the main thread of a session, one of its sub-agents, or, where
    /// the settings say so, the session as a whole. Without files, as without a session id, nothing
    /// can be claimed.
    pub fn new(files: Option<F>, agent_id: Option<&str>, scope: DedupScope) -> Self {
        let agent = match scope {
            DedupScope::Context => agent_id.unwrap_or("main"),
            DedupScope::Session => "session",
        };
        let (context, is_all_off) = (OnceCell::new(), OnceCell::new());
        Self { files, agent: agent.to_owned(), context, is_all_off, claimed: Vec::new() }
    }

    fn context(&self) -> &str {
        self.context.get_or_init(|| digest::hex(self.agent.as_bytes(), 8))
    }

    fn name(&self, kind: &str, rest: &str) -> String {
        format!("{kind}-{}-{rest}", self.context())
    }

    /// Whether a lesson was shown in answer to a question: see [`Self::show`].
    pub fn has_shown(&self, lesson: &QualifiedId) -> bool {
        let name = self.name(SHOWN, &lesson_hash(lesson));
        self.files.as_ref().is_some_and(|files| files.holds(&name))
    }

    /// Notes that a lesson was shown in answer to a question. That it was shown keeps no hook from
    /// telling it.
    pub fn show(&mut self, lesson: &QualifiedId) {
        self.claim(SHOWN, &lesson_hash(lesson));
    }

    fn claim(&mut self, kind: &str, rest: &str) -> Claim {
        let name = self.name(kind, rest);
        let Some(files) = &mut self.files else { return Claim::Unrecorded };
        let claim = files.create(&name);
        if claim == Claim::Won {
            self.claimed.push(name);
        }
        claim
    }
}

impl<F: SessionFiles> Memory for Ledger<F> {
    fn is_off(&self, lesson: &QualifiedId) -> bool {
        let holds = |what: &str| self.files.as_ref().is_some_and(|files| files.holds(&off_name(what)));
        *self.is_all_off.get_or_init(|| holds(EVERYTHING)) || holds(&lesson.to_string())
    }

    fn tell(&mut self, lesson: &QualifiedId, priority: u8) -> Claim {
        self.claim(&format!("t{priority:02}"), &lesson_hash(lesson))
    }

    fn bump(&mut self, lesson: &QualifiedId, subject: &str) -> Bump {
        let name = lesson_hash(lesson);
        let settled = self.name("s", &name);
        if self.files.as_ref().is_some_and(|files| files.holds(&settled)) {
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
        let Some(files) = &mut self.files else { return };
        for name in self.claimed.drain(..) {
            files.remove(&name);
        }
    }
}

fn lesson_hash(lesson: &QualifiedId) -> String {
    digest::hex(lesson.to_string().as_bytes(), 24)
}
