//! `lessons reject`: a candidate put away.

use anyhow::{Result, bail};
use lessons_core::neutral::line;
use lessons_store::candidates::{Candidate, Standing};
use lessons_store::database::Database;

use crate::app::{App, Exit, Refused};
use crate::args::Reject;
use crate::cleaning;
use crate::said::Said;
use crate::verbs::{candidates, change};

pub(crate) fn run(app: &App, args: &Reject) -> Result<Exit> {
    let mut database = Database::open(&app.home)?;
    let candidate = find(&database, &args.id)?;
    let id = &candidate.id;
    if let Some(lesson) = candidates::lesson_of(app, id)? {
        bail!(Refused(format!(
            "candidate {id} is the lesson user/{lesson}; put that away with `lessons deprecate {lesson}`"
        )));
    }
    let reason = args.reason.as_deref().map(cleaning::cleaned);
    database.set_standing(id, Standing::Rejected, reason.as_deref(), app.now_ms())?;
    let message = format!("candidate {id} is put away; `lessons restore {id}` brings it back");
    app.answer(&Said::new("rejected", id, message).then("lessons candidates"))?;
    Ok(Exit::Done)
}

/// The candidate that `text` names: its id or the start of it.
pub(crate) fn find(database: &Database, text: &str) -> Result<Candidate> {
    let mut found = database.candidates_starting(text)?;
    if found.len() > 1 {
        bail!(Refused(change::ambiguous(text, found.iter().map(|candidate| &candidate.id))));
    }
    found.pop().ok_or_else(|| {
        let text = line(text);
        Refused(format!(
            "there is no candidate `{text}` (type at least 4 digits of an id); `lessons candidates` shows them"
        ))
        .into()
    })
}
