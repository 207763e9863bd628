//! Publishing: writing the incidents as the index that hooks read, beside the manifest.

use lessons_context::context::Context;
use lessons_context::error::{Error, Result};
use lessons_home::files;
use lessons_incident::index::{CheckSettings, IncidentIndex, MOST_BYTES, Row};
use lessons_incident::kind::Standing;
use lessons_incident::sketch::Sketch;
use lessons_ledger::database::Database;
use lessons_ledger::incidents::KnownIncident;
use lessons_store::decisions::DecisionsError;
use lessons_store::durable;
use lessons_store::incidents::DecidedIncidents;
use lessons_store::lock::Lock;

use crate::state::settings;
use crate::{memory_look, notices};

/// Writes the index of the incidents, or removes it where they are switched off. A corrupt `decisions.json`, which
/// may hold decisions, leaves the index as it was.
pub fn publish(context: &Context, _lock: &Lock, database: &Database) -> Result<()> {
    let path = context.home.incident_index();
    let bytes = match index(context, database) {
        Ok(Some(index)) => index.to_bytes(),
        Ok(None) => return Ok(durable::remove(&path)?),
        Err(error) if is_corrupt(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    if files::read(&path, MOST_BYTES).ok().flatten().as_deref() != Some(&bytes) {
        durable::replace(&path, &bytes)?;
    }
    Ok(())
}

/// Publishes what a scan found, and looks at the files with instructions for the agent that changed. An error is left to the next build, and to `doctor`.
pub fn after_scan(context: &Context) {
    let publish_all =
        || -> Result<()> { publish(context, &context.lock()?, &Database::open(&context.home)?) };
    let _ = publish_all();
    notices::publish(context);
    memory_look::changed(context);
}

fn is_corrupt(error: &Error) -> bool {
    matches!(error, Error::Decisions(DecisionsError::Corrupt { .. } | DecisionsError::Version { .. }))
}

/// The index that belongs to what is known. `None` where incidents are switched off.
pub fn index(context: &Context, database: &Database) -> Result<Option<IncidentIndex>> {
    let settings = settings(context);
    if !settings.enabled {
        return Ok(None);
    }
    let known = database.known_incidents(&DecidedIncidents::read(&context.home)?)?;
    let rows = known.iter().map(row).collect();
    Ok(Some(IncidentIndex::new(
        CheckSettings { local: settings.local, threshold: settings.similarity },
        rows,
    )))
}

fn standing(known: &KnownIncident) -> Standing {
    match (known.is_active(), known.is_confirmed()) {
        (false, _) => Standing::Retired,
        (true, true) => Standing::Confirmed,
        (true, false) => Standing::Active,
    }
}

fn row(known: &KnownIncident) -> Row {
    let incident = &known.incident;
    Row {
        id: incident.id,
        kind: incident.incident_type,
        severity: known.severity(),
        standing: standing(known),
        last_seen: incident.last_seen / 1000,
        source_kind: incident.source_kind,
        source: incident.source.clone(),
        sketch: Sketch::of(incident.pattern.text()),
    }
}
