//! Decisions about candidates.
//!
//! - [`decision`]: a person's decision about one candidate.
//! - [`carry_out`]: carries decisions out, all of them or none, for the single verbs, a file of decisions and the screen.
//! - [`breadth`]: the trial of candidates on past calls, before they are shown.
//! - [`promotion`]: the lesson that a candidate proposes. [`merging`]: merging it into an existing lesson.
//! - [`nearest`]: the most similar lessons.

pub mod breadth;
pub mod carry_out;
pub mod decision;
pub mod merging;
pub mod nearest;
pub mod promotion;
