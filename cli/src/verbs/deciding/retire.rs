//! `lessons retire` and `lessons restore`: retire a lesson, and bring it back.

use lessons_incident_check::{contradiction, record};
use lessons_ledger::CandidateStatus;
use lessons_lesson::Status;
use lessons_store::load;

use crate::args::InProject;
use crate::change::{self, Edit};
use crate::prelude::*;
use crate::verbs::deciding::accept;

/// Arguments of `lessons retire`.
#[derive(Debug, Args)]
pub struct Retire {
    /// The id, or the start of it
    pub id: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Retire it because it is wrong: what contradicts it is kept, and you are warned of a similar rule later
    #[arg(long)]
    pub wrong: bool,
}

/// Arguments of `lessons restore`.
#[derive(Debug, Args)]
pub struct Restore {
    /// The id, or the start of it
    #[arg(required_unless_present = "store", conflicts_with = "store")]
    pub id: Option<String>,
    /// Restore lessons.json to what you accepted
    #[arg(long)]
    pub store: bool,
    /// The store in which the lesson is
    #[command(flatten)]
    pub within: InProject,
}

/// Retires a lesson.
pub(crate) fn retire(app: &App, args: &Retire) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    let mut contradiction = None;
    let done = change::one(app, "retired", |draft| {
        let mut lesson = change::find(app, draft.graph, &args.id)?.clone();
        if lesson.status == Status::Deprecated {
            return Ok(Edit::Nothing(change::unchanged(app, &lesson, " is retired already")));
        }
        let replaced = draft.graph.lessons().find(|other| {
            other.status == Status::Superseded && other.superseded_by.as_ref() == Some(&lesson.id)
        });
        if let Some(other) = replaced {
            let (id, other) = (&lesson.id, &other.id);
            let message = format!(
                "user/{id} replaced user/{other}, so without it neither would be in force. Decide about that one first: \
                 `lessons restore {other}` brings it back, `lessons retire {other}` retires it too (INACTIVE_SUPERSEDER)"
            );
            return Err(Coded::failed("WRITE_REFUSED", message).into());
        }
        contradiction = args.wrong.then(|| contradiction::of_wrong(app, &lesson, draft.graph)).flatten();
        lesson.status = Status::Deprecated;
        lesson.updated_at = Some(app.now_text());
        Ok(draft.saving(lesson, Vec::new()))
    })?;
    record::record(app, contradiction.as_slice());
    Ok(done)
}

/// Brings back a retired lesson or a rejected candidate; without an id, the store as it was accepted.
pub(crate) fn restore(app: &App, args: &Restore) -> Result<Exit> {
    let Some(id) = &args.id else { return accept::restore_store(app) };
    let mut database = app.database()?;
    let found = database.candidates_starting(id)?;
    let app = &args.within.chosen(app)?;
    if args.within == InProject::default()
        && !found.is_empty()
        && change::find(app, &load::lessons(&app.home)?, id).is_err()
        && let Some(candidate) = lookup::only_one(id, found, |candidate| candidate.id.clone())?
    {
        let id = &candidate.id;
        let said = if candidate.status == CandidateStatus::New {
            Message::new("unchanged", id, format!("candidate {id} waits already"))
        } else {
            database.set_status(id, CandidateStatus::New, None, &app.deed("restored"))?;
            Message::new("restored", id, format!("candidate {id} waits again"))
        };
        return app.done(&said.then(format!("lessons show {id}")));
    }
    change::one(app, "restored", |draft| {
        let mut lesson = change::find(app, draft.graph, id)?.clone();
        if lesson.status == Status::Active {
            return Ok(Edit::Nothing(change::unchanged(app, &lesson, " is active already")));
        }
        lesson.status = Status::Active;
        lesson.superseded_by = None;
        lesson.updated_at = Some(app.now_text());
        let warnings = change::vetted(&mut lesson, draft.graph, None)?;
        Ok(draft.saving(lesson, warnings))
    })
}
