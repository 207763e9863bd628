//! The effect of lessons: what followed in past sessions, joined with what the hooks did there.
//!
//! - [`measure`]: the outcome by which a lesson is measured.
//! - [`tally`]: a count of sessions, and the fewest of which anything is said.
//! - [`summary`]: the numbers for each lesson and for all of them, as `lessons effect` and the page show them.
//! - [`verdict`]: what the numbers say of a lesson, and the change that they propose.

pub mod measure;
pub mod summary;
pub mod tally;
pub mod verdict;
