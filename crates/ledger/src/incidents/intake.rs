//! Taking in the records that hooks leave of texts that they kept from the model. No transcript has these texts, so their
//! incidents go into `decisions.json`.

use std::fs::DirEntry;
use std::path::PathBuf;

use lessons_home::files::{self, FileError};
use lessons_home::home::Home;
use lessons_incident::kind::IncidentType;
use lessons_incident::withheld::{MOST_BYTES, SLOTS, Withheld};
use lessons_store::durable;
use lessons_store::incidents::{DecidedIncidents, Incident, IncidentDetails};
use lessons_store::lock::Lock;

use super::recorder::{IncidentRecorder, RecordedIncidents, meet};
use super::table;
use crate::check;
use crate::database::Database;
use crate::decisions;
use crate::error::LedgerError;
use crate::journal::{Deed, SCANNER};

/// Takes in every record that waits, and removes it. A record that is none is removed too. After a death in between the
/// next scan takes in the same records again, to no effect.
pub fn take_in(
    lock: &Lock,
    database: &mut Database,
    recorder: &mut IncidentRecorder,
    now: u64,
) -> Result<RecordedIncidents, LedgerError> {
    let home = lock.home();
    let paths = waiting(home)?;
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
        let like = match record.like {
            Some(id) => table::row_of(&database.connection, id).map_err(|error| database.explain(error))?,
            None => None,
        };
        met.push(meeting(record, like));
    }
    met.sort_by_key(|met: &Incident| met.created_at);
    let counts = recorder.record(database, &met)?;
    for met in met {
        let known = recorder.known(&database.connection, &met).map_err(|error| database.explain(error))?;
        let Some(known) = known else { continue };
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

/// The paths of the records, in the order of their names, at most twice as many as hooks leave.
fn waiting(home: &Home) -> Result<Vec<PathBuf>, FileError> {
    let entries = files::entries(&home.withheld())?;
    let mut paths: Vec<PathBuf> = entries.iter().take(2 * SLOTS).map(DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}

/// The meeting that a record tells of, with the incident that the hook found it to be like.
fn meeting(record: Withheld, like: Option<Incident>) -> Incident {
    let Withheld { pattern, severity, rules, source_kind, source, tool_use_id, .. } = record;
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
        ..Incident::new(
            incident_type,
            severity,
            pattern,
            (source_kind, source),
            record.at.saturating_mul(1000),
        )
    }
}
