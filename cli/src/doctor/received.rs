//! Checks about what peers share: files that cannot be read, and events of unknown keys.

use anyhow::Result;
use lessons_store::identity;
use lessons_text::wording::counted;

use super::{DoctorContext, DoctorFinding};

pub(super) fn check(context: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let mut found = Vec::new();
    if let Err(error) = identity::read(&context.app.home) {
        found.push(DoctorFinding::of("IDENTITY_UNREADABLE", &error, error.remedy(), "lessons peers"));
    }
    let Some(database) = &context.database else { return Ok(found) };
    let unknown = database.unknown_authors()?;
    let events: u64 = unknown.values().sum();
    if events > 0 {
        let (events, keys) = (counted(events, "shared event"), counted(unknown.len(), "key"));
        let message = format!("{events} by {keys} that you do not trust: counted, and nothing else");
        found.push(DoctorFinding::note("UNKNOWN_KEYS", message, "lessons peers"));
    }
    Ok(found)
}
