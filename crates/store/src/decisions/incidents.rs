//! The incidents that no scan finds again, and what a person decided about incidents. They are part of `decisions.json` (see
//! [`crate::decisions`]):
//!
//! ```json
//! { "i-0123456789abcdef": { "reported": { "id": "i-…", … }, "retired": { "reason": "…", "time": 1769817600000 } } }
//! ```
//!
//! `reported` is an incident that a person reported, `withheld` one whose text a hook kept from the model, so that no
//! transcript has it; both are whole incidents (see [`Incident`]). `retired` and `confirmed` are a person's decisions about
//! any incident, with the reason and the time in milliseconds since 1970.

use std::collections::BTreeMap;

use lessons_home::Home;
use lessons_incident::{IncidentId, IncidentType, Pattern, Rule, Severity, SourceKind};
use serde::{Deserialize, Serialize};

use crate::decisions_file::{self, DecisionsError};

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
}

/// The incidents of which something is decided or kept, by id, to be changed and written back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DecidedIncidents {
    /// What the file holds about each.
    pub entries: BTreeMap<IncidentId, IncidentEntry>,
}

impl DecidedIncidents {
    /// Reads those of `home`.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        decisions_file::part(home, |file| &file.incidents)
    }

    /// Removes a text: an incident for which `holds` says so goes, and of a reason only what `take_out` takes out of it.
    pub fn forget(&mut self, holds: impl Fn(&str) -> bool, take_out: impl Fn(&str) -> Option<String>) {
        let has_it = |incident: &Incident| serde_json::to_string(incident).is_ok_and(|text| holds(&text));
        for entry in self.entries.values_mut() {
            entry.reported.take_if(|incident| has_it(incident));
            entry.withheld.take_if(|incident| has_it(incident));
            for decision in [&mut entry.retired, &mut entry.confirmed].into_iter().flatten() {
                if let Some(reason) = take_out(&decision.reason) {
                    decision.reason = reason;
                }
            }
        }
        self.entries.retain(|_, entry| *entry != IncidentEntry::default());
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
}

/// An incident: a text that was dangerous once. All of its texts are redacted and neutral.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Incident {
    /// The hash of type and normalised pattern.
    pub id: IncidentId,
    /// The type of the incident.
    #[serde(rename = "type")]
    pub incident_type: IncidentType,
    /// The severity as it was found.
    pub severity: Severity,
    /// The text that it is recognised by.
    pub pattern: Pattern,
    /// The reason that a person gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The kind of its source.
    pub source_kind: SourceKind,
    /// The source: host and path without query, a path from the project's root, or the name of a tool.
    pub source: String,
    /// The candidates, lessons and calls that it came from.
    #[serde(default)]
    pub source_ids: Vec<String>,
    /// The query that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_query: Option<String>,
    /// The type of the sub-agent that met it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// The root of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The hash of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// More about it.
    #[serde(default, rename = "metadata")]
    pub details: IncidentDetails,
    /// The time at which it was met first, in milliseconds since 1970.
    pub created_at: u64,
    /// The time at which it was met last, in milliseconds since 1970.
    pub last_seen: u64,
    /// The number of times that it was met.
    pub seen: u64,
}

impl Incident {
    /// An incident of a text, met once, at a time in milliseconds since 1970, of which nothing else is known. Its texts are
    /// redacted and neutral.
    pub fn new(
        incident_type: IncidentType,
        severity: Severity,
        pattern: Pattern,
        (source_kind, source): (SourceKind, String),
        time: u64,
    ) -> Self {
        Self {
            id: pattern.id(incident_type),
            incident_type,
            severity,
            pattern,
            reason: None,
            source_kind,
            source,
            source_ids: Vec::new(),
            source_query: None,
            agent_type: None,
            project: None,
            session: None,
            details: IncidentDetails::default(),
            created_at: time,
            last_seen: time,
            seen: 1,
        }
    }
}

/// What else is known of an incident.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncidentDetails {
    /// The rules that the text raised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// The trust score of a candidate or lesson, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<f64>,
    /// The confidence that two lessons contradict each other, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

#[cfg(test)]
mod tests;
