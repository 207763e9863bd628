//! The join: sessions, and what hooks did in them.
//!
//! In reading order:
//!
//! - [`measure`]: the outcome by which a lesson is measured. [`lessons`]: the lessons in force, and their revisions.
//! - `thread`, `calls`: a session as the join needs it. `price`: what texts and requests cost.
//! - `hook_acts`: what hooks did in a session. `at_calls`: the episode of a lesson in it; `at_start`: that of a lesson that is
//!   told when a session starts. `session_files`, [`joiner`]: all sessions that are due.
//! - [`reach`]: the calls that went wrong, one by one.

mod at_calls;
mod at_start;
mod calls;
mod hook_acts;
pub mod joiner;
pub mod lessons;
pub mod measure;
mod price;
pub mod reach;
mod session_files;
mod thread;
