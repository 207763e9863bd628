//! Deciding about candidates.
//!
//! - [`decision`]: what a person decides about one candidate.
//! - [`carry_out`]: carrying decisions out, all of them or none. The single verbs, a file of decisions and the
//!   screen come together here.
//! - [`promotion`]: the lesson that a candidate proposes. [`merging`]: what it adds to one that is there.
//! - [`batch`]: a file of decisions, and what it comes to in a line that a person can agree to.
//! - [`screen`]: the screen.
//! - [`candidate_details`]: everything that a reviewer needs to know of a candidate. [`nearest`]: the lessons most like it.

pub mod batch;
pub mod candidate_details;
pub mod carry_out;
pub mod decision;
pub mod merging;
pub mod nearest;
pub mod promotion;
pub mod screen;
