//! Incidents: texts that were dangerous once, with what is known of each from the database and from `decisions.json`.
//!
//! The database holds what scans and verbs met. `decisions.json` holds what a scan cannot find again and what a person
//! decided (see [`lessons_store::decisions::incidents`]); its incidents are copied into the database, so that all are in one table.
//!
//! No transcript has the texts that hooks kept from the model, so the incidents of the records that hooks leave of them go
//! into `decisions.json` too.

mod recorder;
mod table;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::PathBuf;

use lessons_home::files;
use lessons_incident::withheld::{MOST_BYTES, SLOTS, Withheld};
use lessons_incident::{IncidentId, IncidentType, Severity};
use lessons_store::{DecidedIncidents, Incident, IncidentDetails, IncidentEntry, Lock, durable};

use crate::database::{Database, Result};
use crate::error::LedgerError;
use crate::incidents::recorder::meet;
pub use crate::incidents::recorder::{AlikeIncident, IncidentRecorder, IncidentRules, RecordedIncidents};
pub use crate::incidents::table::IncidentDay;
use crate::journal::{Deed, SCANNER};
use crate::{decisions, decisions::check};

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
    /// What a person decided about it, and whether a hook kept its text from the model.
    pub entry: IncidentEntry,
}

impl KnownIncident {
    /// Returns whether texts are compared with it.
    pub fn is_active(&self) -> bool {
        self.entry.retired.is_none()
    }

    /// Returns whether a person confirmed it.
    pub fn is_confirmed(&self) -> bool {
        self.entry.confirmed.is_some()
    }

    /// Returns the severity that counts: a confirmed incident is critical.
    pub fn severity(&self) -> Severity {
        if self.is_confirmed() { Severity::Critical } else { self.incident.severity }
    }
}

impl Database {
    /// Returns every incident, the newest first, with what `file` says about it.
    pub fn known_incidents(&self, file: &DecidedIncidents) -> Result<Vec<KnownIncident>> {
        let mut incidents: BTreeMap<IncidentId, Incident> =
            self.incident_rows()?.into_iter().map(|incident| (incident.id, incident)).collect();
        for (id, entry) in &file.entries {
            if let Some(incident) = entry.incident() {
                let is_reported = entry.reported.is_some();
                let refine = |row: &mut Incident| {
                    // What a person says counts; of what was met, the worst does.
                    let worst = row.severity.max(incident.severity);
                    row.severity = if is_reported { incident.severity } else { worst };
                    row.reason = incident.reason.clone().or_else(|| row.reason.take());
                };
                incidents.entry(*id).and_modify(refine).or_insert_with(|| incident.clone());
            }
        }
        let known = |(id, incident)| KnownIncident { incident, entry: file.entry(id) };
        let mut known: Vec<KnownIncident> = incidents.into_iter().map(known).collect();
        known.sort_by_key(|known| Reverse((known.incident.last_seen, known.incident.id)));
        Ok(known)
    }
}

/// Takes in every record that waits, and removes it. A record that is none is removed too. After a death in between the
/// next scan takes in the same records again, to no effect.
pub fn take_in(
    lock: &Lock,
    database: &mut Database,
    recorder: &mut IncidentRecorder,
    now: u64,
) -> Result<RecordedIncidents, LedgerError> {
    let home = lock.home();
    // In the order of their names, at most twice as many as hooks leave.
    let mut paths: Vec<PathBuf> =
        files::entries(&home.withheld())?.iter().take(2 * SLOTS).map(DirEntry::path).collect();
    paths.sort();
    if paths.is_empty() {
        return Ok(RecordedIncidents::default());
    }
    check::check(home, database)?;
    let mut file = DecidedIncidents::read(home)?;
    let mut met = Vec::new();
    for path in &paths {
        // A link, or a file of somebody else, is nothing that a hook left.
        let Ok(Some(bytes)) = files::read(path, MOST_BYTES as u64) else { continue };
        let Some(record) = Withheld::read(&bytes) else { continue };
        let like = record.like.map(|id| database.read(|it| table::row_of(it, id)));
        let like = like.transpose()?.flatten();
        met.push(meeting(record, like));
    }
    met.sort_by_key(|met: &Incident| met.created_at);
    let counts = recorder.record(database, &met)?;
    for met in met {
        let Some(known) = database.read(|it| recorder.known(it, &met))? else { continue };
        // A row that began with this meeting came from here, and no scan finds it again.
        let began = known.created_at == met.created_at && known.source_ids.first() == met.source_ids.first();
        file.change(known.id, |entry| match &mut entry.withheld {
            Some(incident) => {
                meet(incident, &met);
            }
            withheld if began => *withheld = Some(known),
            _ => {}
        });
    }
    let deed = Deed::new(SCANNER, "withheld", now);
    decisions::save(lock, database, &deed, |decisions| decisions.incidents = file)?;
    for path in paths {
        durable::remove(&path)?;
    }
    Ok(counts)
}

/// The meeting that a record tells of, with the incident that the hook found it to be like.
fn meeting(record: Withheld, like: Option<Incident>) -> Incident {
    let Withheld { pattern, severity, rules, source_kind, source, tool_use_id, .. } = record;
    let at = record.at.saturating_mul(1000);
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let (incident_type, pattern) = match like {
        Some(like) => (like.incident_type, like.pattern),
        None => (IncidentType::InjectionBlocked, pattern),
    };
    Incident {
        source_ids: given(tool_use_id).into_iter().collect(),
        agent_type: given(record.agent_type),
        project: given(record.project),
        session: given(record.session),
        details: IncidentDetails { rules, ..IncidentDetails::default() },
        ..Incident::new(incident_type, severity, pattern, (source_kind, source), at)
    }
}
