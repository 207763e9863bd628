//! Saving a change to lessons and bringing it into force.

use anyhow::{Context, Result, bail};
use lessons_core::id::{LessonId, QualifiedId};
use lessons_core::lesson::{Lesson, Status};
use lessons_core::validate::{self, Level};
use lessons_store::database::Database;
use lessons_store::graph::Graph;
use lessons_store::journal::Deed;
use lessons_store::transaction;
use serde::Serialize;

use crate::app::{App, Exit, Refused};
use crate::building::{self, Outcome};

/// A lesson after a change, as it is told.
#[derive(Debug, Serialize)]
pub(crate) struct Changed {
    /// What was done: `added`, `changed` …
    pub(crate) done: &'static str,
    /// The lesson's id with its layer.
    pub(crate) id: String,
    /// Whether the hooks act on it now.
    pub(crate) in_force: bool,
    /// What to look at.
    pub(crate) warnings: Vec<String>,
}

/// Refuses a lesson with an error, in all its errors at once. Returns the warnings.
pub(crate) fn checked(lesson: &Lesson) -> Result<Vec<String>> {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        validate::flaws(lesson).into_iter().partition(|flaw| flaw.level == Level::Error);
    if !errors.is_empty() {
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        bail!(Refused(errors.join("\n         ")));
    }
    Ok(warnings.iter().map(ToString::to_string).collect())
}

/// Saves lessons and brings them into force, under one lock.
pub(crate) fn save(app: &App, done: &'static str, lessons: &[Lesson]) -> Result<Outcome> {
    let lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    let deed = Deed { actor: app.actor.words(), action: done.to_owned(), now: app.now_ms() };
    transaction::run(&lock, &mut database, &deed, |graph| {
        lessons.iter().try_for_each(|lesson| graph.put(lesson))
    })?;
    building::build_locked(app, &lock, &database)
        .context("saved, not yet in force; run `lessons build` when this is mended")
}

/// Saves one lesson, brings it into force, and says what came of it.
pub(crate) fn save_one(
    app: &App,
    done: &'static str,
    lesson: &Lesson,
    mut warnings: Vec<String>,
) -> Result<Exit> {
    let outcome = save(app, done, std::slice::from_ref(lesson))?;
    let id = format!("user/{}", lesson.id);
    let about = outcome.report.left_out.iter().chain(&outcome.report.warnings);
    for noted in about.filter(|noted| noted.id.to_string() == id && noted.reason.is_finding()) {
        let text = noted.reason.to_string();
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    }
    let wanted = lesson.status == Status::Active;
    let in_force = wanted && !outcome.report.left_out.iter().any(|noted| noted.id.to_string() == id);
    app.answer(&Changed { done, id, in_force, warnings })?;
    Ok(if wanted && !in_force { Exit::Findings } else { Exit::Done })
}

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.id, self.done)?;
        if self.in_force {
            write!(f, "; it is in force from the next call on")?;
        }
        for warning in &self.warnings {
            write!(f, "\n  look: {warning}")?;
        }
        write!(f, "\nSee it whole: lessons show {}", self.id)
    }
}

/// The user's lesson that `text` names: its id, with or without `user/`, or the start of it.
pub(crate) fn find<'g>(graph: &'g Graph, text: &str) -> Result<&'g Lesson> {
    let wanted = match text.parse::<QualifiedId>() {
        Ok(id) if id.layer == lessons_core::id::Layer::User => id.id.as_str().to_owned(),
        Ok(id) => bail!(Refused(format!("{id} is not yours to change; `lessons off {id}` switches it off"))),
        Err(_) => text.to_owned(),
    };
    if let Some(lesson) = LessonId::new(&wanted).ok().and_then(|id| graph.get(&id)) {
        return Ok(lesson);
    }
    let mut starting = graph.lessons().filter(|lesson| lesson.id.as_str().starts_with(&wanted));
    match (starting.next(), starting.next()) {
        (Some(lesson), None) => Ok(lesson),
        (Some(a), Some(b)) => {
            bail!(Refused(format!("`{text}` could be {} or {} or more; type more of it", a.id, b.id)))
        }
        _ => bail!(Refused(format!("there is no lesson `{text}`; `lessons list --all` shows all of them"))),
    }
}

/// An id for a new lesson: its topic and the first words of its summary or rule, with a number where
/// that is taken.
pub(crate) fn free_id(graph: &Graph, lesson: &Lesson) -> Result<LessonId> {
    const MOST: usize = 60;
    let topic = lesson.topics.first().map(|topic| topic.as_str().to_owned()).unwrap_or_default();
    let words = lesson.summary.as_deref().unwrap_or(&lesson.rule);
    let base =
        lessons_core::id::slug(&format!("{topic} {words}"), MOST).unwrap_or_else(|| "lesson".to_owned());
    let free = |id: &String| graph.raw(id).is_none();
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let id = std::iter::once(base.clone()).chain(numbered).find(free).unwrap_or(base.clone());
    Ok(LessonId::new(&id)?)
}

/// The id of a lesson that has not got one yet.
pub(crate) fn placeholder_id() -> Result<LessonId> {
    Ok(LessonId::new("new")?)
}

/// Whether two lessons say the same: white space and case do not count.
pub(crate) fn same_rule(a: &Lesson, b: &Lesson) -> bool {
    let normal = |lesson: &Lesson| lesson.rule.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    normal(a) == normal(b)
}
