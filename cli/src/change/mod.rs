//! Saving a change to lessons and bringing it into force.
//!
//! What is changed is read and judged inside the lock, so that of two commands at once the second sees
//! what the first did.

pub(crate) mod summary;
pub(crate) mod undo;

use std::io::Write as _;

use anyhow::{Context, Result, bail};
use lessons_core::id::{Layer, LessonId, QualifiedId};
use lessons_core::lesson::{Lesson, MAX_TEXT_CHARS, Mode, Status};
use lessons_core::neutral::{self, line};
use lessons_core::validate::{self, Flaw, Level};
use lessons_store::capture::{self, Warning};
use lessons_store::curate::{self, Pruned, Trim};
use lessons_store::database::Database;
use lessons_store::graph::Graph;
use lessons_store::load;
use lessons_store::lock::Lock;
use lessons_store::transaction::{self, Beside, TransactionError};
use lessons_store::validate::Files;
use serde::Serialize;

use crate::app::{App, Coded, Exit, Output, Refused};
use crate::building::{self, Outcome};
use crate::change::summary::Summary;
use crate::lookup::ambiguous;
use crate::messages::{self, Message};
use crate::proof::{self, Forced, Tried, Way};
use crate::{cleaning, lint, project_files, project_names, usage_counts};

/// A lesson after a change, as it is told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changed {
    /// What was done: `added`, `changed` …
    pub(crate) done: &'static str,
    /// The lesson's id with its layer.
    pub(crate) id: String,
    /// Whether the hooks act on it now.
    in_force: bool,
    /// What to look at. People read it on standard error.
    pub(crate) warnings: Vec<Warning>,
    /// What nothing in force used any more, where that is tidied after every capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tidied: Option<Pruned>,
    /// Whether it should be in force.
    #[serde(skip)]
    wanted: bool,
}

impl Changed {
    /// What became of a lesson that was saved, by the build that followed.
    pub(crate) fn of(
        done: &'static str,
        lesson: &Lesson,
        mut warnings: Vec<Warning>,
        outcome: &Outcome,
    ) -> Self {
        let id = format!("user/{}", lesson.id);
        let wanted = lesson.status == Status::Active;
        let about = outcome.report.left_out.iter().chain(&outcome.report.warnings);
        for noted in about.filter(|noted| wanted && noted.id.to_string() == id) {
            let text = noted.reason.to_string();
            if !warnings.iter().any(|warning| warning.message == text) {
                warnings.push(text.into());
            }
        }
        let in_force = wanted && !outcome.report.left_out.iter().any(|noted| noted.id.to_string() == id);
        Self { done, id, in_force, warnings, tidied: None, wanted }
    }

    /// The same where the build did not come to its end: it is saved, and why it is not in force is told with it.
    pub(crate) fn unbuilt(
        done: &'static str,
        lesson: &Lesson,
        mut warnings: Vec<Warning>,
        why: &anyhow::Error,
    ) -> Self {
        let wanted = lesson.status == Status::Active;
        warnings.insert(0, messages::sentence(why).into());
        Self { done, id: format!("user/{}", lesson.id), in_force: false, warnings, tidied: None, wanted }
    }

    /// What was done, in a line.
    pub(crate) fn line(&self) -> String {
        let in_force = if self.in_force { "; it is in force from the next call on" } else { "" };
        format!("{} {}{in_force}", self.id, self.done)
    }

    /// Tells it.
    pub(crate) fn tell(&self, app: &App) -> Result<Exit> {
        app.answer(self)?;
        self.warn(app);
        Ok(self.exit())
    }

    /// Tells people what to look at.
    pub(crate) fn warn(&self, app: &App) {
        if app.output == Output::Text {
            for warning in &self.warnings {
                // A reader that has gone away cannot be told.
                let _ = writeln!(std::io::stderr(), "look: {}", neutral::visible(&warning.message));
            }
        }
    }

    /// How the program ends.
    pub(crate) fn exit(&self) -> Exit {
        if self.wanted && !self.in_force { Exit::Findings } else { Exit::Done }
    }
}

/// What a change works on.
pub(crate) struct Draft<'a> {
    /// The lessons.
    pub(crate) graph: &'a mut Graph,
    /// What changes along with them.
    pub(crate) beside: &'a mut Beside,
    /// Which of them are said to have a reason to refuse calls without proof.
    pub(crate) forced: Forced,
}

impl Draft<'_> {
    /// Writes down why one of the lessons should refuse calls without proof, where somebody says why.
    pub(crate) fn force(&mut self, id: &LessonId, reason: Option<&String>) -> Result<()> {
        let (Some(given), Some(lesson)) = (reason, self.graph.get(id)) else { return Ok(()) };
        let mut lesson = lesson.clone();
        proof::force(&mut lesson, given)?;
        self.graph.put(&lesson)?;
        self.forced.note(id, reason);
        Ok(())
    }
}

/// What a change is called, and how it came about.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// What the journal calls it, in a word.
    pub(crate) done: &'static str,
    /// How it came about.
    pub(crate) way: Way,
    /// What is known of lessons that would refuse.
    pub(crate) tried: &'a Tried,
}

/// What a change makes of the store.
pub(crate) enum Edit {
    /// This lesson is saved. The warnings are told with it.
    Save(Box<Lesson>, Vec<Warning>),
    /// This lesson, which was there before, is saved with what another one adds to it.
    Join(Box<Lesson>, Vec<Warning>),
    /// Nothing has to be saved.
    Nothing(Message),
}

/// Cleans and judges a lesson that is about to be saved. Refuses it in all its errors at once, and
/// returns the warnings.
pub(crate) fn vetted(lesson: &mut Lesson, graph: &Graph, files: Option<&Files>) -> Result<Vec<Warning>> {
    let mut warnings: Vec<Warning> = cleaning::clean(lesson)?.into_iter().map(Warning::from).collect();
    let (errors, flaws): (Vec<_>, Vec<_>) =
        validate::flaws(lesson).into_iter().partition(|flaw| flaw.level == Level::Error);
    // To look at what it would refuse gives it an example, so that is what is asked for; the store refuses it without.
    let only_lacks_an_example = lesson.mode == Mode::Block
        && errors.iter().all(|flaw| flaw.code == validate::REFUSAL_WITHOUT_EXAMPLE);
    if !errors.is_empty() && !only_lacks_an_example {
        let text: Vec<_> = errors.iter().map(ToString::to_string).collect();
        bail!(Coded::refused(refusal(&errors, lesson), text.join("\n         ")));
    }
    if lesson.status == Status::Active && !capture::is_recallable(lesson) {
        bail!(Coded::refused(
            "UNRECALLABLE_LESSON",
            "no trigger can ever match: words such as `of` between others do not count, and then the rest does not \
             stand together; take the words that do (UNRECALLABLE_LESSON)"
        ));
    }
    let found = capture::warnings(lesson, graph, files);
    let is_said = |code: &str| found.iter().any(|warning| warning.code == Some(code));
    let flaws: Vec<_> = flaws.iter().filter(|flaw| !is_said(flaw.code)).collect();
    warnings.extend(flaws.into_iter().map(|flaw| Warning::coded(flaw.code, flaw.to_string())));
    warnings.extend(found);
    warnings.extend(lint::lint_lesson(lesson)?.into_iter().map(Warning::from));
    Ok(warnings)
}

/// The name of a refusal with these errors: that a lesson could never be told weighs most.
fn refusal(errors: &[Flaw], lesson: &Lesson) -> &'static str {
    let is_long = lesson.rule.chars().count() > MAX_TEXT_CHARS;
    if errors.iter().any(|flaw| flaw.code == "UNRECALLABLE_LESSON") {
        "UNRECALLABLE_LESSON"
    } else if is_long {
        "OVERSIZED_RULE"
    } else {
        errors.first().map_or("SCHEMA_INVALID", |flaw| flaw.code)
    }
}

/// What kind of change is made of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is recorded, which is counted; what nothing in force uses is taken out along with it.
    Recording,
    /// It is there and becomes another.
    Changing,
}

/// Whether what nothing in force uses is taken out along with a change.
pub(crate) enum Tidying {
    /// It is not.
    Nothing,
    /// It is, by the files of the project.
    By(Option<Files>),
}

impl Tidying {
    /// What the settings say of a lesson that is recorded.
    pub(crate) fn of(app: &App) -> Result<Self> {
        let root = project_names::here().unwrap_or_default();
        let (config, _) = app.settings_at(&root.to_string_lossy())?;
        Ok(if config.auto_prune { Self::By(project_files::here()) } else { Self::Nothing })
    }

    /// What was taken out.
    pub(crate) fn tidied(&self, graph: &mut Graph) -> Result<Option<Pruned>> {
        let Self::By(files) = self else { return Ok(None) };
        let pruned = curate::prune(graph, files.as_ref(), Trim::Nothing)?;
        Ok(Some(pruned).filter(|pruned| !pruned.is_empty()))
    }
}

/// Changes one lesson, brings it into force, and says what came of it. All of that happens under one
/// lock. `edit` may be asked more than once.
pub(crate) fn one(
    app: &App,
    action: &'static str,
    kind: Kind,
    mut edit: impl FnMut(&mut Draft<'_>) -> Result<Edit>,
) -> Result<Exit> {
    let tidying = match kind {
        Kind::Recording => Tidying::of(app)?,
        Kind::Changing => Tidying::Nothing,
    };
    let ((edited, done, tidied), outcome) = save(app, action, Way::Typed, |draft| {
        let edited = edit(draft)?;
        let done = match &edited {
            Edit::Join(lesson, _) if draft.graph.get(&lesson.id) == Some(lesson) => "unchanged",
            Edit::Join(..) => "updated",
            Edit::Save(..) | Edit::Nothing(_) => action,
        };
        if let Edit::Save(lesson, _) | Edit::Join(lesson, _) = &edited {
            draft.graph.put(lesson)?;
        }
        Ok((edited, done, tidying.tidied(draft.graph)?))
    })?;
    let (lesson, warnings) = match edited {
        Edit::Save(lesson, warnings) | Edit::Join(lesson, warnings) => (lesson, warnings),
        Edit::Nothing(said) => {
            app.answer(&said)?;
            return Ok(Exit::Done);
        }
    };
    let mut changed = Changed::of(done, &lesson, warnings, &outcome);
    changed.tidied = tidied;
    if kind == Kind::Recording {
        usage_counts::captured(app, changed.done, changed.warnings.len());
    }
    changed.tell(app)
}

/// Changes the store and brings it into force, under one lock. `edit` may be asked more than once: what would
/// refuse calls is tried on the past in between, while nobody has to wait for the lock.
pub(crate) fn save<T>(
    app: &App,
    done: &'static str,
    way: Way,
    mut edit: impl FnMut(&mut Draft<'_>) -> Result<T>,
) -> Result<(T, Outcome)> {
    proof::proving(app, |tried| {
        let lock = app.lock()?;
        let mut database = Database::open(&app.home)?;
        let (value, _) = store(app, &lock, &mut database, Plan { done, way, tried }, &mut edit)?;
        Ok((value, bring_into_force(app, &lock, &database)?))
    })
}

/// Changes the store, and what changes along with it, as one change, for somebody who holds the lock. Returns its
/// number in the journal; none where nothing was another than before.
pub(crate) fn store<T>(
    app: &App,
    lock: &Lock,
    database: &mut Database,
    plan: Plan<'_>,
    edit: impl FnOnce(&mut Draft<'_>) -> Result<T>,
) -> Result<(T, Option<u64>)> {
    let deed = app.deed(plan.done);
    let mut stopped = None;
    let changed = transaction::run_beside(lock, database, &deed, |graph, beside| {
        drafted(app, plan, graph, beside, edit).map_err(|error| {
            stopped = Some(error);
            Stopped
        })
    });
    match (changed, stopped) {
        (_, Some(error)) => Err(error),
        (changed, None) => {
            let changed = changed.map_err(refused)?;
            Ok((changed.value, changed.change))
        }
    }
}

/// What a change would come to now. Nothing is saved.
pub(crate) fn preview<T>(
    app: &App,
    plan: Plan<'_>,
    edit: impl FnOnce(&mut Draft<'_>) -> Result<T>,
) -> Result<T> {
    let before = load::lessons(&app.home)?;
    let mut after = before.clone();
    let value = drafted(app, plan, &mut after, &mut Beside::default(), edit)?;
    transaction::judge(&before, &after).map_err(refused)?;
    Ok(value)
}

/// Works a change out in `graph`, and asks for proof where a lesson would refuse calls.
fn drafted<T>(
    app: &App,
    plan: Plan<'_>,
    graph: &mut Graph,
    beside: &mut Beside,
    edit: impl FnOnce(&mut Draft<'_>) -> Result<T>,
) -> Result<T> {
    let before = graph.clone();
    let mut draft = Draft { graph, beside, forced: Forced::default() };
    let value = edit(&mut draft)?;
    proof::demand(app, plan.way, plan.tried, &before, draft.graph, &draft.forced)?;
    Ok(value)
}

/// A change that the store refuses, under the name by which programs know that.
fn refused(error: TransactionError) -> anyhow::Error {
    match error {
        TransactionError::Invalid(problems) => match problems.as_slice() {
            [problem] if problem.flaw.code == validate::REFUSAL_WITHOUT_EXAMPLE => {
                Coded::refused(validate::REFUSAL_WITHOUT_EXAMPLE, problem.flaw.to_string()).into()
            }
            _ => Coded::refused("WRITE_REFUSED", TransactionError::Invalid(problems).to_string()).into(),
        },
        error => error.into(),
    }
}

/// Brings what was stored into force.
pub(crate) fn bring_into_force(app: &App, lock: &Lock, database: &Database) -> Result<Outcome> {
    building::build_locked(app, lock, database)
        .context("saved, not yet in force; run `lessons build` when this is mended")
}

/// Brings settings that were saved into force, also where a damaged store cannot be compiled. Returns what to
/// add to the answer: nothing, or what is damaged.
pub(crate) fn bring_settings_into_force(
    app: &App,
    lock: &Lock,
    database: Result<Database>,
) -> Result<String> {
    let built = database.and_then(|database| building::build_locked(app, lock, &database));
    let Err(why) = built else { return Ok(String::new()) };
    building::switch_in_force(app, lock, &app.settings()?.0)
        .with_context(|| format!("{why:#}"))
        .context("saved, not yet in force; run `lessons build` when this is mended")?;
    Ok(format!("\nLook: {why:#}"))
}

/// The change itself said no; why stands elsewhere, as the error that it is.
#[derive(Debug, thiserror::Error)]
#[error("the change was refused")]
struct Stopped;

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.line())?;
        if let Some(tidied) = &self.tidied {
            write!(f, "\n{}", Summary(tidied))?;
        }
        write!(f, "\nNext: lessons show {}", self.id)
    }
}

/// The user's lesson that `text` names: its id, with or without `user/`, or the start of it.
pub(crate) fn find<'g>(graph: &'g Graph, text: &str) -> Result<&'g Lesson> {
    let wanted = match text.parse::<QualifiedId>() {
        Ok(id) if id.layer == Layer::User => id.id.as_str().to_owned(),
        Ok(id) => bail!(Refused(format!("{id} is not yours to change; `lessons off {id}` switches it off"))),
        Err(_) => text.to_owned(),
    };
    if let Some(lesson) = LessonId::new(&wanted).ok().and_then(|id| graph.get(&id)) {
        return Ok(lesson);
    }
    let starting: Vec<_> = graph
        .lessons()
        .filter(|lesson| !wanted.is_empty() && lesson.id.as_str().starts_with(&wanted))
        .collect();
    match starting.as_slice() {
        [lesson] => Ok(lesson),
        [] => bail!(Coded::refused(
            "UNKNOWN_LESSON",
            format!("you have no lesson `{}`; `lessons list --all` shows all of them", line(text))
        )),
        several => bail!(Refused(ambiguous(text, several.iter().map(|lesson| &lesson.id)))),
    }
}

/// The id of a lesson that has not got one yet.
pub(crate) fn placeholder_id() -> Result<LessonId> {
    Ok(LessonId::new("new")?)
}

/// Refuses a lesson whose rule another one has already.
pub(crate) fn refuse_duplicate(graph: &Graph, lesson: &Lesson) -> Result<()> {
    match capture::same_rule(graph, lesson) {
        Some(same) => bail!(Coded::refused(
            "DUPLICATE_RULE",
            format!(
                "this is a duplicate: user/{0} says the same; change it with `lessons edit {0}`",
                same.id
            )
        )),
        None => Ok(()),
    }
}
