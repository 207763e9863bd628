//! `lessons reject`: a candidate put away.

use anyhow::{Result, bail};
use lessons_store::candidates::{Candidate, Standing};
use lessons_store::database::Database;

use crate::app::{App, Exit, Refused};
use crate::args::Reject;

pub(crate) fn run(app: &App, args: &Reject) -> Result<Exit> {
    let mut database = Database::open(&app.home)?;
    let candidate = find(&database, &args.id)?;
    database.set_standing(&candidate.id, Standing::Rejected, args.reason.as_deref())?;
    let id = &candidate.id;
    app.note(&format!(
        "candidate {id} is put away; `lessons restore {id}` brings it back\nNext: lessons candidates"
    ))?;
    Ok(Exit::Done)
}

/// The candidate that `text` names: its id or the start of it.
pub(crate) fn find(database: &Database, text: &str) -> Result<Candidate> {
    let mut found = database.candidates_starting(text)?;
    match (found.pop(), found.is_empty()) {
        (Some(candidate), true) => Ok(candidate),
        (Some(_), false) => bail!(Refused(format!("`{text}` could be several candidates; type more of it"))),
        (None, _) => bail!(Refused(format!(
            "there is no candidate `{text}`; `lessons candidates` shows those that wait (at least 4 digits of an id)"
        ))),
    }
}
