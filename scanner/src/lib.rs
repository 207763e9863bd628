//! From the transcripts of sessions to candidates for lessons.
//!
//! In reading order:
//!
//! - [`roots`], [`walk`]: which files there are, and which belong to one session.
//! - `stamp`, `news`: which files are as they were, none of them opened.
//! - `resume`, `gather`, `reading`, [`line`]: what is new in a file, in bounded memory.
//! - [`transcript`], [`moment`]: what a line says, and when.
//! - [`tag`]: the grammar of what a model writes down.
//! - [`echo`], `listen`: whether a block was thought of or only repeated.
//! - [`redact`]: secrets out of a text, before anything is stored.
//! - [`finding`], [`trigger`]: from a tag to a candidate, and the triggers that it proposes.
//! - [`detect`], [`propose`]: mistakes that nobody wrote down, and which of them are shown.
//! - `survey`, [`beside`], `beginning`, `projects`: what is new in a session.
//! - [`scan`], [`report`], [`lock`], [`effort`], `relay`, `pace`, [`cores`]: one scan, and what it did.
//! - [`follow`]: one scan after the other while sessions run.
//!
//! What it never does: change a transcript, follow a link below a root, start a process, use the
//! network, or store a text before its secrets are out. What is captured waits for a person; nothing
//! here makes a lesson.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

mod beginning;
pub mod beside;
pub mod cores;
pub mod detect;
pub mod echo;
pub mod effort;
pub mod finding;
pub mod follow;
mod gather;
pub mod line;
mod listen;
pub mod lock;
pub mod moment;
mod news;
mod pace;
mod projects;
pub mod propose;
mod reading;
pub mod redact;
mod relay;
pub mod report;
mod resume;
pub mod roots;
pub mod scan;
mod stamp;
mod survey;
pub mod tag;
pub mod transcript;
pub mod trigger;
pub mod walk;
