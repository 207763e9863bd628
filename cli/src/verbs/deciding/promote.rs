//! `lessons promote`: make a candidate a lesson.

use anyhow::Result;
use clap::Args;
use lessons_context::error::Exit;
use lessons_review::candidates::carry_out;
use lessons_review::candidates::decision::Acceptance;
use lessons_review::proof::ChangeOrigin;
use lessons_review::reflection::unread;

use crate::app::App;
use crate::args::{Fields, InProject};
use crate::change::{counting, in_project};
use crate::review::Decision;
use crate::ui::{failure, prompt};
use crate::verbs::deciding::settle;

/// Arguments of `lessons promote`.
#[derive(Debug, Args)]
pub struct Promote {
    /// The candidate's id, or the start of it
    pub id: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Fields of the lesson; the others come from the candidate
    #[command(flatten)]
    pub fields: Fields,
    /// Promote it although it has this flag, such as echo
    #[arg(long, value_name = "FLAG", requires = "reason")]
    pub accept: Vec<String>,
    /// The reason for `--accept`
    #[arg(long)]
    pub reason: Option<String>,
}

pub(crate) fn run(app: &App, args: &Promote) -> Result<Exit> {
    let app = &in_its_store(app, args).inspect_err(|error| counting::refused(app, failure::exit(error)))?;
    let accept = args.reason.as_ref().filter(|_| !args.accept.is_empty());
    let accept = accept.map(|reason| Acceptance { flags: args.accept.clone(), reason: reason.clone() });
    let decision =
        Decision::Promote { candidate: args.id.clone(), fields: Box::new(args.fields.clone()), accept };
    let decided = carry_out::one(app, ChangeOrigin::Command, prompt::remedy(app), &decision);
    settle::told(app, &decided.inspect_err(|error| counting::refused(app, error.exit()))?.0)
}

/// The program with the store that the lesson goes into.
fn in_its_store(app: &App, args: &Promote) -> Result<App> {
    let candidate = unread::candidate(app, &args.id)?;
    let app = app.within(in_project::chosen_for(app, args.store.changing(), &candidate)?);
    in_project::refuse_scope(&app, &args.fields.scope_project)?;
    Ok(app)
}
