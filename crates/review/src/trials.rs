//! Replaying lessons over the past sessions of this machine: one among the lessons in force, or many of them, each alone.

use lessons_context::{Context, Error, Refused, Result, refused};
use lessons_index::Settings;
use lessons_ledger::Database;
use lessons_lesson::{Contents, Layer, Lesson, QualifiedId};
use lessons_manifest_builder::report::Reason;
use lessons_manifest_builder::{Patterns, single};
use lessons_publish::in_force;
use lessons_replay::call_share::FEWEST_CALLS;
use lessons_replay::trial::TrialContext;
use lessons_replay::{CallShare, History, Replay, Trial};

use crate::lookup;

/// The most lessons that are replayed, the first ones.
pub const MOST_LESSONS: usize = 300;

/// The facts about this machine that an answer depends on.
#[derive(Debug, Clone)]
pub struct MachineFacts {
    home: String,
    user_home: Option<String>,
    now: u64,
}

impl MachineFacts {
    /// The facts as the hook would find them now.
    pub fn of(context: &Context) -> Self {
        let user_home = std::env::var_os("HOME").map(|home| home.to_string_lossy().into_owned());
        Self { home: context.home.root().to_string_lossy().into_owned(), user_home, now: context.now_ms() }
    }

    /// The same facts for a replay.
    pub fn context(&self) -> TrialContext<'_> {
        TrialContext { home: &self.home, user_home: self.user_home.as_deref(), now: self.now }
    }
}

/// Prepares a lesson of any layer for a replay among the lessons in force. The lesson itself need not be in force, nor
/// saved: this is how a proposal is tried.
pub fn trial(context: &Context, id: &QualifiedId, lesson: &Lesson) -> Result<Trial> {
    let corrupt = |error| in_force::cannot_be_read(context, error);
    let index = in_force::readable_index(context);
    let settings = context.settings()?.0.for_hooks();
    let roots = match &id.layer {
        Layer::User => roots(context, lesson)?,
        // The index knows where the lessons of others fire.
        Layer::Project(_) | Layer::Peer(_) | Layer::Seed => {
            let found = index.as_ref().map(|index| index.find(id)).transpose().map_err(corrupt)?.flatten();
            if found.is_none() && id.layer != Layer::Seed {
                return refused(format!(
                    "{id} is not in force, so it is not known where it would fire; run `lessons build`"
                ));
            }
            found.and_then(|(_, terms)| terms.roots)
        }
    };
    let patterns = index.as_ref().and_then(|index| index.patterns().ok()).unwrap_or_default();
    let alone = single::alone(id, lesson, roots, settings, &patterns)
        .map_err(|reason| Refused(format!("{id} cannot be tried: {reason}")))?;
    let trial = Trial::new(alone, &patterns).map_err(Error::of)?;
    Ok(match index {
        Some(index) => trial.among(index.manifest().map_err(corrupt)?, &patterns).map_err(Error::of)?,
        None => trial,
    })
}

/// The roots of the projects in a lesson's scope; `None` means everywhere.
pub fn roots(context: &Context, lesson: &Lesson) -> Result<Option<Vec<String>>> {
    let projects = &lesson.scope.projects;
    if projects.is_empty() {
        return Ok(None);
    }
    let database = Database::open(&context.home)?;
    let mut roots = Vec::new();
    for key in projects {
        roots.extend(database.roots_of(key)?);
    }
    if roots.is_empty() {
        let reason = Reason::UnknownProject { projects: projects.join(", ") };
        return refused(format!("{} cannot be tried: {reason}", lesson.id));
    }
    Ok(Some(roots))
}

/// The calls of the sessions on this machine, with as much of each as trials need.
pub fn history_for<'t>(context: &Context, mut trials: impl Iterator<Item = &'t Trial>) -> Result<History> {
    let is_kept = trials.any(|trial| trial.contents() == Contents::Keep);
    history(context, if is_kept { Contents::Keep } else { Contents::Skip })
}

/// All calls of the sessions on this machine. The watcher of the context is told how much of them is read.
pub fn history(context: &Context, contents: Contents) -> Result<History> {
    Ok(History::read(&lookup::transcript_folders(context, &[])?, contents, &*context.watcher))
}

/// A lesson to measure, which fires under `roots`, or everywhere for `None`.
pub struct MeasuredLesson<'l> {
    /// Its id.
    pub id: QualifiedId,
    /// The lesson.
    pub lesson: &'l Lesson,
    /// The folders below which it fires; `None` for everywhere.
    pub roots: Option<Vec<String>>,
}

impl<'l> MeasuredLesson<'l> {
    /// A lesson of the user; `None` if it is for projects that this machine does not know.
    pub fn of_user(context: &Context, lesson: &'l Lesson) -> Option<Self> {
        Some(Self { id: lesson.user_id(), lesson, roots: roots(context, lesson).ok()? })
    }
}

/// The shares of the past calls at which lessons fire.
#[derive(Debug, Default)]
pub struct MeasuredShares {
    /// The share of each lesson. None where there are too few calls to judge by.
    pub of: Vec<(QualifiedId, CallShare)>,
    /// The number of lessons that were not tried, because it would take too long.
    pub untried: usize,
}

impl MeasuredShares {
    /// The lessons that are too broad.
    pub fn too_broad(&self) -> impl Iterator<Item = &(QualifiedId, CallShare)> {
        self.of.iter().filter(|(_, share)| share.is_too_broad())
    }
}

/// Replays lessons, each alone, over the sessions of this machine. A lesson that cannot be compiled is left out.
pub fn measure(
    context: &Context,
    lessons: &[MeasuredLesson<'_>],
    patterns: &Patterns,
) -> Result<MeasuredShares> {
    let untried = lessons.len().saturating_sub(MOST_LESSONS);
    let mut trials = Vec::new();
    for MeasuredLesson { id, lesson, roots } in lessons.iter().take(MOST_LESSONS) {
        let Ok(alone) = single::alone(id, lesson, roots.clone(), Settings::default(), patterns) else {
            continue;
        };
        trials.push((id, Trial::new(alone, patterns).map_err(Error::of)?));
    }
    let history = history_for(context, trials.iter().map(|(_, trial)| trial))?;
    if history.len() < FEWEST_CALLS {
        return Ok(MeasuredShares::default());
    }
    let machine = MachineFacts::of(context);
    let share = |trial: &Trial| Replay::numbers(trial, &history, &machine.context()).share;
    let shares = trials.iter().map(|(id, trial)| ((*id).clone(), share(trial)));
    Ok(MeasuredShares { of: shares.collect(), untried })
}
