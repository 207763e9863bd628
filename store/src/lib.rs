//! Where reviewed lessons, candidates, settings and trust are kept.
//!
//! In reading order:
//!
//! - [`graph`]: the format of `lessons.json`.
//! - [`problem`]: what is wrong with a store, in words for the person who mends it.
//! - [`config`], the settings.
//! - [`database`]: `lessons.db`; in it [`candidates`], [`recording`], [`cursors`] and [`projects`].
//! - [`crash`]: how tests kill a program at each of its writes.

pub mod candidates;
pub mod config;
pub mod crash;
pub mod cursors;
pub mod database;
pub mod graph;
pub mod problem;
pub mod projects;
pub mod recording;
