//! The numbers for each lesson and for all of them, made of the rows of the join.
//!
//! - [`summary`]: the numbers, as `lessons effect` and the page show them; [`from_rows`] makes them of the rows.
//! - [`comparison`]: sessions that were told against those that were left out by lot; `answer`: what that says of all lessons.
//! - `newest_model`: the model that counts for what is no longer needed.
//! - [`verdict`]: what can be said of a lesson, and the change that is proposed; `judgment`: the rules.

pub mod answer;
pub mod comparison;
pub mod from_rows;
mod judgment;
mod newest_model;
pub mod summary;
pub mod verdict;
