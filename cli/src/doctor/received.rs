//! Checks about what peers share: files that cannot be read, and events of unknown keys.

use anyhow::Result;
use lessons_ledger::database::Database;
use lessons_store::identity;
use lessons_text::neutral::line;
use lessons_text::wording::counted;

use super::{DoctorContext, DoctorFinding};

pub(super) fn check(context: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let home = &context.app.home;
    let mut found = Vec::new();
    let mut unreadable = |code, message: String, remedy: Option<String>| {
        let remedy = remedy.unwrap_or_else(|| "lessons peers".to_owned());
        found.push(DoctorFinding::error(code, line(&message), remedy));
    };
    if let Err(error) = identity::read(home) {
        unreadable("IDENTITY_UNREADABLE", error.to_string(), error.remedy());
    }
    if !home.database().exists() {
        return Ok(found);
    }
    let unknown = Database::open(home)?.unknown_authors()?;
    let events: u64 = unknown.values().sum();
    if events > 0 {
        let events = counted(usize::try_from(events).unwrap_or(usize::MAX), "shared event");
        let keys = counted(unknown.len(), "key");
        let message = format!("{events} by {keys} that you do not trust: counted, and nothing else");
        found.push(DoctorFinding::note("UNKNOWN_KEYS", message, "lessons peers"));
    }
    Ok(found)
}
