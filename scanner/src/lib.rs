//! The scanner: it reads the transcripts of sessions and makes candidates for lessons of them.
//!
//! In reading order:
//!
//! - [`transcript`]: the transcripts on disk, which of them changed, their new part in bounded memory, and what a line says.
//! - [`tag`]: the grammar in which a model writes a lesson down, the triggers that a tag gets, and their trial.
//! - [`detect`]: mistakes that no tag reports, and which of them become candidates.
//! - [`digest`]: what happened in the sessions, short enough for a model to read.
//! - [`echo`]: whether a text only repeats what the model had read.
//! - [`lessons_file`]: files of lessons that people, agents and other tools keep; `lesson_entries`: how their entries are written.
//! - [`incidents`]: results of tools that give the agent orders.
//! - [`run`]: the scan of one session and of all, on all cores, and repeated scans while sessions run.
//!
//! The scanner never does any of this: change a transcript, follow a link below a root, start a process, use the
//! network, or store a text before its secrets are out. A candidate waits for a person; nothing here
//! makes a lesson.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod detect;
pub mod digest;
pub mod echo;
pub mod incidents;
mod lesson_entries;
pub mod lessons_file;
pub mod run;
pub mod tag;
pub mod transcript;
