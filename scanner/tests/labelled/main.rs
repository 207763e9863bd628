//! The labelled sessions: what a scan should find in them, and what it should not.
//!
//! `tune/` is what the detectors were made with. `held/` is of other people with other tools; nobody
//! looked at it while they were made. Each holds sessions written around a mistake, sessions of
//! ordinary work, and days that repeat themselves. No script names a detector. `hard/` came afterwards, and
//! was written against the detectors.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]

mod aims;
mod measure;
mod render;
mod script;
mod shapes;
mod trial;
