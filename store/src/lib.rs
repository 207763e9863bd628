//! Where reviewed lessons, candidates, settings and trust are kept.
//!
//! In reading order:
//!
//! - [`graph`]: the format of `lessons.json`.
//! - [`problem`]: what is wrong with a store, in words for the person who mends it.
//! - [`config`]: settings.

pub mod config;
pub mod graph;
pub mod problem;
