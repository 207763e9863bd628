//! Undoing a change and bringing the result into force.

use lessons_context::{Coded, Context, Error, Exit, Refused, Result, error};
use lessons_ledger::undo::Undone;
use lessons_ledger::{LedgerError, ThingKind, UndoError, undo};

use crate::change::{bring_into_force, bring_settings_into_force};

/// A change that was undone.
pub struct TakenBack {
    /// What was undone, and by which change.
    pub undone: Undone,
    /// A text to append to the answer: empty, why the result is not in force, or what is corrupt.
    pub note: String,
    /// The exit status: findings if the build that followed failed.
    pub exit: Exit,
}

/// Undoes one change and brings the result into force.
pub fn take_back(context: &Context, number: u64) -> Result<TakenBack> {
    let (lock, mut database) = context.lock_database()?;
    let undone = undo::undo(&lock, &mut database, number, &context.deed("undone")).map_err(coded)?;
    let (mut note, mut exit) = (String::new(), Exit::Done);
    if undone.of.entries.iter().any(|entry| entry.thing.node().is_some()) {
        // The undo is saved even if the build fails.
        if let Err(why) = bring_into_force(context, &lock, &database) {
            (note, exit) = (format!("\nWarning: {}", error::sentence(&why)), Exit::Findings);
        }
        return Ok(TakenBack { undone, note, exit });
    }
    if undone.is_about_what_is_in_force() {
        note = bring_settings_into_force(context, &lock, Ok(database))?;
    }
    if undone.of.entries.iter().any(|entry| entry.thing.kind == ThingKind::Shared && entry.before.is_none()) {
        note.push_str("\nIf it was pushed or copied before, undo this undo, then run `lessons unshare`");
    }
    Ok(TakenBack { undone, note, exit })
}

/// Turns an error into one with a code.
fn coded(error: UndoError) -> Error {
    let code = match &error {
        UndoError::Unknown { .. } => return Refused(error.to_string()).into(),
        UndoError::Final { .. } => "CANNOT_BE_UNDONE",
        UndoError::ChangedSince { .. } | UndoError::NotAsLeft { .. } => "CHANGED_SINCE",
        UndoError::NotKept { .. } => "NOT_KEPT",
        UndoError::Ledger(LedgerError::Invalid(_)) => "WRITE_REFUSED",
        _ => return error.into(),
    };
    Coded::failed(code, error.to_string()).into()
}
