//! The page as a whole: its structure, its colours, and what a browser makes of it.

#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on stops")]

mod browser;
mod colours;
mod rendering;
mod sample;
mod structure;
