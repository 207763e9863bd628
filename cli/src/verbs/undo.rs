//! `lessons undo`: a change is taken back.

use anyhow::Result;
use lessons_store::database::Database;
use lessons_store::journal::{Change, SCANNER};
use lessons_store::transaction::TransactionError;
use lessons_store::undo::{self, UndoError, Undone};

use crate::app::{Actor, App, Coded, Exit, Refused};
use crate::args::Undo;
use crate::building;
use crate::said::{self, Said};
use crate::verbs::{change, log, switch};

pub(crate) fn run(app: &App, args: &Undo) -> Result<Exit> {
    let number = match args.number {
        Some(number) => number,
        None => last(app)?,
    };
    match one(app, number) {
        Ok(TakenBack { undone, look, exit }) => {
            let message =
                format!("change {number} is undone: {}{look}", log::what(&undone.of, log::Width::ALL));
            let next = format!("lessons undo {}, to have it back", undone.change);
            app.answer(&Said::new("undone", number.to_string(), message).then(next))?;
            Ok(exit)
        }
        Err(error) => match error.downcast_ref::<UndoError>() {
            // What was saved and never brought into force is brought into force by asking again.
            Some(UndoError::AlreadyUndone { by, .. }) => {
                building::build(app)?;
                let next = format!("lessons undo {by}, to have it back");
                app.answer(&Said::new("unchanged", number.to_string(), error.to_string()).then(next))?;
                Ok(Exit::Done)
            }
            _ => Err(error),
        },
    }
}

/// A change that was taken back.
pub(crate) struct TakenBack {
    pub(crate) undone: Undone,
    /// What to add to the answer: nothing, or why it is not in force, or what is damaged.
    look: String,
    exit: Exit,
}

/// Takes one change back and brings that into force.
pub(crate) fn one(app: &App, number: u64) -> Result<TakenBack> {
    let lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    let undone = undo::undo(&lock, &mut database, number, &app.deed("undone")).map_err(coded)?;
    if undone.of.entries.iter().any(|entry| entry.thing.kind.is_of_the_store()) {
        // What is saved is saved, whatever becomes of the build.
        let built = change::bring_into_force(app, &lock, &database);
        let (told, exit) = match built {
            Ok(_) => (String::new(), Exit::Done),
            Err(why) => (format!("\nLook: {}", said::sentence(&why)), Exit::Findings),
        };
        return Ok(TakenBack { undone, look: told, exit });
    }
    if !undone.is_about_what_is_in_force() {
        return Ok(TakenBack { undone, look: String::new(), exit: Exit::Done });
    }
    let damage = switch::into_force(app, &lock, Ok(database))?;
    Ok(TakenBack { undone, look: damage, exit: Exit::Done })
}

/// The last change that a person made and that stands.
fn last(app: &App) -> Result<u64> {
    let background = Actor::Background.words();
    let by_person = |change: &Change| change.actor != SCANNER && change.actor != background;
    let last = undo::latest(&Database::open(&app.home)?, by_person)?;
    Ok(last.map(|change| change.number).ok_or_else(|| {
        Refused("you have changed nothing that could be undone; `lessons log` shows every change".into())
    })?)
}

/// The error under the name by which programs know it.
fn coded(error: UndoError) -> anyhow::Error {
    let code = match &error {
        UndoError::Unknown { .. } => return Refused(error.to_string()).into(),
        UndoError::Final { .. } => "CANNOT_BE_UNDONE",
        UndoError::ChangedSince { .. } | UndoError::NotAsLeft { .. } => "CHANGED_SINCE",
        UndoError::NotKept { .. } => "NOT_KEPT",
        UndoError::Store(TransactionError::Invalid(_)) => "WRITE_REFUSED",
        _ => return error.into(),
    };
    Coded::failed(code, error.to_string()).into()
}
