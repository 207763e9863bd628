//! What is compared with incidents: lessons, files with instructions for the agent, and what verbs record.
//!
//! [`check`]: what a text or a lesson is like, by what a person decided about incidents. [`memory`]: the same for files with
//! instructions, and which of them changed. [`contradiction`]: rules that contradict each other, and the commands that a text
//! names. [`record`]: what verbs record, and what is published of it for hooks.
//!
//! It never prints, asks or parses arguments, and it stops nothing: that is the hook's.

pub mod check;
pub mod contradiction;
pub mod memory;
pub mod record;
