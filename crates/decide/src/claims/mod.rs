//! Claims: the record of what a session was told, and the right to tell it.
//!
//! A claim is one more name of an empty file, or, if the file can get no more names, an empty file of its own, created
//! with `O_CREAT|O_EXCL`. Both fail if the name is taken: so the file system decides
//! between parallel calls, exactly once and without a lock, and the name is the session's record as well.
//! Only the existence of the name counts.
//! Names are hashes, so that no id from a payload reaches the file system.
//!
//! The folder of a session contains names of the form `<kind>-<context>-<rest>`:
//!
//! | kind | meaning |
//! |---|---|
//! | `t` | a lesson was told |
//! | `b` | this very call was refused by a bump |
//! | `r1` to `r3` | the number of refusals by a bump |
//! | `s` | a bump is settled: for every call, or, where it [always](Insistence::Always) insists, for this very call |
//! | `n1` to `n8` | the number of refusals by all bumps together |
//! | `i` | an incident was named |
//! | `q` | a lesson was shown in answer to a question |
//! | `off` | the user has switched a lesson, or all of them, off for this session |
//!
//! The last one holds for every context of the session, so its names contain none. A hook looks for
//! `off` only when a lesson matches.
//!
//! The name of a told lesson holds its id and nothing that an edit can change, so that an edited lesson is not told
//! again. Its priority, which decides what a compaction forgets, is looked up then: see [`crate::compaction`].

mod folder;

use std::cell::OnceCell;

pub use folder::{KEPT, SessionFolder, session_folder, sweep};

use lessons_incident::IncidentId;
use lessons_lesson::{DedupScope, MAIN, QualifiedId};
use lessons_text::digest;

/// The number of refusals in one context after which a bump is settled that does not always insist.
pub const MOST_REFUSALS: u8 = 3;

/// The number of refusals in one context after which lessons of less than high severity advise: later refusals are no
/// longer read.
pub const MANY_REFUSALS: u8 = 8;

/// The kind of a claim for a lesson that was told.
const TOLD: &str = "t";
/// The kind of a claim for an incident that was named.
const NAMED: &str = "i";
/// The kind of a claim for a lesson that was shown in answer to a question.
const SHOWN: &str = "q";

/// What the refusals of all bumps are counted under.
const ALL_BUMPS: &str = "all";

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
    /// This very call was refused before: it passes, and the bump is settled, if only for this call.
    Passes,
    /// The bump was settled before.
    Settled,
    /// The call runs and the model is told, because the bump [insists](Insistence) on no more.
    Advises,
    /// Nothing can be recorded, so a refusal could never be lifted: the call must not be refused.
    Unrecorded,
}

/// How far a bump insists on a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insistence {
    /// It refuses every different call until that call itself is made again, however many were refused before.
    Always,
    /// It refuses until [`MANY_REFUSALS`] calls were refused in the context.
    Sparing,
    /// It refuses no further call.
    Never,
}

/// The memory of a session between calls. The hook uses [`SessionClaims`], replays use [`Fresh`].
pub trait Memory {
    /// Whether a lesson is switched off for the session. Asked only about lessons that match.
    fn is_off(&self, lesson: &QualifiedId) -> bool;
    /// Claims the right to tell a lesson.
    fn tell(&mut self, lesson: &QualifiedId) -> Claim;
    /// Decides and records what a bump does about a call with this subject.
    fn bump(&mut self, lesson: &QualifiedId, subject: &str, insistence: Insistence) -> Bump;
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
    fn tell(&mut self, _: &QualifiedId) -> Claim {
        Claim::Won
    }
    fn bump(&mut self, _: &QualifiedId, _: &str, insistence: Insistence) -> Bump {
        if insistence == Insistence::Never { Bump::Advises } else { Bump::Refuses }
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
            DedupScope::Context => agent_id.unwrap_or(MAIN),
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

    fn holds(&self, kind: &str, rest: &str) -> bool {
        self.files.as_ref().is_some_and(|files| files.holds(&self.name(kind, rest)))
    }

    /// Whether a lesson was shown in answer to a question: see [`Self::show`].
    pub fn has_shown(&self, lesson: &QualifiedId) -> bool {
        self.holds(SHOWN, &lesson_hash(lesson))
    }

    /// Records that a lesson was shown in answer to a question. The record keeps no hook from
    /// telling the lesson.
    pub fn show(&mut self, lesson: &QualifiedId) {
        self.claim(SHOWN, &lesson_hash(lesson));
    }

    /// Claims the right to name an incident to the model.
    pub fn name_incident(&mut self, incident: IncidentId) -> Claim {
        self.claim(NAMED, &incident.to_string())
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

    /// Claims the first free of the slots `kind` 1 to `most`. [`Claim::Taken`] if there is none.
    fn claim_slot(&mut self, kind: &str, most: u8, rest: &str) -> Claim {
        let mut slots = (1..=most).map(|number| self.claim(&format!("{kind}{number}"), rest));
        slots.find(|claim| *claim != Claim::Taken).unwrap_or(Claim::Taken)
    }
}

impl<F: SessionFiles> Memory for SessionClaims<F> {
    fn is_off(&self, lesson: &QualifiedId) -> bool {
        let holds = |what: &str| self.files.as_ref().is_some_and(|files| files.holds(&off_name(what)));
        *self.is_all_off.get_or_init(|| holds(EVERYTHING)) || holds(&lesson.to_string())
    }

    fn tell(&mut self, lesson: &QualifiedId) -> Claim {
        self.claim(TOLD, &lesson_hash(lesson))
    }

    fn bump(&mut self, lesson: &QualifiedId, subject: &str, insistence: Insistence) -> Bump {
        let name = lesson_hash(lesson);
        let id = lesson.to_string();
        let call = digest::hex_of_parts(&[id.as_bytes(), subject.as_bytes()], 32);
        let settled = if insistence == Insistence::Always { &call } else { &name };
        if self.holds("s", settled) {
            return Bump::Settled;
        }
        let insists = match insistence {
            Insistence::Always => true,
            Insistence::Sparing => !self.holds(&format!("n{MANY_REFUSALS}"), ALL_BUMPS),
            Insistence::Never => false,
        };
        if !insists && !self.holds("b", &call) {
            return Bump::Advises;
        }
        match self.claim("b", &call) {
            Claim::Unrecorded => return Bump::Unrecorded,
            Claim::Taken => {
                self.claim("s", settled);
                return Bump::Passes;
            }
            Claim::Won => {}
        }
        if insistence != Insistence::Always {
            // The call that gets the last slot is the last one to be refused.
            match self.claim_slot("r", MOST_REFUSALS, &name) {
                Claim::Won => {}
                Claim::Taken => {
                    self.claim("s", &name);
                    return Bump::Settled;
                }
                Claim::Unrecorded => return Bump::Unrecorded,
            }
        }
        // Parallel calls may each be the eighth.
        self.claim_slot("n", MANY_REFUSALS, ALL_BUMPS);
        Bump::Refuses
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use super::*;

    /// Claim files in memory. Several contexts of one session share them.
    #[derive(Default)]
    struct SharedNames(RefCell<BTreeSet<String>>);

    impl SessionFiles for &SharedNames {
        fn create(&mut self, name: &str) -> Claim {
            if self.0.borrow_mut().insert(name.to_owned()) { Claim::Won } else { Claim::Taken }
        }
        fn holds(&self, name: &str) -> bool {
            self.0.borrow().contains(name)
        }
        fn remove(&mut self, name: &str) {
            self.0.borrow_mut().remove(name);
        }
    }

    impl SharedNames {
        fn claims(&self, agent: Option<&str>, scope: DedupScope) -> SessionClaims<&Self> {
            SessionClaims::new(Some(self), agent, scope)
        }

        fn names(&self) -> Vec<String> {
            self.0.borrow().iter().cloned().collect()
        }
    }

    fn id(text: &str) -> QualifiedId {
        text.parse().unwrap()
    }

    /// Names are a stored format: a session that is open during an update must not be told everything again.
    #[test]
    fn the_names_of_claims_never_change() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        main.tell(&id("user/a"));
        main.show(&id("user/a"));
        main.name_incident(IncidentId(1));
        for (call, insistence) in [("git reset", Insistence::Always), ("git stash", Insistence::Sparing)] {
            assert_eq!(main.bump(&id("user/a"), call, insistence), Bump::Refuses);
            assert_eq!(main.bump(&id("user/a"), call, insistence), Bump::Passes);
        }
        assert_eq!(
            files.names(),
            [
                "b-0d6e4079-8a97bd55daad4a7ef680b6eb3995ef78",
                "b-0d6e4079-9aa7562763a8b9f241b2db095d594409",
                "i-0d6e4079-i-0000000000000001",
                "n1-0d6e4079-all",
                "n2-0d6e4079-all",
                "q-0d6e4079-8084d1cd38641302c1fab4a0",
                "r1-0d6e4079-8084d1cd38641302c1fab4a0",
                "s-0d6e4079-8084d1cd38641302c1fab4a0",
                "s-0d6e4079-9aa7562763a8b9f241b2db095d594409",
                "t-0d6e4079-8084d1cd38641302c1fab4a0",
            ]
        );
        assert_eq!(off_name("user/a"), "off-8084d1cd38641302c1fab4a0de9a4c38");
        assert_eq!(off_name(EVERYTHING), "off-5ef5ef0364b6939c4ca61f34b393f7b3");
        assert_eq!(session_hash("s"), "043a718774c572bd");
    }

    #[test]
    fn each_lesson_has_a_claim_of_its_own() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        for lesson in ["user/a", "user/b", "seed/a"] {
            assert_eq!(main.tell(&id(lesson)), Claim::Won, "{lesson}");
            assert_eq!(main.tell(&id(lesson)), Claim::Taken, "{lesson}");
        }
    }

    #[test]
    fn contexts_claim_for_themselves_and_a_whole_session_for_all_of_them() {
        for (scope, second) in [(DedupScope::Context, Claim::Won), (DedupScope::Session, Claim::Taken)] {
            let files = SharedNames::default();
            assert_eq!(files.claims(None, scope).tell(&id("user/a")), Claim::Won);
            assert_eq!(files.claims(None, scope).tell(&id("user/a")), Claim::Taken);
            // The main thread is the context `main`.
            assert_eq!(files.claims(Some("main"), scope).tell(&id("user/a")), Claim::Taken);
            assert_eq!(files.claims(Some("sub"), scope).tell(&id("user/a")), second, "{scope:?}");
            assert_eq!(files.claims(Some("sub"), scope).tell(&id("user/a")), Claim::Taken);
        }
    }

    #[test]
    fn three_refusals_of_different_calls_settle_a_bump_of_one_lesson() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        let bump = id("user/bump");
        for call in ["one", "two", "three"] {
            assert_eq!(main.bump(&bump, call, Insistence::Sparing), Bump::Refuses, "{call}");
        }
        // The fourth call is not refused, and from then on no call is.
        assert_eq!(main.bump(&bump, "four", Insistence::Sparing), Bump::Settled);
        let names = files.names();
        assert_eq!(main.bump(&bump, "five", Insistence::Sparing), Bump::Settled);
        assert_eq!(files.names(), names, "a settled bump claims nothing");
        // Neither other lessons nor other contexts are settled by it.
        assert_eq!(main.bump(&id("user/other"), "one", Insistence::Sparing), Bump::Refuses);
        assert_eq!(
            files.claims(Some("sub"), DedupScope::Context).bump(&bump, "one", Insistence::Sparing),
            Bump::Refuses
        );
    }

    #[test]
    fn after_eight_refusals_in_a_context_only_what_insists_refuses() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        let lessons: Vec<QualifiedId> = (0..10).map(|number| id(&format!("user/l-{number}"))).collect();
        for lesson in &lessons[..7] {
            assert_eq!(main.bump(lesson, "one", Insistence::Sparing), Bump::Refuses);
        }
        assert_eq!(main.bump(&lessons[7], "one", Insistence::Always), Bump::Refuses, "the eighth");
        let names = files.names();
        assert_eq!(main.bump(&lessons[8], "one", Insistence::Sparing), Bump::Advises);
        assert_eq!(main.bump(&lessons[6], "two", Insistence::Sparing), Bump::Advises);
        assert_eq!(files.names(), names, "what advises claims nothing");
        assert_eq!(main.bump(&lessons[6], "one", Insistence::Sparing), Bump::Passes, "it was refused before");
        assert_eq!(main.bump(&lessons[6], "two", Insistence::Sparing), Bump::Settled);
        assert_eq!(main.bump(&lessons[9], "one", Insistence::Always), Bump::Refuses);
        let mut sub = files.claims(Some("sub"), DedupScope::Context);
        assert_eq!(sub.bump(&lessons[8], "one", Insistence::Sparing), Bump::Refuses, "another context");
    }

    #[test]
    fn a_bump_that_does_not_insist_still_lets_a_refused_call_pass() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        let bump = id("user/bump");
        assert_eq!(main.bump(&bump, "one", Insistence::Never), Bump::Advises);
        assert_eq!(main.bump(&bump, "one", Insistence::Sparing), Bump::Refuses);
        assert_eq!(main.bump(&bump, "one", Insistence::Never), Bump::Passes);
        assert_eq!(main.bump(&bump, "one", Insistence::Never), Bump::Settled);
    }

    #[test]
    fn a_call_that_is_made_again_settles_its_bump() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        let bump = id("user/bump");
        assert_eq!(main.bump(&bump, "one", Insistence::Sparing), Bump::Refuses);
        assert_eq!(main.bump(&bump, "one", Insistence::Sparing), Bump::Passes);
        assert_eq!(main.bump(&bump, "one", Insistence::Sparing), Bump::Settled);
        assert_eq!(main.bump(&bump, "two", Insistence::Sparing), Bump::Settled);
    }

    #[test]
    fn a_bump_that_always_insists_is_settled_for_each_call_by_itself() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        let bump = id("user/bump");
        let calls: Vec<String> = (0..12).map(|number| format!("make seed A={number}")).collect();
        assert!(calls.iter().all(|call| main.bump(&bump, call, Insistence::Always) == Bump::Refuses));
        for call in &calls {
            assert_eq!(main.bump(&bump, call, Insistence::Always), Bump::Passes, "{call}");
            assert_eq!(main.bump(&bump, call, Insistence::Always), Bump::Settled, "{call}");
        }
        assert_eq!(main.bump(&bump, "make seed", Insistence::Always), Bump::Refuses);
    }

    #[test]
    fn what_was_shown_is_known_in_its_context_and_may_still_be_told() {
        let files = SharedNames::default();
        let mut main = files.claims(None, DedupScope::Context);
        assert!(!main.has_shown(&id("user/a")));
        main.show(&id("user/a"));
        assert!(main.has_shown(&id("user/a")) && !main.has_shown(&id("user/b")));
        assert!(!files.claims(Some("sub"), DedupScope::Context).has_shown(&id("user/a")));
        assert_eq!(main.tell(&id("user/a")), Claim::Won);
        let nowhere = SessionClaims::<&SharedNames>::new(None, None, DedupScope::Context);
        assert!(!nowhere.has_shown(&id("user/a")) && !nowhere.is_off(&id("user/a")));
    }

    #[test]
    fn one_lesson_or_every_lesson_is_off() {
        let files = SharedNames::default();
        let is_off = |lesson: &str| files.claims(None, DedupScope::Context).is_off(&id(lesson));
        assert!(!is_off("user/a"));
        (&files).create(&off_name("user/a"));
        assert!(is_off("user/a") && !is_off("user/b") && !is_off("seed/a"));
        (&files).create(&off_name(EVERYTHING));
        assert!(is_off("user/a") && is_off("user/b"));
    }

    #[test]
    fn only_the_claims_that_were_won_through_a_value_are_taken_back() {
        let files = SharedNames::default();
        files.claims(None, DedupScope::Context).tell(&id("user/before"));
        let before = files.names();
        let mut main = files.claims(None, DedupScope::Context);
        assert_eq!(main.tell(&id("user/before")), Claim::Taken);
        assert_eq!(main.tell(&id("user/now")), Claim::Won);
        assert_eq!(main.bump(&id("user/bump"), "x", Insistence::Always), Bump::Refuses);
        main.take_back();
        assert_eq!(files.names(), before);
        assert_eq!(main.tell(&id("user/now")), Claim::Won);
    }

    #[test]
    fn a_session_that_has_just_begun_remembers_nothing() {
        for _ in 0..2 {
            assert_eq!(Fresh.tell(&id("user/a")), Claim::Won);
            assert_eq!(Fresh.bump(&id("user/a"), "x", Insistence::Always), Bump::Refuses);
        }
        assert!(!Fresh.is_off(&id("user/a")));
    }
}
