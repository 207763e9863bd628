//! The tests of the benches, which stand beside their code: a bench has none of its own.
#![cfg(target_os = "linux")]
#![allow(dead_code, reason = "a test calls parts of it")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "as in the benches")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "as in the benches")]

#[path = "../benches/hook/harness/mod.rs"]
mod harness;
#[path = "../benches/programs/transcripts/mod.rs"]
mod transcripts;
