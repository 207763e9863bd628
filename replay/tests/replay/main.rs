//! Lessons tried on histories that were made for it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

mod counting;
mod history;
mod scene;
#[path = "../made/transcripts.rs"]
mod transcripts;
