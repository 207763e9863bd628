//! What is compared with incidents: lessons, files with instructions for the agent, and what verbs record.
//!
//! [`state`]: what a person decided about incidents. [`check`]: what a text or a lesson is like. [`memory`]: the same for files
//! with instructions; [`memory_look`]: which of them changed. [`contradiction`], [`refused_advice`]: rules that contradict each other;
//! [`code_spans`]: the commands that a text names.
//! [`record`]: what verbs record. [`publish`]: the index that hooks read. [`notices`]: what the person is asked at a session's start.
//!
//! It never prints, asks or parses arguments, and it stops nothing: that is the hook's.

pub mod check;
pub mod code_spans;
pub mod contradiction;
pub mod memory;
pub mod memory_look;
pub mod notices;
pub mod publish;
pub mod record;
pub mod refused_advice;
pub mod state;
