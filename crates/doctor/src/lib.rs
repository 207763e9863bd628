//! Findings about an installation. Each names the command that fixes it.
//!
//! In reading order:
//!
//! - [`finding`]: a problem, its severity, its remedy, what is safe to fix at once, and what the checks look
//!   at, read once.
//! - [`checks`]: all of them, the most severe finding first. A file for each area: `install`, `client` (what Claude Code does
//!   with our hooks), `home` (the data folder, what was accepted, manifest and index), `stores` (and what peers share),
//!   `conflict` (lessons against each other, a project's `CLAUDE.md` and past sessions), `incidents` (lessons and memory files
//!   that are like one), `activity` (hooks, scans and nightly runs).
//!
//! Nothing here decides whether a lesson matches a call: the hook's own code does, through [`lessons_replay::trial`]. It never
//! prints, asks or parses arguments, and a check changes nothing.

mod activity;
pub mod checks;
mod client;
mod conflict;
pub mod finding;
mod home;
mod incidents;
mod install;
mod stores;
