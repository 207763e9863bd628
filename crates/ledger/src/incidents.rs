//! Incidents: texts that were dangerous once, with what is known of each from the database and from `decisions.json`.
//!
//! The database holds what scans and verbs met. `decisions.json` holds what a scan cannot find again and what a person
//! decided (see [`lessons_store::incidents`]); its incidents are copied into the database, so that all are in one table.

mod days;
mod intake;
mod recorder;
mod table;

use std::collections::BTreeMap;

use lessons_incident::kind::Severity;
use lessons_incident::pattern::IncidentId;
use lessons_store::incidents::{DecidedIncidents, Incident, IncidentDecision, IncidentEntry};

pub use self::days::IncidentDay;
pub use self::intake::take_in;
pub use self::recorder::{AlikeIncident, IncidentRecorder, IncidentRules, RecordedIncidents};
use crate::database::{Database, DatabaseError};

/// The most incidents that are active.
pub const MOST_ACTIVE: usize = 2_000;
/// The most new incidents of one scan.
pub const MOST_A_SCAN: usize = 20;
/// The most new incidents of one source and day.
pub const MOST_A_SOURCE_AND_DAY: usize = 3;

/// An incident and what a person decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownIncident {
    /// The incident.
    pub incident: Incident,
    /// The decision that it is critical, whatever it came from.
    pub confirmed: Option<IncidentDecision>,
    /// The decision that it counts no more.
    pub retired: Option<IncidentDecision>,
    /// Whether a hook kept its text from the model.
    pub is_withheld: bool,
}

impl KnownIncident {
    fn new(incident: Incident, entry: IncidentEntry) -> Self {
        let IncidentEntry { confirmed, retired, withheld, .. } = entry;
        Self { incident, confirmed, retired, is_withheld: withheld.is_some() }
    }

    /// Returns whether texts are compared with it.
    pub fn is_active(&self) -> bool {
        self.retired.is_none()
    }

    /// Returns whether a person confirmed it.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed.is_some()
    }

    /// Returns the severity that counts: a confirmed incident is critical.
    pub fn severity(&self) -> Severity {
        if self.is_confirmed() { Severity::Critical } else { self.incident.severity }
    }
}

impl Database {
    /// Returns every incident, the newest first, with what `file` says about it.
    pub fn known_incidents(&self, file: &DecidedIncidents) -> Result<Vec<KnownIncident>, DatabaseError> {
        let mut incidents: BTreeMap<IncidentId, Incident> =
            self.incident_rows()?.into_iter().map(|incident| (incident.id, incident)).collect();
        for (id, entry) in file.entries() {
            if let Some(incident) = entry.incident() {
                let is_reported = entry.reported.is_some();
                let refine = |row: &mut Incident| {
                    // What a person says counts; of what was met, the worst does.
                    let worst = row.severity.max(incident.severity);
                    row.severity = if is_reported { incident.severity } else { worst };
                    row.reason = incident.reason.clone().or_else(|| row.reason.take());
                };
                incidents.entry(id).and_modify(refine).or_insert_with(|| incident.clone());
            }
        }
        let mut known: Vec<KnownIncident> = incidents
            .into_iter()
            .map(|(id, incident)| KnownIncident::new(incident, file.entry(id)))
            .collect();
        known.sort_by(|a, b| {
            (b.incident.last_seen, b.incident.id).cmp(&(a.incident.last_seen, a.incident.id))
        });
        Ok(known)
    }
}
