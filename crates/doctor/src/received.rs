//! Checks about what peers share: files that cannot be read, and events of unknown keys.

use lessons_store::identity;
use lessons_text::wording::counted;

use crate::examined::{CheckResult, Examined};
use crate::finding::DoctorFinding;

pub(crate) fn check(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let mut found = Vec::new();
    if let Err(error) = identity::read(&examined.context.home) {
        found.push(DoctorFinding::of("IDENTITY_UNREADABLE", &error, error.remedy(), "lessons peers"));
    }
    let Some(database) = &examined.database else { return Ok(found) };
    let unknown = database.unknown_authors()?;
    let events: u64 = unknown.values().sum();
    if events > 0 {
        let (events, keys) = (counted(events, "shared event"), counted(unknown.len(), "key"));
        let message = format!("{events} by {keys} that you do not trust: counted, and nothing else");
        found.push(DoctorFinding::note("UNKNOWN_KEYS", message, "lessons peers"));
    }
    Ok(found)
}
