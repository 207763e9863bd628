//! `lessons promote`: make a candidate a lesson.

use lessons_lesson::QualifiedId;
use lessons_review::reflection::next;
use lessons_review::{Acceptance, ChangeOrigin, carry_out, duplicates};

use crate::args::{Fields, InProject};
use crate::change::{self, Changed, Saved, in_project};
use crate::prelude::*;
use crate::review::Decision;
use crate::verbs::deciding::curate::{self, Two};
use crate::verbs::deciding::on_off::{self, Off};
use crate::verbs::deciding::retire::{self, Retire};

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
    let app =
        &in_its_store(app, args).inspect_err(|error| change::count_refused(app, messages::exit(error)))?;
    let accept = args.reason.as_ref().filter(|_| !args.accept.is_empty());
    let accept = accept.map(|reason| Acceptance { flags: args.accept.clone(), reason: reason.clone() });
    let decision =
        Decision::Promote { candidate: args.id.clone(), fields: Box::new(args.fields.clone()), accept };
    let decided = carry_out::one(app, ChangeOrigin::Command, prompt::remedy(app), &decision);
    told(app, &decided.inspect_err(|error| change::count_refused(app, error.exit()))?.0)
}

/// The program with the store that the lesson goes into.
fn in_its_store(app: &App, args: &Promote) -> Result<App> {
    let candidate = next::candidate(app, &args.id)?;
    let app =
        if args.store.project { app.within(in_project::of_candidate(app, &candidate)?) } else { app.clone() };
    in_project::refuse_scope(&app, args.fields.scope_project.as_deref())?;
    Ok(app)
}

/// Arguments of `lessons reject`.
#[derive(Debug, Args)]
pub struct Reject {
    /// The candidate's id, or the start of it
    pub id: String,
    /// The reason
    #[arg(long)]
    pub reason: Option<String>,
}

pub(crate) fn reject(app: &App, args: &Reject) -> Result<Exit> {
    next::candidate(app, &args.id)?;
    let decision = Decision::Reject { candidate: args.id.clone(), reason: args.reason.clone() };
    change::tell(app, &carry_out::one(app, ChangeOrigin::Command, prompt::remedy(app), &decision)?.0)
}

/// Prints what came of a new lesson, and asks about each duplicate of it, until one answer takes the lesson out of force. Where
/// nobody can answer, the warnings name the commands.
pub(crate) fn told(app: &App, saved: &Saved) -> Result<Exit> {
    let exit = change::tell(app, saved)?;
    if let Saved::Lesson(changed) = saved {
        settle(app, changed)?;
    }
    Ok(exit)
}

fn settle(app: &App, saved: &Changed) -> Result<()> {
    let is_named = saved.warnings.iter().any(|warning| warning.code == Some(duplicates::CODE));
    if !is_named || !prompt::is_possible(app) {
        return Ok(());
    }
    let Ok(new) = saved.id.parse::<QualifiedId>() else { return Ok(()) };
    let graph = app.store.read(&app.home)?.graph;
    let Some(lesson) = graph.get(&new.id) else { return Ok(()) };
    for other in duplicates::of(app, lesson)? {
        let is_kept = if other.layer == app.store.layer() {
            settle_with_own(app, &new, &other)?
        } else {
            settle_with_foreign(app, &new, &other)?
        };
        if !is_kept {
            break;
        }
    }
    Ok(())
}

/// Asks about a lesson of the same store. Returns whether the new one stays.
fn settle_with_own(app: &App, new: &QualifiedId, other: &QualifiedId) -> Result<bool> {
    let two = |loser: &QualifiedId, keeper: &QualifiedId| Two {
        loser: loser.id.to_string(),
        keeper: keeper.id.to_string(),
        store: InProject::default(),
        force_block: None,
    };
    match prompt::ask(&format!("{other}:\n  [m]erge yours into it, [r]eplace it, or [K]eep both?"))?.as_str()
    {
        "m" | "merge" => curate::merge(app, &two(new, other)).map(|_| false),
        "r" | "replace" => curate::supersede(app, &two(other, new)).map(|_| true),
        _ => Ok(true),
    }
}

/// Asks about a lesson of another store. Returns whether the new one stays.
fn settle_with_foreign(app: &App, new: &QualifiedId, other: &QualifiedId) -> Result<bool> {
    match prompt::ask(&format!("{other}:\n  [r]etire yours, [s]witch it off, or [K]eep both?"))?.as_str() {
        "r" | "retire" => {
            retire::retire(app, &Retire { id: new.to_string(), store: InProject::default(), wrong: false })
                .map(|_| false)
        }
        "s" | "switch" => {
            on_off::off(app, &Off { id: other.to_string(), duration: None, session: false }).map(|_| true)
        }
        _ => Ok(true),
    }
}
