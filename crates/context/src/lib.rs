//! Who runs a command, on what ground it may decide, and what it proposes to change.
//!
//! In reading order:
//!
//! - [`context`]: the data folder, the actor, the authority and the time: what every command gets.
//! - [`authority`]: the ground on which it may decide. [`person`]: whether a person is shown; [`token`]: a call that a person
//!   approved.
//! - [`proposal`]: what a command would change, in lines for a person; [`lesson_difference`]: a lesson before and after.
//! - [`known_projects`]: projects as a person calls them; [`local_time`]: times as they read them. [`error`]: errors with a stable code. `random`: bytes that nobody can guess.
//!
//! It never prints, asks or parses arguments.

pub mod authority;
pub mod context;
pub mod error;
pub mod known_projects;
pub mod lesson_difference;
pub mod local_time;
pub mod person;
pub mod proposal;
pub mod random;
pub mod token;

pub use authority::{Approved, Authority, Plan};
pub use context::{Actor, Context, DAY, retyped, typed};
pub use error::{Coded, Error, Exit, Refused, Result, WhileDoing, refused, refused_as, sentence};
pub use known_projects::KnownProjects;
pub use lesson_difference::{ChangedLesson, text_of};
pub use local_time::LocalTime;
pub use person::NoPerson;
