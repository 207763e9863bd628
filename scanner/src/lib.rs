//! From the transcripts of sessions to candidates for lessons.
//!
//! In reading order:
//!
//! - [`line`]: the lines of a file that can matter, in bounded memory.
//! - [`tag`]: the grammar of what a model writes down.
//! - [`trigger`]: the triggers that a tag proposes.

pub mod line;
pub mod tag;
pub mod trigger;
