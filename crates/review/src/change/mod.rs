//! Saving changes to lessons and bringing them into force.
//!
//! A change is read, checked and written under the lock, so that of two concurrent commands the second sees the
//! result of the first.

mod changed;
pub mod in_project;
pub mod naming;
pub mod undo;

use std::collections::BTreeSet;
use std::slice;

use lessons_context::{Context, Error, Result, WhileDoing as _, refused_as, sentence};
use lessons_incident_check::check::{self, AcceptedIncidents};
use lessons_ledger::transaction::RowChanges;
use lessons_ledger::{Database, LedgerError, transaction};
use lessons_lesson::{Lesson, LessonId, Level, Mode, Status, validate};
use lessons_manifest_builder::{Patterns, examples};
use lessons_pattern::Trigger;
use lessons_publish::building::{self, Journal, Outcome};
use lessons_store::{Files, Graph, Lock, NewParts, Pruned, Warning, capture, curate};
use lessons_text::line;

pub use crate::change::changed::{Changed, Message, count_captured, count_refused, pruned_in_words};
pub use crate::change::naming::{find, full_id, refuse_duplicate};
use crate::checks::{agent_cap, own_advice};
use crate::proof::{self, ChangeOrigin, ForcedBlocks, LessonReplays};
use crate::{cleaning, lint, project_files, project_names};

/// The state that a change works on.
pub struct ChangeDraft<'a> {
    /// All of the user's lessons.
    pub graph: &'a mut Graph,
    /// The same as they were before the change.
    pub before: &'a Graph,
    /// Candidates and labels that change along with them.
    pub rows: &'a mut RowChanges,
    /// Lessons that may refuse calls without proof, because the person gave a reason.
    pub forced: ForcedBlocks,
    /// Lessons that a person accepts although they are like a critical incident.
    pub accepted_incidents: AcceptedIncidents,
    plan: Plan<'a>,
}

impl ChangeDraft<'_> {
    /// The saving of a lesson, with the word for the change.
    pub fn saving(&self, lesson: Lesson, warnings: Vec<Warning>) -> Edit {
        Edit::save(self.plan.done, lesson, warnings, self.before)
    }

    /// Puts the lesson of an edit among the others, with room for it, and adds what is to be said of that.
    pub fn put(&mut self, context: &Context, edit: &mut Edit) -> Result<()> {
        let Edit::Save(saved) = edit else { return Ok(()) };
        saved.warnings.extend(agent_cap::make_room(context, self.graph, &saved.lesson)?);
        self.graph.put(&saved.lesson)?;
        saved.warnings.extend(check::warnings(context, &saved.lesson));
        Ok(())
    }

    /// Adds warnings about lessons that fire at too many of the past calls. All are replayed together; one that refuses
    /// is judged with the change.
    pub fn warn_of_breadth(&self, edits: &mut [Edit]) -> Result<()> {
        let saved = edits.iter().filter_map(Edit::saved).map(|saved| &saved.lesson);
        let advising = saved.filter(|lesson| !lesson.mode.refuses());
        let measured = proof::breadth_warnings(self.plan.replays, advising)?;
        for edit in edits {
            if let Edit::Save(saved) = edit {
                let own = measured.iter().filter(|(id, _)| *id == saved.lesson.id);
                saved.warnings.extend(own.map(|(_, warning)| warning.clone()));
            }
        }
        Ok(())
    }

    /// Records that a person accepts a lesson although it is like a critical incident, if a reason is given.
    pub fn accept_incident(&mut self, id: &LessonId, reason: Option<&String>) {
        let reason = reason.map(|reason| cleaning::reason(reason)).filter(|reason| !reason.is_empty());
        self.accepted_incidents.extend(reason.map(|reason| (id.clone(), reason)));
    }

    /// Records the reason why a lesson may refuse calls without proof, if one is given.
    pub fn force(&mut self, id: &LessonId, reason: Option<&String>) -> Result<()> {
        let (Some(given), Some(lesson)) = (reason, self.graph.get(id)) else { return Ok(()) };
        let mut lesson = lesson.clone();
        proof::force(&mut lesson, given)?;
        self.graph.put(&lesson)?;
        self.forced.insert(id.clone());
        Ok(())
    }
}

/// The name and the origin of a change.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The word for the change in the journal.
    pub done: &'static str,
    /// The way in which the change came about.
    pub origin: ChangeOrigin,
    /// Replays that were already made of lessons that would refuse calls.
    pub replays: &'a LessonReplays,
}

/// A lesson that is saved.
pub struct SavedLesson {
    /// The word for the change: `added`, `changed` …
    pub done: &'static str,
    /// The lesson.
    pub lesson: Lesson,
    /// What is to be said of it.
    pub warnings: Vec<Warning>,
    /// Its parts that no lesson had before.
    pub new_parts: NewParts,
}

/// The outcome of working out a change to one lesson.
pub enum Edit {
    /// The lesson is saved.
    Save(Box<SavedLesson>),
    /// No lesson has to be saved.
    Nothing(Message),
}

impl Edit {
    /// The saving of a lesson that comes to the lessons of `before`.
    pub fn save(done: &'static str, lesson: Lesson, warnings: Vec<Warning>, before: &Graph) -> Self {
        let new_parts = NewParts::of(&lesson, before);
        Self::Save(Box::new(SavedLesson { done, lesson, warnings, new_parts }))
    }

    /// The lesson that is saved, if there is one.
    pub fn saved(&self) -> Option<&SavedLesson> {
        match self {
            Self::Save(saved) => Some(saved),
            Self::Nothing(_) => None,
        }
    }

    /// The answer once the lesson is stored and `built`. What was tidied is told with the first lesson.
    pub fn answered(
        self,
        context: &Context,
        built: Option<Result<&Outcome, &Error>>,
        tidied: &mut Option<Pruned>,
    ) -> Result<Saved> {
        match (self, built) {
            (Self::Save(saved), Some(built)) => {
                Ok(Saved::Lesson(Changed::of(context, *saved, built, tidied.take())))
            }
            (Self::Save(_), None) => Err(Error::Failed("a lesson was saved and not built".to_owned())),
            (Self::Nothing(said), _) => Ok(Saved::NoLesson(said)),
        }
    }
}

/// Cleans and validates a lesson before it is saved. Refuses it with all of its errors at once; returns the
/// warnings.
pub fn vetted(lesson: &mut Lesson, graph: &Graph, files: Option<&Files>) -> Result<Vec<Warning>> {
    let mut warnings: Vec<Warning> = cleaning::clean(lesson)?.into_iter().map(Warning::from).collect();
    warnings.extend(drop_repeated_triggers(lesson).into_iter().map(Warning::from));
    let (errors, flaws): (Vec<_>, Vec<_>) =
        validate::flaws(lesson).into_iter().partition(|flaw| flaw.level == Level::Error);
    // Labelling the calls that it would refuse adds an example, so labelling is asked for; the store refuses a lesson without.
    let only_lacks_an_example = lesson.mode == Mode::Block
        && errors.iter().all(|flaw| flaw.code == validate::REFUSAL_WITHOUT_EXAMPLE);
    if !errors.is_empty() && !only_lacks_an_example {
        let text: Vec<_> = errors.iter().map(ToString::to_string).collect();
        return refused_as(naming::code(&errors, lesson), text.join("\n         "));
    }
    if lesson.status == Status::Active && !capture::is_recallable(lesson) {
        return refused_as(
            "UNRECALLABLE_LESSON",
            "no trigger can ever match: articles and single characters between other words do not count, and then the \
             rest does not stand together; take the words that do (UNRECALLABLE_LESSON)",
        );
    }
    let found = capture::warnings(lesson, graph, files);
    let is_said = |code: &str| found.iter().any(|warning| warning.code == Some(code));
    let flaws: Vec<_> = flaws.iter().filter(|flaw| !is_said(flaw.code)).collect();
    warnings.extend(flaws.into_iter().map(|flaw| Warning::coded(flaw.code, flaw.to_string())));
    warnings.extend(found);
    warnings.extend(own_advice::keep_quiet(lesson));
    warnings.extend(own_advice::warnings(lesson));
    warnings.extend(lint::lint_lesson(lesson)?.into_iter().map(Warning::from));
    Ok(warnings)
}

/// Refuses a lesson whose own examples would keep it out of force, unless those of the lesson that it replaces do so already.
pub fn require_examples(lesson: &Lesson, before: Option<&Lesson>) -> Result<()> {
    let unmet = |lesson: &Lesson| examples::unmet(&lesson.user_id(), lesson, &Patterns::default());
    match unmet(lesson) {
        Some(why) if before.and_then(unmet).is_none() => {
            refused_as("EXAMPLE_NOT_MET", format!("{why}, so it would not be in force; nothing was changed"))
        }
        _ => Ok(()),
    }
}

/// Removes triggers that a list of the lesson names more than once, and returns a warning for each.
fn drop_repeated_triggers(lesson: &mut Lesson) -> Vec<String> {
    let lists = [&mut lesson.triggers, &mut lesson.also, &mut lesson.unless];
    let repeated = lists.into_iter().flat_map(|list| {
        let mut seen = BTreeSet::new();
        list.extract_if(.., move |trigger| !seen.insert(trigger.clone()))
    });
    let warning =
        |trigger: Trigger| format!("`{}` was given twice and is kept once", line(&trigger.to_string()));
    repeated.map(warning).collect()
}

/// Whether unused triggers and topics are removed along with a change.
pub enum Tidying {
    /// They stay.
    Nothing,
    /// They are removed; globs are checked against these files of the project.
    By(Option<Files>),
}

impl Tidying {
    /// The choice that the settings make for a recorded lesson.
    pub fn of(context: &Context) -> Result<Self> {
        let root = project_names::here().unwrap_or_default();
        let (config, _) = context.settings_at(&root.to_string_lossy())?;
        Ok(if config.auto_prune { Self::By(project_files::here()) } else { Self::Nothing })
    }

    /// Removes what is unused and returns it; `None` if there was nothing.
    pub fn tidied(&self, graph: &mut Graph) -> Result<Option<Pruned>> {
        let Self::By(files) = self else { return Ok(None) };
        let pruned = curate::prune(graph, files.as_ref(), None);
        Ok(Some(pruned).filter(|pruned| !pruned.is_empty()))
    }
}

/// What came of a change or a decision.
pub enum Saved {
    /// A lesson was saved.
    Lesson(Changed),
    /// A candidate was rejected, or nothing had to be done.
    NoLesson(Message),
}

/// Changes one lesson and brings it into force, under one lock. `edit` may be called more than once.
pub fn saved(
    context: &Context,
    action: &'static str,
    tidying: &Tidying,
    mut edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<Edit>,
) -> Result<Saved> {
    let ((edited, mut tidied), outcome) = save(context, action, ChangeOrigin::Command, |draft| {
        let mut edited = edit(draft)?;
        draft.put(context, &mut edited)?;
        draft.warn_of_breadth(slice::from_mut(&mut edited))?;
        Ok((edited, tidying.tidied(draft.graph)?))
    })?;
    edited.answered(context, Some(Ok(&outcome)), &mut tidied)
}

/// Changes the store and brings it into force, under one lock. `edit` may be called more than once: lessons that
/// would refuse calls are replayed in between, while the lock is free.
pub fn save<T>(
    context: &Context,
    done: &'static str,
    origin: ChangeOrigin,
    mut edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<(T, Outcome)> {
    proof::with_replays(context, |replays| {
        let (lock, mut database) = context.lock_database()?;
        let (value, _) = store(context, &lock, &mut database, Plan { done, origin, replays }, &mut edit)?;
        Ok((value, bring_into_force(context, &lock, &database)?))
    })
}

/// Changes the store, candidates and labels in one transaction; the caller holds the lock. Returns the number of the
/// change in the journal, `None` if nothing changed.
pub fn store<T>(
    context: &Context,
    lock: &Lock,
    database: &mut Database,
    plan: Plan<'_>,
    edit: impl FnOnce(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<(T, Option<u64>)> {
    let edit = |graph: &mut Graph, rows: &mut RowChanges| drafted(context, plan, graph, rows, edit);
    let deed = context.deed(plan.done);
    transaction::run_in(&context.store, lock, database, &deed, edit).map_err(|error| match error {
        LedgerError::Edit(error) => {
            error.downcast().map_or_else(Error::Other, |error| in_project::worded_error(context, *error))
        }
        error => naming::of_store(error),
    })
}

/// Works out a change and validates it, without saving.
pub fn preview<T>(
    context: &Context,
    plan: Plan<'_>,
    edit: impl FnOnce(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<T> {
    let before = context.store.read(&context.home)?.graph;
    let mut after = before.clone();
    let value = drafted(context, plan, &mut after, &mut RowChanges::default(), edit)?;
    transaction::judge(&context.store, &before, &after).map_err(naming::of_store)?;
    Ok(value)
}

/// Works out a change in `graph`, and demands proof where a lesson would newly refuse calls.
fn drafted<T>(
    context: &Context,
    plan: Plan<'_>,
    graph: &mut Graph,
    rows: &mut RowChanges,
    edit: impl FnOnce(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<T> {
    let before = graph.clone();
    let (forced, accepted_incidents) = (ForcedBlocks::default(), AcceptedIncidents::default());
    let mut draft = ChangeDraft { graph, before: &before, rows, forced, accepted_incidents, plan };
    let value = edit(&mut draft)?;
    check::require_acceptance(context, &before, draft.graph, &draft.accepted_incidents)?;
    proof::require_proof(context, plan.origin, plan.replays, &before, draft.graph, &draft.forced)?;
    Ok(value)
}

/// Builds, so that a saved change takes effect.
pub fn bring_into_force(context: &Context, lock: &Lock, database: &Database) -> Result<Outcome> {
    building::build_locked(context, lock, database)
        .while_doing(|| "saved, not yet in force; run `lessons build` when this is fixed".to_owned())
}

/// Brings saved settings into force, also when a corrupt store cannot be compiled. Returns text to append to the
/// answer: empty, or what is corrupt.
pub fn bring_settings_into_force(
    context: &Context,
    lock: &Lock,
    database: Result<Database>,
) -> Result<String> {
    let journal = if database.is_ok() { Journal::Recorded } else { Journal::Unusable };
    let built = database.and_then(|database| building::build_locked(context, lock, &database));
    let Err(why) = built else { return Ok(String::new()) };
    building::switch_in_force(context, lock, &context.settings()?.0, journal)
        .while_doing(|| sentence(&why))
        .while_doing(|| "saved, not yet in force; run `lessons build` when this is fixed".to_owned())?;
    Ok(format!("\nWarning: {}", sentence(&why)))
}
