//! The join: sessions, and what hooks did in them.
//!
//! In reading order:
//!
//! - [`lessons`]: the lessons in force, their revisions, and the outcome by which each is measured.
//! - [`session_files`], [`calls`]: a session as the join needs it. `price`: what texts and requests cost.
//! - `hook_acts`: what hooks did in a session. `session_episodes`: the episode of a lesson in it. [`joiner`]: all sessions that
//!   are due.

pub mod calls;
mod hook_acts;
pub mod joiner;
pub mod lessons;
mod price;
mod session_episodes;
pub mod session_files;
