//! Claims: the record of what a session was told, and the right to tell it.
//!
//! A claim is one more name of an empty file, or, if the file can get no more names, an empty file of its own, created
//! with `O_CREAT|O_EXCL`. Both fail if the name is taken: so the file system decides
//! between parallel calls, exactly once and without a lock, and the name is the session's record as well.
//! Only the existence of the name counts, except for a grant: it is a file of its own, whose time counts too.
//! Names are hashes, so that no id from a payload reaches the file system.
//!
//! The folder of a session contains names of the form `<kind>-<context>-<rest>`:
//!
//! | kind | meaning |
//! |---|---|
//! | `t07` | a lesson of priority 7 was told |
//! | `b` | this very call was refused by a bump |
//! | `r1` to `r3` | the number of refusals by a bump |
//! | `s` | a bump is settled |
//! | `q` | a lesson was shown in answer to a question |
//! | `grant` | the user was asked about a command line (see [`crate::approval`]) |
//! | `off` | the user has switched a lesson, or all of them, off for this session |
//!
//! The last two hold for every context of the session, so their names contain none. A hook looks for
//! `off` only when a lesson matches.

mod folder;

use std::cell::OnceCell;

pub use folder::{GRANT_GOOD_FOR, KEPT, SessionFolder, session_folder, sweep, use_grant};

use lessons_lesson::compiled::DedupScope;
use lessons_lesson::id::QualifiedId;
use lessons_text::digest;

/// The number of refusals in one context after which a bump is settled.
pub const MOST_REFUSALS: u8 = 3;

/// The kind of a claim for a lesson that was shown in answer to a question.
const SHOWN: &str = "q";

/// The name for all lessons, where one lesson can be switched off.
pub const EVERYTHING: &str = "all";

/// The name of the file that switches a lesson off for a session. `what` is its id with its layer, or
/// [`EVERYTHING`].
pub fn off_name(what: &str) -> String {
    format!("off-{}", digest::hex(what.as_bytes(), 32))
}

/// The result of an attempt to claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The claim was made by this call.
    Won,
    /// The claim was made before, or by a parallel call.
    Taken,
    /// The claim cannot be recorded: there is no session, or the file system refuses.
    Unrecorded,
}

/// The decision of a bump about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bump {
    /// The call is refused.
    Refuses,
    /// This very call was refused before: it passes, and the bump is settled.
    Passes,
    /// The bump was settled before.
    Settled,
    /// Nothing can be recorded, so a refusal could never be lifted: the call must not be refused.
    Unrecorded,
}

/// The memory of a session between calls. The hook uses [`SessionClaims`], replays use [`Fresh`].
pub trait Memory {
    /// Whether a lesson is switched off for the session. Asked only about lessons that match.
    fn is_off(&self, lesson: &QualifiedId) -> bool;
    /// Claims the right to tell a lesson.
    fn tell(&mut self, lesson: &QualifiedId, priority: u8) -> Claim;
    /// Decides and records what a bump does about a call with this subject.
    fn bump(&mut self, lesson: &QualifiedId, subject: &str) -> Bump;
    /// Removes the claims that were made through this value, because the answer could not be printed.
    fn take_back(&mut self);
}

/// The memory of a session that has just begun: nothing was told, refused or switched off. It records
/// nothing, so each call is the first one.
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

/// The claim files of one session.
pub trait SessionFiles {
    /// Creates an empty file, exclusively, and the session's folder if it does not exist.
    fn create(&mut self, name: &str) -> Claim;
    /// Whether a file with this name exists.
    fn holds(&self, name: &str) -> bool;
    /// Removes a file. An error is ignored, because no caller could do anything about it.
    fn remove(&mut self, name: &str);
}

/// The hash of a session id, as it is used in names and events: 16 hex digits.
pub fn session_hash(session_id: &str) -> String {
    digest::hex(session_id.as_bytes(), 16)
}

/// The claims of one context, in the files of its session.
#[derive(Debug)]
pub struct SessionClaims<F> {
    /// The files; `None` if nothing can be recorded.
    files: Option<F>,
    /// The id of the context: of the agent, or of the session as a whole.
    agent: String,
    /// The hash of the context in names, computed when it is first needed: most calls claim nothing, and a hash is most of
    /// their remaining cost.
    context: OnceCell<String>,
    /// Whether all lessons are switched off for the session, read when it is first needed.
    is_all_off: OnceCell<bool>,
    claimed: Vec<String>,
}

impl<F: SessionFiles> SessionClaims<F> {
    /// The claims of one context: the main thread of a session, one of its sub-agents, or, if
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

    /// Records that a lesson was shown in answer to a question. The record keeps no hook from
    /// telling the lesson.
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

impl<F: SessionFiles> Memory for SessionClaims<F> {
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
        // The call that gets the last slot is the last one to be refused.
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
