//! The settings about incidents: the table `incidents`, and `trust.minimum`.

use lessons_incident::likeness::Threshold;
use toml_edit::Value;

use super::TRUE_OR_FALSE;
use super::reader::Reader;

/// The settings about incidents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncidentSettings {
    /// Whether texts are checked and incidents recorded.
    pub enabled: bool,
    /// The similarity from which on a text is like an incident.
    pub similarity: Threshold,
    /// Whether results of tools that read local files are checked too.
    pub local: bool,
    /// The trust below which a candidate or a lesson is an incident, from 0 to 1.
    pub minimum_trust: f64,
}

impl Default for IncidentSettings {
    fn default() -> Self {
        Self { enabled: true, similarity: Threshold::default(), local: false, minimum_trust: 0.3 }
    }
}

impl Reader<'_> {
    pub(super) fn incidents(&mut self, default: IncidentSettings) -> IncidentSettings {
        // A whole number is a number too.
        let number = |value: &Value| {
            value.as_float().or_else(|| f64::from(i32::try_from(value.as_integer()?).ok()?).into())
        };
        IncidentSettings {
            enabled: self.get("incidents.enabled", TRUE_OR_FALSE, default.enabled, Value::as_bool),
            similarity: self.get(
                "incidents.similarity",
                "a number from 0.5 to 1",
                default.similarity,
                |value| Threshold::new(number(value)?),
            ),
            local: self.get("incidents.local", TRUE_OR_FALSE, default.local, Value::as_bool),
            minimum_trust: self.get(
                "trust.minimum",
                "a number from 0 to 1",
                default.minimum_trust,
                |value| number(value).filter(|number| (0.0..=1.0).contains(number)),
            ),
        }
    }
}
