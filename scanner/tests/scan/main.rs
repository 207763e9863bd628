//! Whole scans: transcripts on disk in, candidates in the database out.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

mod adversarial;
mod aims;
mod capture;
mod detected;
mod displaced;
mod echo;
mod incremental;
mod notes;
mod pieces;
mod quiet;
mod scratch;
mod switched;
mod wishes;
