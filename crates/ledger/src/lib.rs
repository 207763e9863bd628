//! The database `lessons.db`, and every change that the journal in it records.
//!
//! In reading order:
//!
//! - [`database`]: the file and its migrations; [`database::columns`]: a row as a value. [`error`]: what can go wrong.
//! - [`candidates`]: what was found, who found it, and how far it can be trusted. [`projects`]: where.
//! - [`recording`] takes in what scans, agents, models and persons find; [`events`], what the hooks and peers did.
//!   [`notice`]: what a command leaves for the next session start.
//! - [`journal`]: what was changed, by whom, and what it was before.
//! - [`transaction`]: every change of `lessons.json`, and recovery from a process that died in one.
//! - [`decisions`]: every change of `decisions.json`, which file counts, and how one is made of a home of the version
//!   before. [`incidents`]: texts that were dangerous once.
//! - [`undo`]: taking a change back.
//! - [`forget`]: removing a text from every file and table. [`backup`]: copies of store and database.
//!
//! Invariants. The database never decides which lessons exist: it can be lost, and scanning brings the candidates back.
//! A change of a file is announced in the journal before the file is written, and marked afterwards. A change of rows
//! and its journal rows are one database transaction. Whoever needs both takes the lock of the store first, then the
//! database. Nothing here reads a clock, the environment or the network.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod backup;
pub mod candidates;
pub mod database;
pub mod decisions;
pub mod error;
pub mod events;
pub mod forget;
pub mod incidents;
pub mod journal;
pub mod notice;
pub mod projects;
pub mod recording;
#[cfg(test)]
mod scratch;
pub mod transaction;
pub mod undo;

pub use candidates::{
    Candidate, CandidateStatus, Doubt, Finding, Insight, Proposal, Reach, Reason, Sighting,
};
pub use database::{Database, DatabaseError};
pub use error::LedgerError;
pub use events::Counts;
pub use events::fired::FiredEvent;
pub use events::shared::EventOutcome;
pub use incidents::KnownIncident;
pub use journal::{Deed, ThingKind};
pub use projects::ProjectKey;
pub use recording::Recorded;
pub use recording::cursors::Cursors;
pub use recording::reflection::ReflectedFinding;
pub use recording::signals::Signal;
pub use undo::UndoError;
