//! What a call and the start of a session get, told case by case.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod answer;
mod failures;
mod late;
mod opening;
mod outcomes;
mod program;
mod setting;
