//! The replay of a lesson: what it would have done at every tool call of the sessions on disk.
//!
//! In reading order:
//!
//! - [`history`]: every call of the transcripts, as the hook would have been given it. Reading is the slow part, so it
//!   is done once, on all cores, and reports its progress: a display can show the first hits early.
//! - [`call_log`]: the calls of one transcript.
//! - [`trial`]: a lesson made ready to be tried.
//! - [`outcome`]: the outcome at one call.
//! - `past_machine`: the machine on which past calls were made, as far as it is known.
//! - [`report`]: the replay over a whole history, in numbers and examples.
//! - [`group`]: which calls count as the same call, and which parts of a call may be kept.
//! - [`call_share`]: whether a lesson fires at too many calls to refuse any.
//! - [`proof`]: whether a person has labelled enough hits to let a lesson refuse calls.
//! - [`tally`], [`bounds`]: counts of sessions, the fewest of which anything is said, and bounds of shares.
//! - [`room`]: whether a reminder could help at all, because the call comes again.
//!
//! # How it is used
//!
//! ```no_run
//! use lessons_index::manifest::Manifest;
//! use lessons_lesson::payload::Contents;
//! use lessons_manifest_builder::patterns::Patterns;
//! use lessons_replay::history::History;
//! use lessons_replay::report::Replay;
//! use lessons_replay::trial::{Trial, TrialContext};
//!
//! /// `alone` holds the lesson and nothing else, `in_force` the others.
//! fn how_often(alone: Manifest, in_force: Manifest) -> Result<String, lessons_manifest_builder::index::IndexError> {
//!     let patterns = Patterns::default();
//!     let history = History::read(&["/home/me/.claude/projects".into()], Contents::Keep, &());
//!     let trial = Trial::new(alone, &patterns)?.among(in_force, &patterns)?;
//!     let context = TrialContext { home: "/home/me/.local/share/lessons", user_home: Some("/home/me"), now: 0 };
//!     let replay = Replay::of(&trial, &history, &context);
//!     Ok(format!("{} of {} calls", replay.fired.calls, replay.looked_at.calls))
//! }
//! ```
//!
//! Invariants: [`lessons_decide::answer::answer`] alone decides the answer to a call, with a fresh session for every
//! call, so a replay cannot disagree with the hook. Nothing is written, and no text leaves this crate before its
//! secrets are removed ([`group::sample`]).
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod bounds;
pub mod call_log;
pub mod call_share;
pub mod group;
pub mod history;
pub mod log_reader;
pub mod outcome;
mod past_machine;
pub mod proof;
pub mod report;
pub mod room;
pub mod tally;
pub mod trial;

pub use call_log::{CallOutcome, RecordedCall};
pub use call_share::{CallShare, ONE_IN};
pub use history::{History, ReadingWatcher};
pub use proof::{Labels, Proof};
pub use report::{Group, Replay, Why};
pub use room::Room;
pub use tally::{FEWEST_SESSIONS, Tally};
pub use trial::Trial;
