//! Stores of any size to measure with.
//!
//! - [`generator`]: lessons made from the built-in ones, the same for the same recipe.
//! - [`stores`]: these lessons in a home, accepted.
//! - [`variation`] and [`words`]: how a pattern becomes another one, with a word that no other lesson has.
//!
//! What measures are the benches of this package: `hook`, which `cargo xtask bench` and `cargo xtask gates` run, `programs`
//! and `parts`. It is a package of its own, and not a part of `xtask`, because it uses our other crates, and `cargo xtask
//! install` should not wait for them to compile.
#![allow(clippy::disallowed_methods, reason = "what it writes is measured, not kept")]

pub mod generator;
pub mod stores;
pub mod variation;
pub mod words;

mod sketches;
