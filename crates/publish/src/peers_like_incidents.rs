//! Lessons of peers that are in force, and like an incident that became known later.

use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_ledger::database::Database;

use crate::{building, in_force, peer_lessons};

/// Builds where the lessons of peers that are in force are not those that the incidents of now leave.
pub fn settle(context: &Context) -> Result<()> {
    let mut colleagues = peer_lessons::of(context).unwrap_or_default();
    if colleagues.is_empty() {
        return Ok(());
    }
    let in_force = in_force::lessons(context);
    let withheld = peer_lessons::withhold(context, &Database::open(&context.home)?, &mut colleagues);
    let is_due = withheld.iter().any(|noted| in_force.contains_key(&noted.id));
    if is_due {
        building::build(context)?;
    }
    Ok(())
}

/// Builds where peers have lessons in force: a decision about incidents may take some out, or bring some back.
pub fn after_decision(context: &Context) -> Result<()> {
    if peer_lessons::of(context).is_ok_and(|colleagues| !colleagues.is_empty()) {
        building::build(context)?;
    }
    Ok(())
}
