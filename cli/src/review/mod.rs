//! Reviewing candidates: what is shown of them, and how decisions about them are given.
//!
//! - [`batch`]: a file of decisions. [`screen`]: the screen of `lessons review`.
//! - [`candidate_details`]: the details that a reviewer needs.

pub mod batch;
pub mod candidate_details;
pub mod screen;

/// A decision about a candidate, with the fields of the command line.
pub(crate) type Decision = lessons_review::candidates::decision::Decision<crate::args::Fields>;
