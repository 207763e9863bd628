//! From reviewed lessons to what the hooks read.
//!
//! - [`layers`]: what goes in: the user's store, trusted project stores, the seeds.
//! - [`seeds`]: the lessons that ship with the program.
//! - [`single`]: one lesson made ready.
//! - [`compile`]: lessons to a manifest; one that cannot be compiled is left out by name.
//! - [`patterns`]: what is known of patterns, so that each is worked out once.
//! - [`index`]: the manifest as an index, for hooks; [`summed`]: how so large a file is written.
//! - [`examples`]: a lesson's own tests, run on what was compiled.
//! - [`report`]: what was built, what was left out, and why.
//!
//! Invariants: compiling is pure and deterministic, and one bad lesson never keeps another out.
//! Who may read or write files is not decided here: the caller loads inside the store's lock, and
//! publishes there.

pub mod compile;
pub mod examples;
mod globs;
pub mod index;
pub mod layers;
pub mod patterns;
pub mod report;
pub mod seeds;
pub mod single;
pub mod summed;
