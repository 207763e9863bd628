//! Reviewing candidates: what is shown of them, and how decisions about them are given.
//!
//! - [`candidate_details`]: the details that a reviewer needs. [`screen`]: the screen of `lessons review`.

pub mod candidate_details;
pub mod screen;

/// A decision about a candidate, with the fields of the command line.
pub(crate) type Decision = lessons_review::candidates::decision::Decision<crate::args::Fields>;
