//! The effect of lessons: what followed in past sessions, joined with what the hooks did there.
//!
//! In reading order:
//!
//! - [`episodes`]: what followed in a session in which a lesson came up, as rows of the database.
//! - [`join`]: the episodes of the sessions of this machine.
//! - [`statistics`]: the numbers for each lesson and for all of them, and what they say of it.
//! - [`page`]: the same as one HTML page.
//!
//! Invariants: only numbers and hashes are kept, never a command, a path or a text. Rows can be made again as long as the
//! transcripts are there. Nothing here reads a clock or prints.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod episodes;
pub mod join;
pub mod page;
pub mod statistics;

pub use episodes::Arm;
pub use join::lessons::Measure;
pub use statistics::comparison::TwoArms;
pub use statistics::summary::{ClientEffect, LessonEffect, Summary, Verdict};
