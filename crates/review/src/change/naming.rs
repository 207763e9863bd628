//! How the lessons of the store that a verb changes are named and found.

use lessons_context::{Coded, Context, Error, Result, refused, refused_as};
use lessons_ledger::LedgerError;
use lessons_lesson::{Flaw, Layer, Lesson, LessonId, MAX_TEXT_CHARS, QualifiedId, validate};
use lessons_store::{Graph, capture};
use lessons_text::line;

use crate::lookup::only_one;

/// The full id of a lesson of the store that a verb changes.
pub fn full_id(context: &Context, id: &LessonId) -> String {
    QualifiedId { layer: context.store.layer(), id: id.clone() }.to_string()
}

/// Finds the lesson of the changed store that `text` names: its id, with or without its layer, or the start of it.
pub fn find<'g>(context: &Context, graph: &'g Graph, text: &str) -> Result<&'g Lesson> {
    let layer = context.store.layer();
    let wanted = match text.parse::<QualifiedId>() {
        Ok(id) if id.layer == layer => id.id.as_str().to_owned(),
        Ok(id) if layer != Layer::User => return refused(format!("{id} is no lesson of this project")),
        Ok(id) if matches!(id.layer, Layer::Project(_)) => {
            return refused(format!(
                "{id} is a project's lesson: in that project, --project changes it; `lessons off {id}` switches it off for you"
            ));
        }
        Ok(id) => return refused(format!("{id} is not yours to change; `lessons off {id}` switches it off")),
        Err(_) => text.to_owned(),
    };
    if let Some(lesson) = LessonId::new(&wanted).ok().and_then(|id| graph.get(&id)) {
        return Ok(lesson);
    }
    let starts = |lesson: &&Lesson| !wanted.is_empty() && lesson.id.as_str().starts_with(&wanted);
    let starting = graph.lessons().filter(starts).collect();
    if let Some(lesson) = only_one(text, starting, |lesson| lesson.id.to_string())? {
        return Ok(lesson);
    }
    let text = line(text);
    let why = if layer == Layer::User {
        format!("you have no lesson `{text}`; `lessons list --all` shows all of them")
    } else {
        format!(
            "this project has no lesson `{text}` of its own; `lessons list --project` shows those that it has"
        )
    };
    refused_as("UNKNOWN_LESSON", why)
}

/// Refuses a lesson whose rule an existing lesson already has.
pub fn refuse_duplicate(graph: &Graph, lesson: &Lesson) -> Result<()> {
    let Some(Lesson { id, .. }) = capture::same_rule(graph, lesson) else { return Ok(()) };
    let why = format!("this is a duplicate: user/{id} says the same; change it with `lessons edit {id}`");
    refused_as("DUPLICATE_RULE", why)
}

/// The code of a refusal with these errors. "Can never be told" outweighs every other error.
pub(super) fn code(errors: &[Flaw], lesson: &Lesson) -> &'static str {
    let is_long = lesson.rule.chars().count() > MAX_TEXT_CHARS;
    if errors.iter().any(|flaw| flaw.code == "UNRECALLABLE_LESSON") {
        "UNRECALLABLE_LESSON"
    } else if is_long {
        "OVERSIZED_RULE"
    } else {
        errors.first().map_or("SCHEMA_INVALID", |flaw| flaw.code)
    }
}

/// Turns the store's refusal into an error with a code.
pub(super) fn of_store(error: LedgerError) -> Error {
    let LedgerError::Invalid(problems) = &error else { return error.into() };
    let (code, text) = match problems.as_slice() {
        [problem] if problem.flaw.code == validate::REFUSAL_WITHOUT_EXAMPLE => {
            (validate::REFUSAL_WITHOUT_EXAMPLE, problem.flaw.to_string())
        }
        _ => ("WRITE_REFUSED", error.to_string()),
    };
    Coded::refused(code, text).into()
}
