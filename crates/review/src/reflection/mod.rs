//! Reflection: a model reads what happened in the sessions of a project, and a person decides about the lessons that it writes.
//!
//! - [`next`]: which reading is the next one of a project, what its reader is told, and what a person writes a lesson from by
//!   hand.
//! - `answer` reads what comes back; `trial` tries each lesson of it; `candidate` is what it becomes; [`take`] does all of that and
//!   closes the reading.
//! - [`reader`]: a program that reads, and [`night`]: readings without a person.

mod answer;
mod candidate;
pub mod next;
pub mod night;
pub mod reader;
pub mod take;
mod trial;

pub use next::instruction;
