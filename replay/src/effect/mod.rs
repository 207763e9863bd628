//! The effect of lessons: what followed in past sessions, joined with what the hooks did there.
//!
//! In reading order:
//!
//! - [`measure`]: the outcome by which a lesson is measured. [`lessons`]: the lessons in force, and their revisions.
//! - `thread`, `calls`: a session as the join needs it. `price`: what texts and requests cost.
//! - `hook_acts`: what hooks did in a session. `join`: the episode of a lesson in it; `at_start`: that of a lesson that is told
//!   when a session starts. `session_files`, [`joiner`]: all sessions that are due.
//! - [`reach`]: the calls that went wrong, one by one.
//! - [`conduct`]: what a model did after a refusal, and untold. [`tally`], [`statistics`]: counts of sessions, the fewest of which anything is said, and bounds of shares.
//! - `models`: which model is the newest. [`verdict`]: what the numbers say of a lesson, and the change that they propose.
//! - [`summary`]: the numbers for each lesson and for all of them, as `lessons effect` and the page show them; [`summing`] makes
//!   them of the rows.

mod at_start;
mod calls;
pub mod conduct;
mod hook_acts;
mod join;
pub mod joiner;
pub mod lessons;
pub mod measure;
mod models;
mod price;
pub mod reach;
mod session_files;
pub mod statistics;
pub mod summary;
pub mod summing;
pub mod tally;
mod thread;
pub mod verdict;
