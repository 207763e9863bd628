//! Lessons of peers that are in force, and like an incident that became known later.

use anyhow::Result;
use lessons_ledger::database::Database;

use crate::app::App;
use crate::building;
use crate::colleagues;
use crate::in_force;

/// Builds where the lessons of peers that are in force are not those that the incidents of now leave.
pub(crate) fn settle(app: &App) -> Result<()> {
    let mut colleagues = colleagues::of(app).unwrap_or_default();
    if colleagues.is_empty() {
        return Ok(());
    }
    let in_force = in_force::lessons(app);
    let withheld = colleagues::withhold(app, &Database::open(&app.home)?, &mut colleagues);
    let is_due = withheld.iter().any(|noted| in_force.contains_key(&noted.id));
    if is_due {
        building::build(app)?;
    }
    Ok(())
}

/// Builds where peers have lessons in force: a decision about incidents may take some out, or bring some back.
pub(crate) fn after_decision(app: &App) -> Result<()> {
    if colleagues::of(app).is_ok_and(|colleagues| !colleagues.is_empty()) {
        building::build(app)?;
    }
    Ok(())
}
