//! The scanner: it reads the transcripts of sessions and makes candidates for lessons of them.
//!
//! In reading order:
//!
//! - [`roots`], [`walk`]: the transcripts on disk, by session.
//! - `file_version`, `changed_sessions`: the sessions that changed, found without opening a file.
//! - `resume`, `gather`, `tag_lines`, [`line`]: the new part of a file, in bounded memory.
//! - `raw_json`, [`transcript`], [`timestamp`]: the meaning and the time of a line.
//! - [`tag`]: the grammar in which a model writes a lesson down.
//! - [`echo`], `echo_check`: whether a tag only repeats what the model had read.
//! - [`finding`], [`trigger`], `trial`: the candidate that a tag makes, the triggers that it proposes, and their trial.
//! - [`detect`], [`propose`]: mistakes that no tag reports, and which of them become candidates.
//! - `incidents`: results of tools that give the agent orders; [`tool_results`]: one result, by the id of its call.
//! - `session_scan`, [`session_facts`], `projects`: the scan of one session.
//! - [`scan`], [`report`], [`lock`], [`budget`], `reorder_queue`, `progress`, [`cores`]: one scan of everything.
//! - [`follow`]: repeated scans while sessions run.
//!
//! The scanner never does any of this: change a transcript, follow a link below a root, start a process, use the
//! network, or store a text before its secrets are out. A candidate waits for a person; nothing here
//! makes a lesson.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod detect;
pub mod echo;
pub mod incidents;
pub mod run;
pub mod tag;
pub mod transcript;
