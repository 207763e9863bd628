//! The numbers for each lesson and for all of them, made of the rows of the join.
//!
//! - [`summary`]: the numbers, as `lessons effect` and the page show them; [`from_rows`] makes them of the rows, with the models in use
//!   and the retired lessons whose mistake came again.
//! - [`comparison`]: sessions that were told against those that were left out by lot; `answer`: what that says of all lessons.
//! - `verdict`: the rules for what can be said of a lesson, and for the change that is proposed.

pub mod answer;
pub mod comparison;
pub mod from_rows;
pub mod summary;
mod verdict;
