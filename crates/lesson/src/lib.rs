//! The nouns: what a lesson is, what a tool call is, and how a lesson is worded for the model.
//!
//! - [`id`], [`lesson`], [`compiled`]: a lesson as people record it, and as it is compiled.
//! - [`conditions`]: on which machines and in which states a lesson holds.
//! - [`validate`], [`flags`]: what a lesson must be to be compiled, and texts that look like an injection.
//! - [`waiting`]: how many candidates wait for a decision.
//! - [`payload`], [`call`], [`project`]: what a client sends about a tool call, and the project in which it is made.
//! - [`advised`]: the commands that a text advises, on which its lesson keeps quiet.
//! - [`placeholders`]: the words of a call that stand for others.
//! - [`hooked`]: the tools at whose calls anything can be told.
//! - [`render`], [`protocol`]: the texts that reach the model. Their bytes are a contract: golden samples stand beside
//!   them.
//!
//! Invariants: a value of a type of this crate is valid, because it is checked where it is made. Payloads and lessons are
//! hostile: reading them is linear in their length and never panics. Only [`project`] asks the disk, through a trait.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod advised;
pub mod call;
pub mod compiled;
pub mod conditions;
mod examples;
pub mod flags;
pub mod hooked;
pub mod id;
pub mod lesson;
pub mod lot;
pub mod payload;
pub mod placeholders;
pub mod project;
pub mod protocol;
pub mod render;
pub mod validate;
pub mod waiting;

pub use call::{Call, FILE_TOOLS, MCP, is_writing_mcp, may_run_commands, tool_name, writes_files};
pub use compiled::{
    AcceptedSource, BuildNotes, Clock, DedupScope, FileState, LateLesson, LostRefusal, News, Settings, Terms,
    Texts, TrustedRoot,
};
pub use conditions::{Conditions, Os, Shell, StateCheck, names_of};
pub use lesson::{DATA_LOSS, FORCED, MAIN, MAX_TEXT_CHARS, Scope, TriggerRole};
pub use lot::{InLot, Lot, Share};
pub use payload::{Contents, Payload, PayloadEnd, PayloadReader};
pub use project::{LESSONS_FILES, ProjectLocation, ProjectRoots, find_roots};
pub use validate::{Flaw, Level, MAX_EXAMPLES, REFUSAL_WITHOUT_EXAMPLE};
pub use waiting::WaitingCount;

pub use id::{KeyPrefix, Layer, LessonId, ProjectHash, QualifiedId, TopicId};
pub use lesson::{
    Confidence, Examples, Label, Lesson, Mode, Priority, Quality, SampleCall, Severity, Status, Subject, When,
};
