//! `incidents.json`: the incidents that no scan finds again, and what a person decided about incidents.
//!
//! ```json
//! {
//!   "confirmed": { "i-0123456789abcdef": { "reason": "…", "time": 1769817600000 } },
//!   "reported": { "i-…": { "id": "i-…", "type": "user_reported", … } },
//!   "retired": { … },
//!   "version": 1,
//!   "withheld": { … }
//! }
//! ```
//!
//! `reported` holds incidents that a person reported, `withheld` those whose text a hook kept from the model, so that no
//! transcript has it; both hold whole incidents (see [`Incident`]). `retired` and `confirmed` hold a person's decisions
//! about any incident, with the reason and the time in milliseconds since 1970. Keys are sorted at every depth.
//!
//! Upgrade rule: a new field, or a change of what a field means, raises [`VERSION`], and this module reads both. An
//! older program refuses a newer version and leaves the file alone.

mod incident;

use std::collections::BTreeMap;
use std::path::Path;

use lessons_home::home::Home;
use lessons_incident::pattern::IncidentId;
use serde::{Deserialize, Serialize};

pub use self::incident::{Incident, IncidentDetails};
use crate::durable::{self, WriteError};
use crate::versioned::{Format, VersionedFileError};

/// The version of the format.
pub const VERSION: u64 = 1;
/// The largest `incidents.json` that is read, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;

/// The format of the file.
const FORMAT: Format = Format {
    version: VERSION,
    max_bytes: MAX_BYTES,
    meanwhile: "what is in force stays as it is",
    after: "The file holds what you reported, retired and confirmed",
};

/// A decision of a person about an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncidentDecision {
    /// The reason; empty where none was given.
    pub reason: String,
    /// Milliseconds since 1970.
    pub time: u64,
}

/// Everything that the file holds about one incident.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncidentEntry {
    /// The decision that it is critical, whatever it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<IncidentDecision>,
    /// The incident, if a person reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Incident>,
    /// The decision that it counts no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<IncidentDecision>,
    /// The incident, if a hook kept its text from the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Incident>,
}

impl IncidentEntry {
    /// Returns the incident itself, if the file holds it.
    pub fn incident(&self) -> Option<&Incident> {
        self.reported.as_ref().or(self.withheld.as_ref())
    }

    /// Returns the entry as the journal stores it; `None` for an empty one.
    pub fn journalled(&self) -> Option<String> {
        (*self != Self::default()).then(|| serde_json::to_string(self).unwrap_or_default())
    }

    /// Returns the entry that [`Self::journalled`] wrote.
    pub fn of_journal(text: Option<&str>) -> Option<Self> {
        text.map_or_else(|| Some(Self::default()), |text| serde_json::from_str(text).ok())
    }
}

/// The format of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFile {
    confirmed: BTreeMap<IncidentId, IncidentDecision>,
    reported: BTreeMap<IncidentId, Incident>,
    retired: BTreeMap<IncidentId, IncidentDecision>,
    version: u64,
    withheld: BTreeMap<IncidentId, Incident>,
}

/// The content of `incidents.json`, to be changed and written back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IncidentsFile {
    entries: BTreeMap<IncidentId, IncidentEntry>,
}

impl IncidentsFile {
    /// Reads the file of `home`; a missing one is empty.
    pub fn read(home: &Home) -> Result<Self, VersionedFileError> {
        Ok(FORMAT.read(&home.incidents())?.map(Self::of_stored).unwrap_or_default())
    }

    /// Parses the bytes of the file at `path`.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, VersionedFileError> {
        FORMAT.parse(path, bytes).map(Self::of_stored)
    }

    fn of_stored(stored: StoredFile) -> Self {
        let mut file = Self::default();
        for (id, decision) in stored.confirmed {
            file.entries.entry(id).or_default().confirmed = Some(decision);
        }
        for (id, decision) in stored.retired {
            file.entries.entry(id).or_default().retired = Some(decision);
        }
        for (id, incident) in stored.reported {
            file.entries.entry(id).or_default().reported = Some(incident);
        }
        for (id, incident) in stored.withheld {
            file.entries.entry(id).or_default().withheld = Some(incident);
        }
        file
    }

    /// Replaces the file of `home` by this one. The caller holds the lock.
    pub fn write(&self, home: &Home) -> Result<(), WriteError> {
        durable::replace(&home.incidents(), &self.to_bytes())
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        fn part<T: Clone>(
            file: &IncidentsFile,
            of: impl Fn(&IncidentEntry) -> Option<&T>,
        ) -> BTreeMap<IncidentId, T> {
            file.entries.iter().filter_map(|(id, entry)| Some((*id, of(entry)?.clone()))).collect()
        }
        let stored = StoredFile {
            confirmed: part(self, |entry| entry.confirmed.as_ref()),
            reported: part(self, |entry| entry.reported.as_ref()),
            retired: part(self, |entry| entry.retired.as_ref()),
            version: VERSION,
            withheld: part(self, |entry| entry.withheld.as_ref()),
        };
        // Through a value, whose keys are sorted at every depth.
        let value = serde_json::to_value(&stored).unwrap_or_default();
        let mut bytes = serde_json::to_vec_pretty(&value).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Returns what the file holds about each incident, by id.
    pub fn entries(&self) -> impl Iterator<Item = (IncidentId, &IncidentEntry)> {
        self.entries.iter().map(|(id, entry)| (*id, entry))
    }

    /// Returns what the file holds about an incident.
    pub fn entry(&self, id: IncidentId) -> IncidentEntry {
        self.entries.get(&id).cloned().unwrap_or_default()
    }

    /// Replaces what the file holds about an incident. An empty entry removes it.
    pub fn put(&mut self, id: IncidentId, entry: IncidentEntry) {
        if entry == IncidentEntry::default() {
            self.entries.remove(&id);
        } else {
            self.entries.insert(id, entry);
        }
    }

    /// Changes what the file holds about an incident.
    pub fn change(&mut self, id: IncidentId, change: impl FnOnce(&mut IncidentEntry)) {
        let mut entry = self.entry(id);
        change(&mut entry);
        self.put(id, entry);
    }

    /// Returns whether a person retired an incident.
    pub fn is_retired(&self, id: IncidentId) -> bool {
        self.entries.get(&id).is_some_and(|entry| entry.retired.is_some())
    }

    /// Returns whether a person confirmed an incident.
    pub fn is_confirmed(&self, id: IncidentId) -> bool {
        self.entries.get(&id).is_some_and(|entry| entry.confirmed.is_some())
    }
}

#[cfg(test)]
mod tests;
