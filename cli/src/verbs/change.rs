//! Saving a change to lessons and bringing it into force.
//!
//! What is changed is read and judged inside the lock, so that of two commands at once the second sees
//! what the first did.

use anyhow::{Context, Result, bail};
use lessons_core::id::{Layer, LessonId, QualifiedId};
use lessons_core::lesson::{Lesson, Status};
use lessons_core::neutral::line;
use lessons_core::validate::{self, Level};
use lessons_store::database::Database;
use lessons_store::graph::Graph;
use lessons_store::journal::Deed;
use lessons_store::transaction::{self, TransactionError};
use serde::Serialize;

use crate::app::{App, Exit, Refused};
use crate::building::{self, Outcome};
use crate::said::Said;
use crate::{cleaning, worth};

/// A lesson after a change, as it is told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    /// What was done: `added`, `changed` …
    done: &'static str,
    /// The lesson's id with its layer.
    id: String,
    /// Whether the hooks act on it now.
    in_force: bool,
    /// What to look at.
    warnings: Vec<String>,
}

/// What a change makes of the store.
pub(crate) enum Edit {
    /// This lesson is saved. The warnings are told with it.
    Save(Box<Lesson>, Vec<String>),
    /// Nothing has to be saved.
    Nothing(Said),
}

/// Cleans and judges a lesson that is about to be saved. Refuses it in all its errors at once, and
/// returns the warnings.
pub(crate) fn vetted(lesson: &mut Lesson, graph: &Graph) -> Result<Vec<String>> {
    let mut warnings = cleaning::clean(lesson)?;
    let (errors, flaws): (Vec<_>, Vec<_>) =
        validate::flaws(lesson).into_iter().partition(|flaw| flaw.level == Level::Error);
    if !errors.is_empty() {
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        bail!(Refused(errors.join("\n         ")));
    }
    warnings.extend(flaws.iter().map(ToString::to_string));
    let active = graph.lessons().filter(|other| other.status == Status::Active);
    warnings.extend(worth::judged(lesson, active)?);
    Ok(warnings)
}

/// Changes one lesson, brings it into force, and says what came of it. All of that happens under one
/// lock.
pub(crate) fn one(
    app: &App,
    done: &'static str,
    edit: impl FnOnce(&mut Graph) -> Result<Edit>,
) -> Result<Exit> {
    let (edited, outcome) = save(app, done, |graph| {
        let edited = edit(graph)?;
        if let Edit::Save(lesson, _) = &edited {
            graph.put(lesson)?;
        }
        Ok(edited)
    })?;
    let (lesson, mut warnings) = match edited {
        Edit::Save(lesson, warnings) => (lesson, warnings),
        Edit::Nothing(said) => {
            app.answer(&said)?;
            return Ok(Exit::Done);
        }
    };
    let id = format!("user/{}", lesson.id);
    let wanted = lesson.status == Status::Active;
    let about = outcome.report.left_out.iter().chain(&outcome.report.warnings);
    for noted in about.filter(|noted| wanted && noted.id.to_string() == id) {
        let text = noted.reason.to_string();
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    }
    let in_force = wanted && !outcome.report.left_out.iter().any(|noted| noted.id.to_string() == id);
    app.answer(&Changed { done, id, in_force, warnings })?;
    Ok(if wanted && !in_force { Exit::Findings } else { Exit::Done })
}

/// Changes the store and brings it into force, under one lock.
pub(crate) fn save<T>(
    app: &App,
    done: &'static str,
    edit: impl FnOnce(&mut Graph) -> Result<T>,
) -> Result<(T, Outcome)> {
    let lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    let deed = Deed { actor: app.actor.words(), action: done.to_owned(), now: app.now_ms() };
    let mut stopped = None;
    let changed = transaction::run(&lock, &mut database, &deed, |graph| {
        edit(graph).map_err(|error| {
            stopped = Some(error);
            Stopped
        })
    });
    let value = match (changed, stopped) {
        (_, Some(error)) => return Err(error),
        (Err(error @ TransactionError::Invalid(_)), None) => bail!(Refused(error.to_string())),
        (changed, None) => changed?.value,
    };
    let outcome = building::build_locked(app, &lock, &database)
        .context("saved, not yet in force; run `lessons build` when this is mended")?;
    Ok((value, outcome))
}

/// The change itself said no; why stands elsewhere, as the error that it is.
#[derive(Debug, thiserror::Error)]
#[error("the change was refused")]
struct Stopped;

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.id, self.done)?;
        if self.in_force {
            write!(f, "; it is in force from the next call on")?;
        }
        for warning in &self.warnings {
            write!(f, "\n  look: {warning}")?;
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
        [] => bail!(Refused(format!(
            "you have no lesson `{}`; `lessons list --all` shows all of them",
            line(text)
        ))),
        several => bail!(Refused(ambiguous(text, several.iter().map(|lesson| &lesson.id)))),
    }
}

/// Says that the start of an id is not enough, with the first few that it could be.
pub(crate) fn ambiguous(text: &str, ids: impl ExactSizeIterator<Item = impl ToString>) -> String {
    const NAMED: usize = 3;
    let more = ids.len().saturating_sub(NAMED);
    let names: Vec<_> = ids.take(NAMED).map(|id| id.to_string()).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("`{}` could be {}{more}; type more of it", line(text), names.join(", "))
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

/// Refuses a lesson whose rule another one has already.
pub(crate) fn refuse_duplicate(graph: &Graph, lesson: &Lesson) -> Result<()> {
    match graph.lessons().find(|known| known.id != lesson.id && same_rule(known, lesson)) {
        Some(same) => bail!(Refused(format!(
            "this is a duplicate: user/{} says the same; change it with `lessons edit {}`",
            same.id, same.id
        ))),
        None => Ok(()),
    }
}

/// Whether two lessons say the same: white space and case do not count.
fn same_rule(a: &Lesson, b: &Lesson) -> bool {
    let normal = |lesson: &Lesson| lesson.rule.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    normal(a) == normal(b)
}
