//! Sessions that were made for it, joined with what hooks did in them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

mod at_calls;
mod at_start;
#[path = "../../../../replay/tests/made/transcripts.rs"]
mod scene;
