//! The manifest builder: it compiles accepted lessons into the manifest and the index that hooks read.
//!
//! In reading order:
//!
//! - [`layers`]: the input of a build: the user's store, trusted project stores and the seeds.
//! - [`seeds`]: the lessons that ship with the program.
//! - [`patterns`]: a cache of prepared patterns, so that each is compiled once.
//! - [`single`]: the compilation of one lesson, independent of other lessons and of this machine.
//! - [`compile`]: the compilation of all lessons into one manifest.
//! - [`untried`]: the triggers that no hook tries, for looking back.
//! - [`examples`]: a lesson's own tests, run on its compiled form.
//! - [`own_advice`]: its trial on the commands that its texts advise.
//! - [`index`]: the index of a manifest.
//! - [`summed`]: the writer of large files with a checksum.
//! - [`report`]: the lessons built, those left out, and why.
//!
//! Invariants: compiling is pure and deterministic. One bad lesson never keeps another out; the report names it. This
//! crate locates no store and takes no lock: its caller loads the lessons and publishes the result under the store's lock.

pub mod compile;
pub mod examples;
pub mod index;
pub mod layers;
pub mod own_advice;
pub mod patterns;
pub mod report;
pub mod seeds;
pub mod single;
pub mod summed;
pub mod untried;

pub use index::LoadedIndex;
pub use patterns::Patterns;
