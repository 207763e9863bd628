//! What a lesson is, and which lessons a tool call gets.
//!
//! Everything that decides stands here, and nothing else does: the hook, `replay`, `explain` and
//! `test` all call [`answer::answer`], so they cannot disagree.
//!
//! In reading order:
//!
//! - [`id`], [`trigger`], [`lesson`]: the nouns.
//! - [`pattern`]: from a pattern as a person wrote it to something that matches in linear time.
//! - [`automaton`]: the same, from bytes that were made before.
//! - [`keyword`], [`prepared`]: words that are looked for, and what is worked out of a trigger of any kind.
//! - [`payload`], [`shell`], [`project`]: a tool call, what it would run, and where.
//! - [`manifest`], [`matching`]: the compiled lessons, and which of them a call matches.
//! - [`neutral`], [`render`], [`protocol`]: the text that reaches the model.
//! - [`claims`], [`approval`], [`answer`]: what was told before, what only a person may do, and
//!   the decision.
//! - [`witness`]: watching how a decision comes about.
//! - [`wording`]: how a number is said.
//! - [`compiled`], [`index`]: compiled lessons wherever they are kept, and laid out to be used in place.
//! - [`home`], [`events`]: the few files that a hook touches.
//! - [`recall`]: which lessons concern a file, a command or a topic of work.
//! - [`validate`]: what a lesson must be to be compiled.
//!
//! Without the feature `std` there is only what the hook before a tool call needs.
//!
//! This crate never opens a database, never starts a process, never reads the clock or the
//! environment unless the caller hands them in.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

extern crate alloc;

pub mod answer;
pub mod approval;
pub mod automaton;
pub mod call;
pub mod claims;
pub mod compiled;
pub mod content;
pub mod digest;
#[cfg(feature = "std")]
pub mod disk;
pub mod events;
#[cfg(feature = "std")]
pub mod files;
#[cfg(feature = "std")]
pub mod flags;
#[cfg(feature = "std")]
pub mod home;
pub mod id;
pub mod index;
pub mod json;
pub mod keyword;
pub mod lesson;
#[cfg(feature = "std")]
pub mod manifest;
pub mod matching;
pub mod neutral;
#[cfg(feature = "std")]
pub mod opening;
pub mod path;
#[cfg(feature = "std")]
pub mod pattern;
pub mod payload;
#[cfg(feature = "std")]
pub mod prepared;
pub mod project;
#[cfg(feature = "std")]
pub mod protocol;
#[cfg(feature = "std")]
pub mod recall;
pub mod render;
pub mod reply;
pub mod shell;
pub mod trigger;
#[cfg(feature = "std")]
pub mod validate;
pub mod witness;
pub mod wording;
