//! One file a verb. [`run`] is the dispatch and nothing else.

mod add;
mod build;
mod candidates;
mod change;
mod edit;
mod import;
mod list;
mod promote;
mod reject;
mod scan;
mod show;
mod standing;
mod status;
mod switch;
mod test;
mod trust;

use anyhow::Result;

use crate::app::{App, Exit};
use crate::args::Verb;

/// Does what was typed.
pub fn run(app: &App, verb: Option<&Verb>) -> Result<Exit> {
    app.mark_home()?;
    let Some(verb) = verb else { return status::run(app) };
    if !reads_only(verb) {
        app.permit_change()?;
    }
    match verb {
        Verb::Status => status::run(app),
        Verb::List(args) => list::run(app, args),
        Verb::Show(args) => show::run(app, args),
        Verb::Candidates(args) => candidates::run(app, args),
        Verb::Promote(args) => promote::run(app, args),
        Verb::Reject(args) => reject::run(app, args),
        Verb::Add(args) => add::run(app, args),
        Verb::Edit(args) => edit::run(app, args),
        Verb::Deprecate(args) => standing::deprecate(app, args),
        Verb::Restore(args) => standing::restore(app, args),
        Verb::Off(args) => switch::off(app, args),
        Verb::On(args) => switch::on(app, args),
        Verb::Trust(args) => trust::run(app, args),
        Verb::Untrust(args) => trust::withdraw(app, args),
        Verb::Test => test::run(app),
        Verb::Scan(args) => scan::run(app, args),
        Verb::Build => build::run(app),
        Verb::Import(args) => import::run(app, args),
    }
}

/// The folders with transcripts that are configured.
pub fn folders(app: &App) -> Result<Vec<std::path::PathBuf>> {
    scan::folders(app, &[])
}

/// Whether a verb only looks. The hook lets an agent run these without asking; see
/// [`lessons_core::approval`].
fn reads_only(verb: &Verb) -> bool {
    matches!(verb, Verb::Status | Verb::List(_) | Verb::Show(_) | Verb::Candidates(_) | Verb::Test)
}
