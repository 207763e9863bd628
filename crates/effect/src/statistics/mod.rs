//! The numbers for each lesson and for all of them, made of the rows of the join.
//!
//! - [`conduct`]: what a model did after a refusal, and untold. `models`: which model is the newest.
//! - [`verdict`]: what the numbers say of a lesson, and the change that they propose.
//! - [`summary`]: the numbers, as `lessons effect` and the page show them; [`summing`] makes them of the rows.

pub mod conduct;
mod models;
pub mod summary;
pub mod summing;
pub mod verdict;
