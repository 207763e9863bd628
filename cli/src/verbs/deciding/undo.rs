//! `lessons undo`: undo a change.

use lessons_context::{Actor, Error};
use lessons_ledger::journal::{Change, SCANNER};
use lessons_ledger::{UndoError, undo};
use lessons_review::change::undo::{TakenBack, take_back};
use lessons_store::Peers;

use crate::prelude::*;
use crate::verbs::seeing::log;

/// The most items that are named for the change.
const MOST_NAMED: usize = 10;

/// Arguments of `lessons undo`.
#[derive(Debug, Args)]
pub struct Undo {
    /// The number of the change, as `lessons log` shows it; by default your last change that is not undone
    pub number: Option<u64>,
}

pub(crate) fn run(app: &App, args: &Undo) -> Result<Exit> {
    let number = match args.number {
        Some(number) => number,
        None => last(app)?,
    };
    match take_back(app, number) {
        Ok(TakenBack { undone, note, exit }) => {
            let peers = Peers::read(&app.home).unwrap_or_default();
            let message =
                format!("change {number} is undone: {}{note}", log::what(&peers, &undone.of, MOST_NAMED));
            let next = format!("lessons undo {}, to undo that", undone.change);
            app.answer(&Message::new("undone", number.to_string(), message).then(next))?;
            Ok(exit)
        }
        // Undone before but never built: asking again brings it into force.
        Err(Error::Undo(error @ UndoError::AlreadyUndone(_, by))) => {
            building::build(app)?;
            let next = format!("lessons undo {by}, to undo that");
            app.done(&Message::new("unchanged", number.to_string(), error.to_string()).then(next))
        }
        Err(error) => Err(error.into()),
    }
}

/// The number of the person's last change that is not undone.
fn last(app: &App) -> Result<u64> {
    let background = Actor::Background.words();
    let by_person = |change: &Change| change.actor != SCANNER && change.actor != background;
    let last = undo::latest(&app.database()?, by_person)?;
    Ok(last.map(|change| change.number).ok_or_else(|| {
        Refused("you have changed nothing that could be undone; `lessons log` shows every change".into())
    })?)
}
