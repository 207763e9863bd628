//! Decisions about candidates.
//!
//! - [`decision`]: a person's decision about one candidate.
//! - [`carry_out`]: carries decisions out, all of them or none, for the single verbs, a file of decisions and the screen.
//! - [`promotion`]: the lesson that a candidate proposes, and merging it into an existing lesson.
//! - [`nearest`]: the most similar lessons, and what of a text counts as likeness.

pub mod carry_out;
pub mod decision;
pub mod nearest;
pub mod promotion;
