//! Reflection: a model reads what happened in the sessions of a project, and a person decides about the lessons that it writes.
//!
//! - [`next`]: which reading is the next one of a project.
//! - [`instruction`]: what the reader is told.
//! - [`trial`]: the trial of a lesson that comes back.

mod instruction;
pub(crate) mod next;
pub(crate) mod trial;

pub(crate) use instruction::instruction;
