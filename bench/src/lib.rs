//! Stores and histories of any size to measure with.
//!
//! - [`generator`]: lessons made from the built-in ones, the same for the same recipe.
//! - [`transcripts`]: a history of sessions.
//! - [`variation`] and [`words`]: how a pattern becomes another one, with a word that no other lesson has.
//!
//! The harness of `cargo xtask bench` is this package's program. It is a package of its own, and not
//! a part of `xtask`, because it uses our other crates, and `cargo xtask install` should not wait for
//! them to compile.

pub mod generator;
pub mod transcripts;
pub mod variation;
pub mod words;

mod sketches;
