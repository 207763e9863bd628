//! The decision: what a tool call gets, and what a session gets at its start.
//!
//! - [`answer`]: the one function that decides about a call. Hook, `replay`, `explain` and `test` all ask it.
//! - [`opening`]: the same for the start of a session. `session_lessons`: the lessons for it, which a call tells where they
//!   came into force while the session ran.
//! - `unchanged`: what an edit leaves as it was is no reason to refuse it. `advice`: whether advice may be given at all.
//! - [`inspection`]: what the result of a call gets that gives orders; [`warning`]: what the model is told of it.
//! - [`claims`]: what was told before, as files that only one process can create. [`compaction`]: what of it is forgotten.
//! - [`approval`]: commands that decide about lessons, and who may run them.
//! - [`events`]: what is recorded of an answer.
//!
//! Invariants: the answer depends on the call, the index and the claims alone; a claim is made last, when its lesson is
//! about to be printed; nothing is refused for a reason that the index in force does not hold.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

mod advice;
pub mod agent_opening;
pub mod answer;
pub mod approval;
pub mod claims;
pub mod compaction;
pub mod events;
pub mod inspection;
pub mod opening;
mod session_lessons;
mod unchanged;
pub mod warning;

pub use answer::{Advice, Decision, Situation};
pub use approval::GuardedPaths;
pub use claims::{Claim, Fresh, Memory, SessionClaims, SessionFiles, SessionFolder, session_hash};
pub use events::{Event, Outcome};
pub use inspection::{Inspection, Measure, Owner, Suspicion};
pub use opening::Source;
