//! `decisions.json`: everything that a person has decided. Builds read this file, never the files that anybody edits, so
//! nothing comes into force, or goes out of it, because a file was changed by other means.
//!
//! ```json
//! {
//!   "change": 12,
//!   "graph": { "lessons": {…}, "topics": {…}, "triggers": {…}, "version": 1 },
//!   "incidents": { "i-0123456789abcdef": { "retired": { "reason": "…", "time": 1769817600000 } } },
//!   "peers": { "<public key>": { "name": "ana", "since": "2026-01-31T10:00:00Z", "trust": "review" } },
//!   "received": { "<public key>": { "lessons": { "git-push": { "version": 2, … } } } },
//!   "settings": { "off.user/frob": "\"\"", "seeds.off": "[\"rm-rf\"]" },
//!   "trusted": { "<root of a project>": { "sha256": "…", … } },
//!   "version": 1
//! }
//! ```
//!
//! - `change` is the number of the last change of the journal that wrote the file.
//! - `graph` holds the accepted lessons as a lessons graph (see [`crate::graph`]), `settings` each accepted setting that
//!   [`decides`](crate::accepted::decides) what is in force, with its value in TOML.
//! - `trusted` holds the project stores that may be used ([`crate::decisions::trust`]), `peers` the keys whose shared lessons are
//!   wanted ([`crate::decisions::peers`]), `received` what came from them ([`crate::decisions::received`]), and `incidents` the incidents that no
//!   scan finds again, with what was decided about incidents ([`crate::decisions::incidents`]).
//!
//! Each entry has a kind, a name and a value: that is how the journal records it, and how it is put back.
//!
//! Upgrade rule: a new field, or a change of what a field means, raises [`VERSION`], and this module reads both. An older
//! program refuses a newer version and leaves the file alone.

pub mod incidents;
pub mod peers;
pub mod received;
pub mod trust;

use std::collections::BTreeMap;
use std::path::Path;

use lessons_home::{Home, files};
use serde::Serialize;
use serde_json::Value;

use crate::accepted::Accepted;
use crate::decisions::incidents::DecidedIncidents;
use crate::decisions::peers::Peers;
use crate::decisions::received::Received;
use crate::decisions::trust::TrustList;
pub use crate::decisions_file::{DecisionsError, FILE, MAX_BYTES, VERSION, corrupt};
use crate::decisions_file::{DecisionsFile, value};
use crate::durable::{self, WriteError};

/// Everything that a person has decided, to be changed and written back.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    /// The accepted lessons and settings.
    pub accepted: Accepted,
    /// Incidents, and what was decided about them.
    pub incidents: DecidedIncidents,
    /// The keys whose shared lessons are wanted.
    pub peers: Peers,
    /// What came from peers.
    pub received: Received,
    /// The trusted stores of projects.
    pub trusted: TrustList,
    /// The number of the last change that wrote the file.
    pub change: u64,
}

impl Decisions {
    /// No decision: no lesson, no trust, and every setting at its default.
    pub fn none(home: &Home) -> Self {
        Self { accepted: Accepted::none(home), ..Self::default() }
    }

    /// Reads the file of `home`; a missing one decides nothing.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        let path = home.decisions();
        let bytes = files::read(&path, MAX_BYTES)?;
        bytes.map_or_else(|| Ok(Self::none(home)), |bytes| Self::parse(&path, &bytes))
    }

    /// Parses the bytes of the file at `path`.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, DecisionsError> {
        let file = DecisionsFile::parse(path, bytes)?;
        Ok(Self {
            accepted: Accepted { graph: file.graph(path)?, settings: file.settings },
            incidents: value(path, &file.incidents)?,
            peers: value(path, &file.peers)?,
            received: value(path, &file.received)?,
            trusted: value(path, &file.trusted)?,
            change: file.change,
        })
    }

    /// Replaces the file of `home` by this one. The caller holds the lock, and has announced it to the journal.
    pub fn write(&self, home: &Home) -> Result<(), WriteError> {
        durable::replace(&home.decisions(), &self.to_bytes())
    }

    /// Returns the bytes of the file: the same for the same decisions, with sorted keys at every depth.
    pub fn to_bytes(&self) -> Vec<u8> {
        /// A part with sorted keys. All of it is plain data, which cannot fail to become JSON.
        fn sorted(part: &impl Serialize) -> Value {
            serde_json::to_value(part).unwrap_or_default()
        }
        let file = DecisionsFile {
            change: self.change,
            graph: &self.accepted.graph,
            incidents: sorted(&self.incidents),
            peers: sorted(&self.peers),
            received: sorted(&self.received),
            settings: self.accepted.settings.clone(),
            trusted: sorted(&self.trusted),
            version: VERSION,
        };
        let mut bytes = serde_json::to_vec_pretty(&file).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// Sets an entry of a map, or removes it.
pub fn put<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<V>) {
    match value {
        Some(value) => drop(map.insert(key, value)),
        None => drop(map.remove(&key)),
    }
}

/// A whole file of this version. A change that breaks it must raise [`VERSION`].
#[cfg(test)]
pub(crate) const GOLDEN: &str = include_str!("decisions/sample.json");

#[cfg(test)]
mod tests;
