//! The command line: what a person types, and the scanner's detached form.
//!
//! - [`args`]: what can be typed.
//! - [`completions`]: what can be typed, for shells and for `man`.
//! - [`app`]: what every verb is given.
//! - [`verbs`]: one file a verb.
//! - [`fields`]: from flags to a lesson.
//! - [`cleaning`]: what is taken out of a typed lesson before it is stored; `evidence`: the reasons that are.
//! - [`lint`]: whether it is worth having.
//! - `recalling`: what can be recalled in a project. `usage_counts`: how often it is, where the user wants that.
//! - [`project_files`]: the files of a project.
//! - [`review`]: deciding about candidates.
//! - [`messages`]: what a verb says when it is done, and JSON that is safe to show.
//! - [`building`]: bringing a change into force. [`forgetting`]: taking a text out of everything.
//! - [`trials`]: lessons tried on the sessions of this machine. [`proof`]: what a lesson needs to refuse calls.
//!   `explain`: why a call gets what it gets.
//! - [`doctor`]: what is wrong on this machine, and what mends it.
//! - [`background`]: what runs without a person. [`nightly`]: what is done every night; [`schedule`]: how a
//!   machine comes to do it.
//!
//! Invariants: a verb that changes anything passes [`app::App::permit_change`] first; every answer
//! has a form for people and one for programs, an error too (`{"error": …}` on standard output);
//! recorded text that an agent reads is neutral and fenced; nothing here decides what a call gets.

pub mod app;
pub mod args;
pub mod background;
pub mod building;
pub(crate) mod change;
pub mod cleaning;
pub mod completions;
pub mod doctor;
mod evidence;
pub(crate) mod explain;
pub mod fields;
pub mod forgetting;
pub mod in_force;
mod json_input;
pub mod lint;
pub mod lookup;
pub mod messages;
pub mod nightly;
pub mod project_files;
pub mod project_names;
pub mod proof;
pub mod publishing;
pub mod repair;
pub mod review;
pub mod schedule;
pub mod trials;
mod usage_counts;
pub mod verbs;
