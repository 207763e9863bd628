//! Reflection: a model reads what happened in the sessions of a project, and a person decides about the lessons that it writes.
//!
//! - [`next`]: which reading is the next one of a project. [`instruction`]: what its reader is told.
//! - `answer` reads what comes back; `trial` tries each lesson of it; `candidate` is what it becomes; [`take`] does all of
//!   that and closes the reading. [`unread`]: what a person writes a lesson from by hand.
//! - [`reader`]: a program that reads, and [`night`]: readings without a person.

mod answer;
mod candidate;
mod instruction;
pub mod next;
pub mod night;
pub mod reader;
pub mod take;
mod trial;
pub mod unread;

pub use instruction::instruction;
