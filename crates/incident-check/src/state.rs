//! Incidents in commands: texts that were dangerous once, and what is like them.
//!
//! [`check`]: what a text or a lesson is like. [`memory`]: the same for files with instructions for the agent. [`record`]:
//! what verbs record. [`contradiction`]: rules that contradict each other. [`publish`]: the index that hooks read. [`notices`]: what the
//! user is asked at the start of a session. [`memory_look`]: which of those files changed, for scans.

use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_ledger::database::Database;
use lessons_ledger::incidents::{IncidentRules, KnownIncident};
use lessons_store::accepted;
use lessons_store::config::{ConfigFile, IncidentSettings};
use lessons_store::incidents::DecidedIncidents;

/// The settings about incidents, as a person accepted them. Settings that cannot be read are at their defaults.
pub fn settings(context: &Context) -> IncidentSettings {
    let file =
        ConfigFile::read(&context.home.config()).unwrap_or_else(|_| ConfigFile::empty(context.home.config()));
    let file = match accepted::settings(&context.home) {
        Ok(Some(accepted)) => file.with_accepted(&accepted),
        Ok(None) | Err(_) => file,
    };
    context.settings_of(file).0.incidents
}

/// How incidents are recorded; `None` where they are switched off.
pub fn rules(context: &Context) -> Option<IncidentRules> {
    let IncidentSettings { enabled, similarity, minimum_trust, .. } = settings(context);
    enabled.then_some(IncidentRules { similarity, minimum_trust })
}

/// Every incident, the newest first.
pub fn known(context: &Context) -> Result<Vec<KnownIncident>> {
    let file = DecidedIncidents::read(&context.home)?;
    Ok(Database::open(&context.home)?.known_incidents(&file)?)
}
