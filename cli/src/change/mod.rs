//! Saving changes to lessons and bringing them into force.
//!
//! A change is read, checked and written under the lock, so that of two concurrent commands the second sees the
//! result of the first.

pub(crate) mod in_project;
pub(crate) mod naming;
mod refusal;
pub(crate) mod summary;
pub(crate) mod undo;

use std::io::Write as _;

use anyhow::{Context, Result, bail};
use lessons_context::error::{Coded, Exit};
use lessons_context::known_projects::{EVERYWHERE, KnownProjects};
use lessons_context::proposal;
use lessons_incident_check::check::AcceptedIncidents;
use lessons_ledger::database::Database;
use lessons_ledger::transaction::{self, RowChanges};
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Mode, Scope, Status};
use lessons_lesson::validate::{self, Level};
use lessons_pattern::trigger::Trigger;
use lessons_publish::building::{self, Journal, Outcome};
use lessons_review::{cleaning, evidence, lint, project_files, project_names};
use lessons_store::capture::{self, Warning};
use lessons_store::curate::{self, Pruned, Trim};
use lessons_store::graph::Graph;
use lessons_store::location::StoreLocation;
use lessons_store::lock::Lock;
use lessons_store::telemetry::NewParts;
use lessons_store::validate::Files;
use lessons_text::neutral::{self, line};
use serde::Serialize;

use crate::app::{App, Output};
pub(crate) use crate::change::naming::{find, full_id, placeholder_id, refuse_duplicate};
use crate::change::summary::Summary;
use crate::checks::{agent_cap, own_advice};
use crate::proof::{self, ChangeOrigin, ForcedBlocks, LessonReplays};
use crate::ui::messages::{self, Message};
use crate::ui::paint::Paint;

/// A lesson that was changed, as the answer of a verb.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changed {
    /// The word for the change: `added`, `changed` …
    pub(crate) done: &'static str,
    /// The lesson's id with its layer.
    pub(crate) id: String,
    /// Whether the hooks act on the lesson now.
    in_force: bool,
    /// When it is told, in words; `None` for a lesson that was put away.
    #[serde(skip)]
    occasion: Option<String>,
    /// Warnings. People read them on standard error.
    pub(crate) warnings: Vec<Warning>,
    /// Unused triggers and topics that were removed along with the change, if the user wants that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tidied: Option<Pruned>,
    /// The parts of the lesson that no lesson had before, for counting.
    #[serde(skip)]
    pub(crate) new_parts: NewParts,
    /// Where the lesson holds, in words.
    #[serde(skip)]
    holds: String,
    /// Whether the lesson should be in force.
    #[serde(skip)]
    wanted: bool,
}

impl Changed {
    /// The answer for a saved lesson, from the report of the build that followed.
    pub(crate) fn of(
        app: &App,
        done: &'static str,
        lesson: &Lesson,
        mut warnings: Vec<Warning>,
        outcome: &Outcome,
    ) -> Self {
        let id = full_id(app, &lesson.id);
        let wanted = lesson.status == Status::Active;
        let about = outcome.report.left_out.iter().chain(&outcome.report.warnings);
        for noted in about.filter(|noted| wanted && noted.id.to_string() == id) {
            let text = noted.reason.to_string();
            if !warnings.iter().any(|warning| warning.message == text) {
                warnings.push(text.into());
            }
        }
        let standing = in_project::standing(app, wanted.then_some(lesson));
        let is_approved = standing.as_ref().is_none_or(|standing| standing.is_approved);
        let is_left_out = outcome.report.left_out.iter().any(|noted| noted.id.to_string() == id);
        let in_force = wanted && is_approved && !is_left_out;
        for warning in &mut warnings {
            warning.message = in_project::worded(app, &warning.message);
        }
        warnings.extend(standing.into_iter().flat_map(|standing| standing.warnings));
        let occasion = occasion(app, lesson);
        let holds = match app.store {
            StoreLocation::User => KnownProjects::of(&app.home).holds(&lesson.scope.projects),
            StoreLocation::Project(_) => "only in this project".to_owned(),
        };
        let new_parts = NewParts::default();
        Self { done, id, in_force, occasion, warnings, tidied: None, new_parts, holds, wanted }
    }

    /// The answer for a saved lesson whose build failed: the reason becomes the first warning.
    pub(crate) fn unbuilt(
        app: &App,
        done: &'static str,
        lesson: &Lesson,
        mut warnings: Vec<Warning>,
        why: &anyhow::Error,
    ) -> Self {
        let wanted = lesson.status == Status::Active;
        warnings.insert(0, messages::sentence(why).into());
        let (id, new_parts) = (full_id(app, &lesson.id), NewParts::default());
        let occasion = occasion(app, lesson);
        let holds = String::new();
        Self { done, id, in_force: false, occasion, warnings, tidied: None, new_parts, holds, wanted }
    }

    /// The change in one line.
    pub(crate) fn line(&self) -> String {
        let Self { id, done, holds, .. } = self;
        let in_force = format!("; it is in force from the next call on, {holds}");
        format!("{id} {done}{}", if self.in_force { &in_force } else { "" })
    }

    /// Prints the answer and the warnings.
    pub(crate) fn tell(&self, app: &App) -> Result<Exit> {
        app.answer(self)?;
        self.warn(app);
        Ok(self.exit())
    }

    /// Prints the warnings for people.
    pub(crate) fn warn(&self, app: &App) {
        if app.ui.output == Output::Text {
            for warning in &self.warnings {
                // If standard error is closed, the warning is lost.
                let _ = writeln!(
                    std::io::stderr(),
                    "{} {}",
                    Paint::of_stderr().warning("warning:"),
                    neutral::visible(&warning.message)
                );
            }
        }
    }

    /// The exit status: findings if the lesson should be in force and is not.
    pub(crate) fn exit(&self) -> Exit {
        if self.wanted && !self.in_force { Exit::Findings } else { Exit::Done }
    }
}

/// When a lesson is told, if it is to be in force.
fn occasion(app: &App, lesson: &Lesson) -> Option<String> {
    let known = KnownProjects::of(&app.home);
    // The line above says where it holds.
    let anywhere = Lesson { scope: Scope { projects: Vec::new(), ..lesson.scope.clone() }, ..lesson.clone() };
    (lesson.status == Status::Active).then(|| proposal::occasion(&anywhere, &known))
}

/// The state that a change works on.
pub(crate) struct ChangeDraft<'a> {
    /// All of the user's lessons.
    pub(crate) graph: &'a mut Graph,
    /// The same as they were before the change.
    pub(crate) before: &'a Graph,
    /// Candidates and labels that change along with them.
    pub(crate) rows: &'a mut RowChanges,
    /// Lessons that may refuse calls without proof, because the person gave a reason.
    pub(crate) forced: ForcedBlocks,
    /// Lessons that a person accepts although they are like a critical incident.
    pub(crate) accepted_incidents: AcceptedIncidents,
    plan: Plan<'a>,
}

impl ChangeDraft<'_> {
    /// A warning for each of the lessons that fires at too many of the past calls.
    pub(crate) fn breadth_warnings<'l>(
        &self,
        lessons: impl Iterator<Item = &'l Lesson> + Clone,
    ) -> Result<Vec<(LessonId, Warning)>> {
        proof::breadth_warnings(self.plan.origin, self.plan.replays, lessons)
    }

    /// Records that a person accepts a lesson although it is like a critical incident, if a reason is given.
    pub(crate) fn accept_incident(&mut self, id: &LessonId, reason: Option<&String>) {
        let reason = reason.map(|reason| evidence::reason(reason)).filter(|reason| !reason.is_empty());
        self.accepted_incidents.extend(reason.map(|reason| (id.clone(), reason)));
    }

    /// Records the reason why a lesson may refuse calls without proof, if one is given.
    pub(crate) fn force(&mut self, id: &LessonId, reason: Option<&String>) -> Result<()> {
        let (Some(given), Some(lesson)) = (reason, self.graph.get(id)) else { return Ok(()) };
        let mut lesson = lesson.clone();
        proof::force(&mut lesson, given)?;
        self.graph.put(&lesson)?;
        self.forced.note(id, reason);
        Ok(())
    }
}

/// The name and the origin of a change.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// The word for the change in the journal.
    pub(crate) done: &'static str,
    /// The way in which the change came about.
    pub(crate) origin: ChangeOrigin,
    /// Replays that were already made of lessons that would refuse calls.
    pub(crate) replays: &'a LessonReplays,
}

/// The outcome of working out a change to one lesson.
pub(crate) enum Edit {
    /// The lesson is saved and the warnings are shown.
    Save(Box<Lesson>, Vec<Warning>),
    /// An existing lesson is saved with what a new one adds to it.
    Join(Box<Lesson>, Vec<Warning>),
    /// Nothing has to be saved.
    Nothing(Message),
}

/// Cleans and validates a lesson before it is saved. Refuses it with all of its errors at once; returns the
/// warnings.
pub(crate) fn vetted(lesson: &mut Lesson, graph: &Graph, files: Option<&Files>) -> Result<Vec<Warning>> {
    let mut warnings: Vec<Warning> = cleaning::clean(lesson)?.into_iter().map(Warning::from).collect();
    warnings.extend(drop_repeated_triggers(lesson).into_iter().map(Warning::from));
    let (errors, flaws): (Vec<_>, Vec<_>) =
        validate::flaws(lesson).into_iter().partition(|flaw| flaw.level == Level::Error);
    // Labelling the calls that it would refuse adds an example, so labelling is asked for; the store refuses a lesson without.
    let only_lacks_an_example = lesson.mode == Mode::Block
        && errors.iter().all(|flaw| flaw.code == validate::REFUSAL_WITHOUT_EXAMPLE);
    if !errors.is_empty() && !only_lacks_an_example {
        let text: Vec<_> = errors.iter().map(ToString::to_string).collect();
        bail!(Coded::refused(refusal::code(&errors, lesson), text.join("\n         ")));
    }
    if lesson.status == Status::Active && !capture::is_recallable(lesson) {
        bail!(Coded::refused(
            "UNRECALLABLE_LESSON",
            "no trigger can ever match: articles and single characters between other words do not count, and then the \
             rest does not stand together; take the words that do (UNRECALLABLE_LESSON)"
        ));
    }
    let found = capture::warnings(lesson, graph, files);
    let is_said = |code: &str| found.iter().any(|warning| warning.code == Some(code));
    let flaws: Vec<_> = flaws.iter().filter(|flaw| !is_said(flaw.code)).collect();
    warnings.extend(flaws.into_iter().map(|flaw| Warning::coded(flaw.code, flaw.to_string())));
    warnings.extend(found);
    warnings.extend(own_advice::warnings(lesson));
    warnings.extend(lint::lint_lesson(lesson)?.into_iter().map(Warning::from));
    Ok(warnings)
}

/// Removes triggers that a list of the lesson names more than once, and returns a warning for each.
fn drop_repeated_triggers(lesson: &mut Lesson) -> Vec<String> {
    let mut warnings = Vec::new();
    for list in [&mut lesson.triggers, &mut lesson.also, &mut lesson.unless] {
        let mut kept: Vec<Trigger> = Vec::with_capacity(list.len());
        for trigger in list.drain(..) {
            if kept.contains(&trigger) {
                warnings.push(format!("`{}` was given twice and is kept once", line(&trigger.to_string())));
            } else {
                kept.push(trigger);
            }
        }
        *list = kept;
    }
    warnings
}

/// Whether unused triggers and topics are removed along with a change.
pub(crate) enum Tidying {
    /// They stay.
    Nothing,
    /// They are removed; globs are checked against these files of the project.
    By(Option<Files>),
}

impl Tidying {
    /// The choice that the settings make for a recorded lesson.
    pub(crate) fn of(app: &App) -> Result<Self> {
        let root = project_names::here().unwrap_or_default();
        let (config, _) = app.settings_at(&root.to_string_lossy())?;
        Ok(if config.auto_prune { Self::By(project_files::here()) } else { Self::Nothing })
    }

    /// Removes what is unused and returns it; `None` if there was nothing.
    pub(crate) fn tidied(&self, graph: &mut Graph) -> Result<Option<Pruned>> {
        let Self::By(files) = self else { return Ok(None) };
        let pruned = curate::prune(graph, files.as_ref(), Trim::Nothing)?;
        Ok(Some(pruned).filter(|pruned| !pruned.is_empty()))
    }
}

/// The outcome of a change to one lesson.
pub(crate) enum Saved {
    /// The lesson was saved.
    Lesson(Changed),
    /// Nothing had to be saved.
    Nothing(Message),
}

/// Changes one lesson, brings it into force and prints the answer, all under one lock. `edit` may be called more than
/// once.
pub(crate) fn one(
    app: &App,
    action: &'static str,
    edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<Edit>,
) -> Result<Exit> {
    match saved(app, action, &Tidying::Nothing, edit)? {
        Saved::Lesson(changed) => changed.tell(app),
        Saved::Nothing(said) => {
            app.answer(&said)?;
            Ok(Exit::Done)
        }
    }
}

/// Changes one lesson and brings it into force, under one lock. `edit` may be called more than once.
pub(crate) fn saved(
    app: &App,
    action: &'static str,
    tidying: &Tidying,
    mut edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<Edit>,
) -> Result<Saved> {
    let ((edited, done, tidied, new_parts), outcome) = save(app, action, ChangeOrigin::Command, |draft| {
        let mut edited = edit(draft)?;
        let done = match &edited {
            Edit::Join(lesson, _) if draft.graph.get(&lesson.id) == Some(lesson) => "unchanged",
            Edit::Join(..) => "updated",
            Edit::Save(..) | Edit::Nothing(_) => action,
        };
        let mut new_parts = NewParts::default();
        if let Edit::Save(lesson, warnings) | Edit::Join(lesson, warnings) = &mut edited {
            new_parts = NewParts::of(lesson, draft.before);
            warnings.extend(agent_cap::make_room(app, draft.graph, lesson)?);
            draft.graph.put(lesson)?;
            warnings.extend(lessons_incident_check::check::warnings(app, lesson));
            // A lesson that refuses is judged with the change.
            let advising = std::iter::once(&**lesson).filter(|lesson| !lesson.mode.refuses());
            let measured = draft.breadth_warnings(advising)?;
            warnings.extend(measured.into_iter().map(|(_, warning)| warning));
        }
        Ok((edited, done, tidying.tidied(draft.graph)?, new_parts))
    })?;
    Ok(match edited {
        Edit::Save(lesson, warnings) | Edit::Join(lesson, warnings) => {
            let changed = Changed::of(app, done, &lesson, warnings, &outcome);
            Saved::Lesson(Changed { tidied, new_parts, ..changed })
        }
        Edit::Nothing(said) => Saved::Nothing(said),
    })
}

/// Changes the store and brings it into force, under one lock. `edit` may be called more than once: lessons that
/// would refuse calls are replayed in between, while the lock is free.
pub(crate) fn save<T>(
    app: &App,
    done: &'static str,
    origin: ChangeOrigin,
    mut edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<(T, Outcome)> {
    proof::with_replays(app, |replays| {
        let lock = app.lock()?;
        let mut database = Database::open(&app.home)?;
        let (value, _) = store(app, &lock, &mut database, Plan { done, origin, replays }, &mut edit)?;
        Ok((value, bring_into_force(app, &lock, &database)?))
    })
}

/// Changes the store, candidates and labels in one transaction; the caller holds the lock. Returns the number of the
/// change in the journal, `None` if nothing changed.
pub(crate) fn store<T>(
    app: &App,
    lock: &Lock,
    database: &mut Database,
    plan: Plan<'_>,
    edit: impl FnOnce(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<(T, Option<u64>)> {
    let deed = app.deed(plan.done);
    let mut stopped = None;
    let changed = transaction::run_in(&app.store, lock, database, &deed, |graph, rows| {
        drafted(app, plan, graph, rows, edit).map_err(|error| {
            stopped = Some(error);
            Stopped
        })
    });
    match (changed, stopped) {
        (_, Some(error)) => Err(in_project::worded_error(app, error)),
        (changed, None) => {
            let changed = changed.map_err(refusal::of_store)?;
            Ok((changed.value, changed.change))
        }
    }
}

/// Works out a change and validates it, without saving.
pub(crate) fn preview<T>(
    app: &App,
    plan: Plan<'_>,
    edit: impl FnOnce(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<T> {
    let before = app.store.read(&app.home)?.graph;
    let mut after = before.clone();
    let value = drafted(app, plan, &mut after, &mut RowChanges::default(), edit)?;
    transaction::judge(&app.store, &before, &after).map_err(refusal::of_store)?;
    Ok(value)
}

/// Works out a change in `graph`, and demands proof where a lesson would newly refuse calls.
fn drafted<T>(
    app: &App,
    plan: Plan<'_>,
    graph: &mut Graph,
    rows: &mut RowChanges,
    edit: impl FnOnce(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<T> {
    let before = graph.clone();
    let (forced, accepted_incidents) = (ForcedBlocks::default(), AcceptedIncidents::default());
    let mut draft = ChangeDraft { graph, before: &before, rows, forced, accepted_incidents, plan };
    let value = edit(&mut draft)?;
    lessons_incident_check::check::require_acceptance(app, &before, draft.graph, &draft.accepted_incidents)?;
    proof::require_proof(app, plan.origin, plan.replays, &before, draft.graph, &draft.forced)?;
    Ok(value)
}

/// Builds, so that a saved change takes effect.
pub(crate) fn bring_into_force(app: &App, lock: &Lock, database: &Database) -> Result<Outcome> {
    building::build_locked(app, lock, database)
        .context("saved, not yet in force; run `lessons build` when this is fixed")
}

/// Brings saved settings into force, also when a corrupt store cannot be compiled. Returns text to append to the
/// answer: empty, or what is corrupt.
pub(crate) fn bring_settings_into_force(
    app: &App,
    lock: &Lock,
    database: Result<Database>,
) -> Result<String> {
    let journal = if database.is_ok() { Journal::Recorded } else { Journal::Unusable };
    let built = database.and_then(|database| building::build_locked(app, lock, &database));
    let Err(why) = built else { return Ok(String::new()) };
    building::switch_in_force(app, lock, &app.settings()?.0, journal)
        .with_context(|| format!("{why:#}"))
        .context("saved, not yet in force; run `lessons build` when this is fixed")?;
    Ok(format!("\nWarning: {why:#}"))
}

/// A marker error: the edit itself failed, and its own error is reported instead.
#[derive(Debug, thiserror::Error)]
#[error("the change was refused")]
struct Stopped;

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.line())?;
        if let Some(occasion) = &self.occasion {
            write!(f, "\n  {occasion}")?;
        }
        if let Some(tidied) = &self.tidied {
            let layer = self.id.split_once('/').map_or("user", |(layer, _)| layer);
            write!(f, "\n{}", Summary { layer, pruned: tidied })?;
        }
        let is_new = matches!(self.done, "added" | "promoted") && self.id.starts_with("user/");
        if is_new && self.in_force && self.holds != EVERYWHERE {
            let id = self.id.trim_start_matches("user/");
            write!(f, "\nFor every project: lessons edit {id} --scope-project ''")?;
        }
        write!(f, "\nNext: lessons show {}", self.id)
    }
}
