//! The store: `lessons.json`, the settings, and what a person has decided, all of them plain files.
//!
//! In reading order:
//!
//! - [`graph`]: the format of `lessons.json`; [`problem`]: what is wrong with one; [`load`]: the
//!   stores that are read and changed, the user's own and a project's.
//! - [`decisions`]: the file of everything that a person has decided. Its parts: [`accepted`], copies of lessons and settings;
//!   [`trust`], project stores as the user has approved them; [`peers`], the keys whose shared lessons are wanted;
//!   [`received`], what came from them; [`incidents`], what was decided about incidents.
//! - [`identity`]: the person's own key. [`shared_folder`]: the folder in which shared lessons travel.
//! - [`config`]: the settings.
//! - [`durable`]: the only place that writes files; [`crash`]: the points at which tests kill a program; [`lock`]: one
//!   writer at a time. [`mapped`]: published files, mapped into memory.
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
pub mod crash;
pub mod curate;
pub mod decisions;
mod decisions_file;
pub mod durable;
pub mod graph;
pub mod identity;
pub mod import;
pub mod incidents;
pub mod interchange;
pub mod likeness;
pub mod load;
pub mod lock;
pub mod mapped;
pub mod night_reports;
pub mod peers;
pub mod problem;
pub mod received;
pub mod shared_folder;
pub mod telemetry;
pub mod trust;
pub mod validate;

pub use accepted::{Accepted, LessonChange, Unaccepted};
pub use capture::Warning;
pub use config::{Config, ConfigError, ConfigFile};
pub use curate::Pruned;
pub use decisions::{Decisions, DecisionsError};
pub use durable::WriteError;
pub use graph::{Graph, Origin, Snapshot, UnreadableGraph};
pub use incidents::{DecidedIncidents, Incident, IncidentDecision, IncidentDetails, IncidentEntry};
pub use likeness::Likeness;
pub use load::{LoadError, ProjectRoot, StoreLocation};
pub use lock::Lock;
pub use peers::{Peer, PeerName, PeerTrust, Peers};
pub use problem::{Node, NodeKind, Problem};
pub use received::Received;
pub use telemetry::{NewParts, Recall, Row};
pub use trust::{Approved, Preview, Refusals, TrustError, TrustList, TrustedStore};
pub use validate::Files;
