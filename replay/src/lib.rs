//! Trying a lesson on the past: what it would have done at every tool call of the sessions on disk.
//!
//! In reading order:
//!
//! - [`history`]: every call that the transcripts hold, as the hook would have been given it. Reading is the
//!   slow part, so it is done once, on all cores, and is watched: whoever waits can show the first hits.
//! - [`log`]: the calls of one transcript, in little memory.
//! - [`trial`]: a lesson made ready to be tried; [`trial::Trial::count`] is cheap enough for a number that
//!   changes while somebody types.
//! - [`outcome`]: one call tried.
//! - [`report`]: a whole history tried, in numbers and examples.
//! - [`group`]: which calls are the same call, and what of a call may be kept.
//! - [`proof`]: whether enough of the past was looked at to let a lesson refuse calls.
//!
//! # How it is used
//!
//! ```no_run
//! use lessons_core::manifest::Manifest;
//! use lessons_core::payload::Contents;
//! use lessons_replay::history::History;
//! use lessons_replay::report::Replay;
//! use lessons_replay::trial::{Around, Trial};
//!
//! /// `alone` holds the lesson and nothing else, `in_force` the others.
//! fn how_often(alone: Manifest, in_force: Manifest) -> Result<String, lessons_replay::trial::NotOne> {
//!     let history = History::read(&["/home/me/.claude/projects".into()], Contents::Keep, &());
//!     let trial = Trial::new(alone)?.among(in_force);
//!     let around = Around { home: "/home/me/.local/share/lessons", user_home: Some("/home/me"), now: 0 };
//!     let replay = Replay::of(&trial, &history, &around);
//!     Ok(format!("{} of {} calls", replay.fired.calls, replay.looked_at.calls))
//! }
//! ```
//!
//! Invariants: what a call gets is decided by [`lessons_core::answer::answer`] and nothing else, with a fresh
//! session for every call, so a replay cannot disagree with the hook. Nothing is written, and no text leaves
//! here before its secrets are out ([`group::sample`]).
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod call_log;
pub mod group;
pub mod history;
mod log_reader;
pub mod outcome;
pub mod proof;
pub mod report;
pub mod trial;
