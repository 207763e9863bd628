//! The command line: what a person types, and the scanner's detached form.
//!
//! - [`args`]: what can be typed.
//! - [`app`]: what every verb is given.
//! - [`verbs`]: one file a verb.
//! - [`fields`]: from flags to a lesson.
//! - [`building`]: bringing a change into force.
//! - [`background`]: what runs without a person.
//!
//! Invariants: a verb that changes anything passes [`app::App::permit_change`] first; every answer
//! has a form for people and one for programs; nothing here decides what a call gets.

pub mod app;
pub mod args;
pub mod background;
pub mod building;
pub mod fields;
pub mod places;
pub mod verbs;
