//! The store: `lessons.json`, the settings, and what a person has decided, all of them plain files.
//!
//! In reading order:
//!
//! - [`graph`]: the format of `lessons.json`; [`graph::problem`]: what is wrong with one; [`load`]: the
//!   stores that are read and changed, the user's own and a project's.
//! - [`decisions`]: the file of everything that a person has decided. Its parts: [`accepted`], copies of lessons and settings;
//!   [`decisions::trust`], project stores as the user has approved them; [`decisions::peers`], the keys whose shared lessons are wanted;
//!   [`decisions::received`], what came from them; [`decisions::incidents`], what was decided about incidents.
//! - [`shared_folder`]: the folder in which shared lessons travel, and the person's own key that signs them.
//! - [`config`]: the settings.
//! - [`durable`]: the only place that writes files; [`durable::crash`]: the points at which tests kill a program;
//!   [`durable::lock`]: one writer at a time; [`durable::mapped`]: published files, mapped into memory.
//! - [`capture`]: recording a lesson; [`curate`]: keeping a graph in order; [`validate`]: what is wrong or doubtful in a
//!   graph; [`likeness`]: whether two texts say nearly the same.
//! - [`import`]: lessons of other tools; [`interchange`]: lessons graphs, for other tools and from them.
//! - [`telemetry`]: counts of questions and captures. [`night_reports`]: what nightly runs left for a person to read.
//!
//! The crate above, `lessons-ledger`, has the database, and carries out every change of these files.
//!
//! Invariants. `lessons.json` alone decides which lessons exist. Nothing is written in place. A file of an unknown
//! version is left alone. What a project brings along counts only as a person has approved it. Nothing here reads a
//! clock, the environment or the network.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod accepted;
pub mod capture;
pub mod config;
pub mod curate;
pub mod decisions;
mod decisions_file;
pub mod durable;
pub mod graph;
pub mod import;
pub mod interchange;
pub mod likeness;
pub mod load;
pub mod night_reports;
pub mod shared_folder;
pub mod telemetry;
pub mod validate;

pub use accepted::{Accepted, LessonChange, Unaccepted};
pub use capture::Warning;
pub use config::{Config, ConfigError, ConfigFile};
pub use curate::Pruned;
pub use decisions::incidents::{
    DecidedIncidents, Incident, IncidentDecision, IncidentDetails, IncidentEntry,
};
pub use decisions::peers::{Peer, PeerName, PeerTrust, Peers};
pub use decisions::received::Received;
pub use decisions::trust::{Approved, Preview, Refusals, TrustError, TrustList, TrustedStore};
pub use decisions::{Decisions, DecisionsError};
pub use durable::WriteError;
pub use durable::lock::Lock;
pub use graph::problem::{Node, NodeKind, Problem};
pub use graph::{Graph, Origin, Snapshot, UnreadableGraph};
pub use likeness::Likeness;
pub use load::{LoadError, ProjectRoot, StoreLocation};
pub use telemetry::{NewParts, Recall, Row};
pub use validate::Files;
