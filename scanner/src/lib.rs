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
//! - `scanner`, [`beside`], `beginning`, `projects`: what is new in a session.
//! - [`scan`], [`report`], [`lock`], [`budget`], `relay`, `progress`, [`cores`]: one scan, and what it did.
//! - [`follow`]: one scan after the other while sessions run.
//!
//! What it never does: change a transcript, follow a link below a root, start a process, use the
//! network, or store a text before its secrets are out. What is captured waits for a person; nothing
//! here makes a lesson.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod budget;
mod changed_sessions;
pub mod cores;
pub mod detect;
pub mod echo;
mod echo_check;
mod file_version;
pub mod finding;
pub mod follow;
mod gather;
pub mod line;
pub mod lock;
mod progress;
mod projects;
pub mod propose;
pub mod redact;
mod reorder_queue;
pub mod report;
mod resume;
pub mod roots;
pub mod scan;
pub mod session_facts;
mod session_scan;
pub mod tag;
mod tag_lines;
pub mod timestamp;
pub mod transcript;
pub mod trigger;
pub mod walk;
