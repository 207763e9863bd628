//! Decisions about candidates.
//!
//! - [`decision`]: a person's decision about one candidate.
//! - [`carry_out`]: carries decisions out, all of them or none, for the single verbs, a file of decisions and the screen.
//! - [`tried_candidates`]: the trial of candidates on past calls, before they are shown.
//! - [`promotion`]: the lesson that a candidate proposes. [`merging`]: merging it into an existing lesson.
//! - [`batch`]: a file of decisions, and the line that a person agrees to.
//! - [`screen`]: the screen of `lessons review`.
//! - [`candidate_details`]: the details that a reviewer needs. [`nearest`]: the most similar lessons.

pub mod batch;
pub mod candidate_details;
pub mod carry_out;
pub mod decision;
pub mod merging;
pub mod nearest;
pub mod promotion;
pub mod screen;
pub mod tried_candidates;
