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
//! - [`words`]: the words of a text, and which of them are stop words.
//! - [`compiled`], [`index`]: compiled lessons wherever they are kept, and laid out to be used in place.
//! - [`home`], [`events`]: the few files that a hook touches.
//! - [`recall`]: which lessons concern a file, a command or a topic of work.
//! - [`validate`]: what a lesson must be to be compiled.
//!
//! This crate never opens a database, never starts a process, never reads the clock or the
//! environment unless the caller hands them in.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod answer;
pub mod approval;
pub mod automaton;
pub mod call;
pub mod claims;
pub mod clock;
pub mod compiled;
pub mod content;
pub mod digest;
pub mod disk;
pub mod events;
pub mod files;
pub mod find;
pub mod flags;
pub mod home;
pub mod id;
pub mod index;
pub mod json;
pub mod keyword;
pub mod lesson;
pub mod manifest;
pub mod matched;
pub mod matching;
pub mod neutral;
pub mod opening;
pub mod path;
pub mod pattern;
pub mod payload;
pub mod prepared;
pub mod project;
pub mod protocol;
pub mod recall;
pub mod render;
pub mod reply;
pub mod shell;
pub mod spot;
pub mod tracer;
pub mod trigger;
pub mod validate;
pub mod views;
pub mod wording;
pub mod words;
