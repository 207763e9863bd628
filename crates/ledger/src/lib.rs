//! The database `lessons.db`, and every change that the journal in it records.
//!
//! In reading order:
//!
//! - [`database`]: the file and its migrations; [`columns`]: a row as a value. [`error`]: what can go wrong.
//! - [`candidates`], [`projects`], [`cursors`], [`signals`]: what the tables hold; [`detector`]: who found it. [`recording`] takes in
//!   what scans, agents and persons find; [`events`] takes in what the hooks did, and [`fired`] reads it one by one.
//!   [`notice`]: what a command leaves for the next session start.
//! - [`candidate_trust`]: how far a candidate can be trusted.
//! - [`journal`]: what was changed, by whom, and what it was before.
//! - [`transaction`]: every change of `lessons.json`, and recovery from a process that died in one. `follow` takes the
//!   same change over into the accepted copies.
//! - [`decisions`]: every change of `decisions.json`. `check` says which file counts; `takeover` makes it of a home of the
//!   version before.
//! - [`accepting`], [`setting_changes`]: what accepting and settings need besides.
//!   [`incidents`]: texts that were dangerous once. [`shared_events`]: the events of peers that were looked at;
//!   [`shared_files`]: the files of one's own.
//! - [`reflection`]: the candidates that a model proposes when a person asks it to.
//! - [`undo`]: taking a change back.
//! - [`forget`]: removing a text from every file and table. [`backup`]: copies of store and database.
//!
//! Invariants. The database never decides which lessons exist: it can be lost, and scanning brings the candidates back.
//! A change of a file is announced in the journal before the file is written, and marked afterwards. A change of rows
//! and its journal rows are one database transaction. Whoever needs both takes the lock of the store first, then the
//! database. Nothing here reads a clock, the environment or the network.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod accepting;
pub mod backup;
pub mod candidate_trust;
pub mod candidates;
mod check;
pub mod columns;
mod current;
pub mod cursors;
pub mod database;
pub mod decisions;
pub mod detector;
pub mod digest;
mod entries;
pub mod error;
pub mod events;
pub mod fired;
mod follow;
pub mod forget;
pub mod incidents;
pub mod journal;
pub mod notice;
pub mod projects;
pub mod recording;
pub mod reflection;
mod row_changes;
#[cfg(test)]
mod scratch;
pub mod setting_changes;
pub mod shared_events;
pub mod shared_files;
mod sightings;
pub mod signals;
mod takeover;
pub mod transaction;
pub mod undo;

pub use candidates::{
    Candidate, CandidateStatus, Doubt, Finding, Insight, Proposal, Reach, Reason, Sighting,
};
pub use cursors::Cursors;
pub use database::{Database, DatabaseError};
pub use error::LedgerError;
pub use events::Counts;
pub use fired::FiredEvent;
pub use incidents::KnownIncident;
pub use journal::{Deed, ThingKind};
pub use projects::ProjectKey;
pub use recording::Recorded;
pub use reflection::ReflectedFinding;
pub use shared_events::EventOutcome;
pub use signals::Signal;
pub use undo::UndoError;
