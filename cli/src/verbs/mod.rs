//! The verbs, one file each. [`run`] only dispatches.

mod accept;
mod add;
mod build;
pub(crate) mod candidates;
mod check;
mod curate;
mod doctor;
mod edit;
mod edit_in_editor;
mod effect;
mod export;
pub(crate) mod fired;
mod forget;
mod identity;
mod import;
mod incidents;
mod index;
mod init;
mod install;
mod label;
mod list;
pub(crate) mod log;
mod merge_driver;
mod nightly;
mod on_off;
mod peers;
mod promote;
mod propose;
pub(crate) mod query;
pub mod question;
mod receive;
mod reflect;
mod reject;
mod replay;
mod report;
mod retire;
mod review;
mod scan;
mod schedule;
mod settle;
mod share;
pub(crate) mod show;
mod stats;
mod status;
mod test;
mod trust;
mod undo;
mod unshare;
mod validate;

use anyhow::Result;
use lessons_context::authority::Authority;
use lessons_context::error::Exit;
use lessons_decide::approval;
use lessons_home::files;
use lessons_publish::{building, repair};
use lessons_review::waiting;

use crate::app::App;
use crate::args::Verb;
use crate::forgetting;

/// Makes the data folder ready for a verb.
fn prepare(app: &App) -> Result<()> {
    if app.home.root().exists() {
        // A folder that others can write is refused before any of its files is trusted.
        files::ensure_folder(app.home.root())?;
    }
    app.mark_home()?;
    building::find_decisions(app);
    forgetting::finish(app);
    Ok(())
}

/// The context with the authority that a verb needs.
fn permitted(app: &App, verb: &Verb) -> Result<App> {
    if matches!(verb, Verb::Forget) {
        forget::only_for_a_person(app)?;
    }
    if let Verb::Incidents(args) = verb {
        incidents::only_for_a_person(app, args)?;
    }
    // The hook asks the same function, so the two agree about what needs a person.
    let words: Vec<&str> = app.argv.iter().map(String::as_str).collect();
    match verb {
        // git calls it for everyone; it cannot reach what only a person may change.
        Verb::MergeDriver(_) => Ok(app.clone()),
        _ if approval::is_free(&words) => Ok(app.clone()),
        Verb::Install(_) | Verb::Uninstall => install::permitted(app),
        Verb::Init(args) if args.scripts => app.in_new_home().map_or_else(|| app.permitted(), Ok),
        _ => app.permitted(),
    }
}

/// Runs a verb.
pub fn run(app: &App, verb: Option<&Verb>) -> Result<Exit> {
    let app = &verb.map_or_else(|| Ok(app.clone()), |verb| permitted(app, verb))?;
    match prepare(app) {
        // `doctor` says what is wrong with the data folder.
        Err(_) if matches!(verb, Some(Verb::Doctor(_))) => {}
        prepared => prepared?,
    }
    let Some(verb) = verb else {
        repair::repair(app);
        return status::run(app);
    };
    // `doctor` says what is wrong, and `build` and `index` build anyway.
    if !matches!(verb, Verb::Doctor(_) | Verb::Build | Verb::Index) {
        repair::repair(app);
    }
    let done = carry_out(app, verb);
    if may_change_candidates(app, verb) {
        waiting::publish(app);
    }
    done
}

/// Whether the number of waiting candidates may differ after this verb. A plan changes nothing.
fn may_change_candidates(app: &App, verb: &Verb) -> bool {
    let words: Vec<&str> = app.argv.iter().map(String::as_str).collect();
    let finds = matches!(verb, Verb::Scan(_) | Verb::Nightly | Verb::Propose(_) | Verb::Build);
    !matches!(app.authority, Authority::Planning(_)) && (finds || !approval::is_free(&words))
}

fn carry_out(app: &App, verb: &Verb) -> Result<Exit> {
    match verb {
        Verb::Status => status::run(app),
        Verb::List(args) => list::run(app, args),
        Verb::Show(args) => show::run(app, args),
        Verb::Candidates(args) => candidates::run(app, args),
        Verb::Query(args) => query::run(app, args),
        Verb::Stats => stats::run(app),
        Verb::Effect(args) => effect::run(app, args),
        Verb::Review(args) => review::run(app, args),
        Verb::Promote(args) => promote::run(app, args),
        Verb::Reject(args) => reject::run(app, args),
        Verb::Reflect(args) => reflect::run(app, args),
        Verb::Propose(args) => propose::run(app, args),
        Verb::Accept(args) => accept::run(app, args),
        Verb::Add(args) => add::run(app, args),
        Verb::Edit(args) => edit::run(app, args),
        Verb::Retire(args) => retire::retire(app, args),
        Verb::Merge(args) => curate::merge(app, args),
        Verb::Supersede(args) => curate::supersede(app, args),
        Verb::Untrigger(args) => curate::untrigger(app, args),
        Verb::Restore(args) => retire::restore(app, args),
        Verb::Off(args) => on_off::off(app, args),
        Verb::On(args) => on_off::on(app, args),
        Verb::Undo(args) => undo::run(app, args),
        Verb::Log(args) if args.fired => fired::run(app, args),
        Verb::Log(args) => log::run(app, args),
        Verb::Trust(args) => trust::run(app, args),
        Verb::Untrust(args) => trust::withdraw(app, args),
        Verb::Share(args) => share::run(app, args),
        Verb::Unshare(args) => unshare::run(app, args),
        Verb::Peers(args) => peers::run(app, args),
        Verb::Identity => identity::run(app),
        Verb::Replay(args) => replay::run(app, args),
        Verb::Mcp => crate::mcp::run(app),
        Verb::Explain(args) => crate::explain::run(app, args),
        Verb::Test { file } => test::run(app, file.as_deref()),
        Verb::Doctor(args) => doctor::run(app, args),
        Verb::Validate(args) => validate::run(app, args),
        Verb::Install(args) if args.status => install::status(app),
        Verb::Install(args) => install::run(app, args),
        Verb::Uninstall => install::undo(app),
        Verb::Incidents(args) => incidents::run(app, args),
        Verb::Check(args) => check::run(app, args),
        Verb::Receive(args) => receive::run(app, args),
        Verb::Scan(args) => scan::run(app, args),
        Verb::Build => build::run(app),
        Verb::Index => index::run(app),
        Verb::Prune(args) => curate::prune(app, args),
        Verb::StripMarkers(args) => curate::prune(app, &args.into()),
        Verb::Init(args) => init::run(app, args),
        Verb::Export(args) => export::run(app, args),
        Verb::MergeDriver(args) => merge_driver::run(app, args),
        Verb::Import(args) => import::run(app, args),
        Verb::Nightly => nightly::run(app),
        Verb::Forget => forget::run(app),
        Verb::Report(args) => report::run(app, args),
        Verb::Schedule(args) => schedule::run(app, args),
        // These are answered before there is an `App`.
        Verb::Completions { .. } | Verb::Help { .. } | Verb::Man { .. } | Verb::Question => Ok(Exit::Done),
    }
}
