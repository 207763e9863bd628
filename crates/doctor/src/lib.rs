//! Findings about an installation. Each names the command that fixes it.
//!
//! In reading order:
//!
//! - [`finding`]: a problem, its severity and its remedy. [`fix`]: what is safe to fix at once.
//! - `examined`: what the checks look at, read once. [`checks`]: all of them, the most severe finding first.
//! - A file for each area: `install`, `client` (what Claude Code does with our hooks), `home` (the data folder and what was
//!   accepted), `published` (manifest and index), `stores`, `conflict` (lessons against each other and against a project's
//!   `CLAUDE.md`), `incidents` (lessons and memory files that are like one), `received` (what peers share), `activity` (hooks,
//!   scans and nightly runs) and `too_broad` (lessons replayed over past sessions).
//!
//! Nothing here decides whether a lesson matches a call: the hook's own code does, through [`lessons_replay::trial`]. It never
//! prints, asks or parses arguments, and a check changes nothing.

mod activity;
pub mod checks;
mod client;
mod conflict;
mod examined;
pub mod finding;
pub mod fix;
mod home;
mod incidents;
mod install;
mod published;
mod received;
mod stores;
mod too_broad;
