//! One incident, as the database and `decisions.json` hold it.

use lessons_incident::finding::Rule;
use lessons_incident::kind::{IncidentType, Severity, SourceKind};
use lessons_incident::pattern::{IncidentId, Pattern};
use serde::{Deserialize, Serialize};

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
