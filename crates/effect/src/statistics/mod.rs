//! The numbers for each lesson and for all of them, made of the rows of the join.
//!
//! - [`summary`]: the numbers, as `lessons effect` and the page show them; [`from_rows`] makes them of the rows.
//! - [`comparison`]: sessions that were told against those that were left out by lot; `answer`: what that says of all lessons.
//! - `models_in_use`: the models that count for what is no longer needed. `watched`: the retired lessons whose mistake came
//!   again.
//! - [`verdict`]: what can be said of a lesson, and the change that is proposed; `judgment`: the rules.

pub mod answer;
pub mod comparison;
pub mod from_rows;
mod judgment;
mod models_in_use;
pub mod summary;
pub mod verdict;
pub mod watched;
