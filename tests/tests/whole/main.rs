//! The whole system where it is hard: many at once, nobody watching, and killed at any moment.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

mod agreeing;
mod explaining;
mod following;
mod frozen;
mod installing;
mod killed;
mod reaching;
mod together;
mod unattended;
