//! From the transcripts of sessions to candidates for lessons.
//!
//! In reading order:
//!
//! - [`line`]: the lines of a file that can matter, in bounded memory.
//! - [`transcript`]: what such a line says.
//! - [`tag`]: the grammar of what a model writes down.
//! - [`redact`]: secrets out of a text, before anything is stored.
//! - [`trigger`]: the triggers that a tag proposes.

pub mod line;
pub mod redact;
pub mod tag;
pub mod transcript;
pub mod trigger;
