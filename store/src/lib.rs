//! Where reviewed lessons, candidates, settings and trust are kept.
//!
//! In reading order:
//!
//! - [`graph`]: the format of `lessons.json`; [`problem`]: what is wrong with one, in words for the
//!   person who mends it; [`load`] reads the user's own.
//! - [`lock`], [`transaction`]: every change of it. [`journal`]: what was changed, by whom and from what;
//!   [`undo`]: taking a change back.
//! - [`accepted`]: copies of what a person has accepted, which builds read; [`accepting`]: taking what was changed by
//!   other means, or putting the store back.
//! - [`durable`]: the only place that writes files; [`crash`]: how tests kill a program at each write.
//!   [`mapped`]: what was published, without memory for it.
//! - [`database`]: `lessons.db`; in it [`candidates`], [`labels`], [`clues`], [`recording`], [`cursors`],
//!   [`events`] and [`projects`].
//! - [`forget`]: taking a text out of all of it. [`backup`]: copies of store and database, a few nights back.
//! - [`capture`]: recording a lesson; [`curate`]: keeping a graph in order.
//! - [`trust`]: project stores that the user has approved, and only as approved.
//! - [`config`], the settings. [`likeness`]: whether two texts say nearly the same.
//! - [`telemetry`]: how often lessons are recalled, and what it comes to.
//! - [`validate`]: everything that is wrong or doubtful in a graph.
//! - [`import`]: lessons of other tools; [`interchange`]: lessons graphs, for them and from them.
//!
//! Another program takes, with an example at each: [`capture`] to record, [`transaction`] to change, [`curate`] to
//! keep in order, [`validate`], [`import`] and [`interchange`] to take over and hand on.
//!
//! Invariants. `lessons.json` alone decides which lessons exist; the database never does. Nothing is
//! written in place. Who needs both takes the lock first, then the database. No change introduces a
//! new error, and an error that is there locks nobody out. Nothing here reads a clock, the environment
//! or the network.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod accepted;
pub mod accepting;
pub mod backup;
pub mod candidates;
pub mod capture;
pub mod clues;
pub mod config;
pub mod crash;
pub mod curate;
pub mod cursors;
pub mod database;
pub mod durable;
pub mod events;
pub mod forget;
pub mod graph;
pub mod import;
mod inside;
pub mod interchange;
pub mod journal;
pub mod labels;
pub mod likeness;
pub mod load;
pub mod lock;
pub mod mapped;
mod pairs;
pub mod present;
pub mod problem;
pub mod projects;
pub mod recording;
pub mod telemetry;
pub mod transaction;
pub mod trust;
pub mod undo;
pub mod validate;
