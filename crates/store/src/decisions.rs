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
//! - `trusted` holds the project stores that may be used ([`crate::trust`]), `peers` the keys whose shared lessons are
//!   wanted ([`crate::peers`]), `received` what came from them ([`crate::received`]), and `incidents` the incidents that no
//!   scan finds again, with what was decided about incidents ([`crate::incidents`]).
//!
//! Each entry is a kind, a name and a value ([`DecisionKind`]): that is how the journal records it, and how it is put back.
//!
//! Upgrade rule: a new field, or a change of what a field means, raises [`VERSION`], and this module reads both. An older
//! program refuses a newer version and leaves the file alone.

use std::collections::BTreeSet;
use std::path::Path;

use lessons_home::files;
use lessons_home::home::Home;
use lessons_lesson::id::LessonId;
use lessons_share::key::PublicKey;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::accepted::Accepted;
pub use crate::decisions_file::{DecisionsError, FILE, MAX_BYTES, VERSION, exist};
use crate::decisions_file::{DecisionsFile, corrupt};
use crate::durable::{self, WriteError};
use crate::graph::{Graph, Origin, Snapshot};
use crate::incidents::{DecidedIncidents, IncidentEntry};
use crate::peers::Peers;
use crate::received::Received;
use crate::trust::{TrustList, TrustedStore};

/// The kind of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecisionKind {
    /// An accepted lesson with the triggers it names, by its id.
    Lesson,
    /// An accepted setting, by its key.
    Setting,
    /// The trust in the lessons of a project, by its root.
    Trust,
    /// The trust in a peer, by the peer's key.
    Peer,
    /// A peer's lesson that is in force, by its author's key, a slash and its id.
    Received,
    /// What is known and decided of an incident, by its id.
    Incident,
}

impl DecisionKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Lesson, Self::Setting, Self::Trust, Self::Peer, Self::Received, Self::Incident];
}

/// A decision that differs between two states: its kind, its name, and its value in either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionDifference {
    /// The kind.
    pub kind: DecisionKind,
    /// The name.
    pub name: String,
    /// The value before, as the journal stores it; `None` without one.
    pub before: Option<String>,
    /// The value after.
    pub after: Option<String>,
}

/// Everything that a person has decided, to be changed and written back.
#[derive(Debug, Clone)]
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
        Self {
            accepted: Accepted::none(home),
            incidents: DecidedIncidents::default(),
            peers: Peers::default(),
            received: Received::default(),
            trusted: TrustList::default(),
            change: 0,
        }
    }

    /// Reads the file of `home`; a missing one decides nothing.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        let path = home.decisions();
        let bytes = files::read(&path, MAX_BYTES)?;
        bytes.map_or_else(|| Ok(Self::none(home)), |bytes| Self::parse(&path, &bytes))
    }

    /// Parses the bytes of the file at `path`.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, DecisionsError> {
        fn value<T: DeserializeOwned>(path: &Path, raw: &RawValue) -> Result<T, DecisionsError> {
            serde_json::from_str(raw.get()).map_err(|error| corrupt(path, &error))
        }
        let file = DecisionsFile::parse(path, bytes)?;
        let graph = Graph::parse(path, file.graph.get().as_bytes(), Origin::Own);
        Ok(Self {
            accepted: Accepted {
                graph: graph.map_err(|error| corrupt(path, &error))?,
                settings: file.settings,
            },
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
        let Ok(file) = self.file() else { return Vec::new() };
        let mut bytes = serde_json::to_vec_pretty(&file).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// All of this is plain data, which cannot fail to become JSON.
    fn file(&self) -> serde_json::Result<DecisionsFile> {
        fn raw(value: &impl Serialize) -> serde_json::Result<Box<RawValue>> {
            // Through a value, whose keys are sorted.
            indented(&serde_json::to_string_pretty(&serde_json::to_value(value)?)?)
        }
        Ok(DecisionsFile {
            change: self.change,
            graph: indented(String::from_utf8_lossy(&self.accepted.graph.to_bytes()).trim_end())?,
            incidents: raw(&self.incidents)?,
            peers: raw(&self.peers)?,
            received: raw(&self.received)?,
            settings: self.accepted.settings.clone(),
            trusted: raw(&self.trusted)?,
            version: VERSION,
        })
    }

    /// Sets a decision to a value as the journal stores it; `None` removes it. Returns whether that value can still be read:
    /// of one that cannot, nothing changes.
    pub fn put(&mut self, kind: DecisionKind, name: &str, value: Option<&str>) -> bool {
        self.try_put(kind, name, value).is_some()
    }

    fn try_put(&mut self, kind: DecisionKind, name: &str, value: Option<&str>) -> Option<()> {
        fn read<T: DeserializeOwned>(value: Option<&str>) -> serde_json::Result<Option<T>> {
            value.map(serde_json::from_str).transpose()
        }
        match kind {
            DecisionKind::Lesson => {
                self.accepted.graph.place(vec![(name.to_owned(), read::<Snapshot>(value).ok()?)]);
            }
            DecisionKind::Setting => match value {
                Some(text) => drop(self.accepted.settings.insert(name.to_owned(), text.to_owned())),
                None => drop(self.accepted.settings.remove(name)),
            },
            DecisionKind::Trust => match value {
                Some(text) => drop(self.trusted.insert(TrustedStore::of_journal(name, text)?)),
                None => drop(self.trusted.remove(name)),
            },
            DecisionKind::Peer => self.peers.put(name.parse().ok()?, read(value).ok()?),
            // What is taken out of force so is a person's decision: the same version does not come back by itself.
            DecisionKind::Received => {
                let (author, id) = received_name(name)?;
                self.received.decide(author, &id, read(value).ok()?);
            }
            DecisionKind::Incident => {
                self.incidents
                    .put(name.parse().ok()?, read::<IncidentEntry>(value).ok()?.unwrap_or_default());
            }
        }
        Some(())
    }

    /// Returns a decision as the journal stores it; `None` where there is none.
    pub fn value(&self, kind: DecisionKind, name: &str) -> Option<String> {
        match kind {
            DecisionKind::Lesson => json(&Snapshot::of(&self.accepted.graph, name)?),
            DecisionKind::Setting => self.accepted.settings.get(name).cloned(),
            DecisionKind::Trust => self.trusted.get(name).map(TrustedStore::journalled),
            DecisionKind::Peer => json(self.peers.get(name.parse().ok()?)?),
            DecisionKind::Received => {
                let (author, id) = received_name(name)?;
                json(self.received.lesson(author, &id)?)
            }
            DecisionKind::Incident => {
                let entry = self.incidents.entry(name.parse().ok()?);
                if entry == IncidentEntry::default() { None } else { json(&entry) }
            }
        }
    }

    /// Returns the names of all decisions but those about lessons, with their kinds.
    fn names(&self) -> BTreeSet<(DecisionKind, String)> {
        let settings = self.accepted.settings.keys().map(|key| (DecisionKind::Setting, key.clone()));
        let trusted = self.trusted.stores().map(|store| (DecisionKind::Trust, store.root.clone()));
        let peers = self.peers.peers().map(|(key, _)| (DecisionKind::Peer, key.to_string()));
        let received = self
            .received
            .lessons()
            .map(|(author, lesson)| (DecisionKind::Received, format!("{author}/{}", lesson.id)));
        let incidents = self.incidents.entries().map(|(id, _)| (DecisionKind::Incident, id.to_string()));
        settings.chain(trusted).chain(peers).chain(received).chain(incidents).collect()
    }

    /// Returns what differs in `after`, ascending by kind and name.
    pub fn differences(&self, after: &Self) -> Vec<DecisionDifference> {
        let (here, there) = (&self.accepted.graph, &after.accepted.graph);
        let ids: BTreeSet<&str> = here.ids().chain(there.ids()).collect();
        // Comparing raw nodes takes a fraction of the time that writing lessons down takes.
        let triggers: BTreeSet<&str> = here.all_trigger_ids().chain(there.all_trigger_ids()).collect();
        let are_same_triggers = triggers.into_iter().all(|id| here.raw_trigger(id) == there.raw_trigger(id));
        let differs = |id: &&str| {
            here.raw(id) != there.raw(id)
                || !are_same_triggers && here.raw_triggers_of(id) != there.raw_triggers_of(id)
        };
        let lessons = ids.into_iter().filter(differs).map(|id| (DecisionKind::Lesson, id.to_owned()));
        let names: Vec<_> = lessons.chain(self.names().union(&after.names()).cloned()).collect();
        names
            .into_iter()
            .map(|(kind, name)| DecisionDifference {
                before: self.value(kind, &name),
                after: after.value(kind, &name),
                kind,
                name,
            })
            .filter(|it| it.before != it.after)
            .collect()
    }
}

/// Reads the name of a received lesson: its author's key, and its id.
pub fn received_name(name: &str) -> Option<(PublicKey, LessonId)> {
    let (author, id) = name.split_once('/')?;
    Some((author.parse().ok()?, LessonId::new(id).ok()?))
}

/// Plain data as JSON, the same text for the same data.
fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}

/// A JSON text one level deeper. A line break within it is always escaped, so these are all between its parts.
fn indented(text: &str) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(text.replace('\n', "\n  "))
}

/// A whole file of this version. A change that breaks it must raise [`VERSION`].
#[cfg(test)]
pub(crate) const GOLDEN: &str = include_str!("decisions/sample.json");

#[cfg(test)]
mod tests;
