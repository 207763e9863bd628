//! `lessons edit`: a lesson changed.

use anyhow::{Result, bail};
use lessons_core::lesson::Lesson;
use lessons_store::load;

use crate::app::{App, Exit, Refused};
use crate::args::Edit;
use crate::verbs::{add, change};
use crate::{fields, places};

pub(crate) fn run(app: &App, args: &Edit) -> Result<Exit> {
    let graph = load::lessons(&app.home)?;
    let before = change::find(&graph, &args.id)?.clone();
    let mut lesson = before.clone();
    if let Some(path) = &args.json_input {
        lesson = merged(&before, add::read_json(path)?)?;
    }
    fields::apply(&args.fields, &mut lesson, &|text| places::project_key(app, text))?;
    if lesson == before {
        app.note(&format!("user/{} is as it was: nothing to change was given", before.id))?;
        return Ok(Exit::Done);
    }
    let warnings = change::checked(&lesson)?;
    lesson.updated_at = Some(app.now_text());
    change::save_one(app, "changed", &lesson, warnings)
}

/// The fields of `changes` over those of the lesson. The id stays.
fn merged(lesson: &Lesson, changes: serde_json::Value) -> Result<Lesson> {
    let mut value = serde_json::to_value(lesson)?;
    let (Some(object), serde_json::Value::Object(changes)) = (value.as_object_mut(), changes) else {
        bail!(Refused("the changes are not a JSON object".into()));
    };
    object.extend(changes);
    object.insert("id".into(), lesson.id.as_str().into());
    serde_json::from_value(value).map_err(|error| Refused(format!("the changes: {error}")).into())
}
