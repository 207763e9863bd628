//! `lessons deprecate` and `lessons restore`.

use anyhow::{Result, bail};
use lessons_core::lesson::Status;
use lessons_store::candidates::Standing;
use lessons_store::database::Database;
use lessons_store::load;

use crate::app::{App, Exit, Refused};
use crate::args::One;
use crate::verbs::change;

pub(crate) fn deprecate(app: &App, args: &One) -> Result<Exit> {
    set(app, &args.id, Status::Deprecated, "deprecated")
}

/// Brings back a lesson that was put away, or a candidate that was.
pub(crate) fn restore(app: &App, args: &One) -> Result<Exit> {
    let mut database = Database::open(&app.home)?;
    let found = database.candidates_starting(&args.id)?;
    if let [candidate] = found.as_slice() {
        if candidate.status == Standing::New {
            bail!(Refused(format!("candidate {} waits already", candidate.id)));
        }
        database.set_standing(&candidate.id, Standing::New, None)?;
        app.note(&format!("candidate {} waits again\nSee it: lessons show {}", candidate.id, candidate.id))?;
        return Ok(Exit::Done);
    }
    set(app, &args.id, Status::Active, "restored")
}

fn set(app: &App, id: &str, status: Status, done: &'static str) -> Result<Exit> {
    let graph = load::lessons(&app.home)?;
    let mut lesson = change::find(&graph, id)?.clone();
    if lesson.status == status {
        bail!(Refused(format!(
            "{} is {} already",
            lesson.id,
            if status == Status::Active { "active" } else { done }
        )));
    }
    lesson.status = status;
    if status == Status::Active {
        lesson.superseded_by = None;
    }
    lesson.updated_at = Some(app.now_text());
    change::save_one(app, done, &lesson, Vec::new())
}
