//! `lessons add`: a lesson that a person records.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_core::id::TopicId;
use lessons_core::lesson::Lesson;
use lessons_store::load;

use crate::app::{App, Exit, Refused};
use crate::args::{Add, Fields};
use crate::verbs::change;
use crate::{fields, places};

/// The longest JSON that is read, in bytes.
const LIMIT: u64 = 1 << 20;

pub(crate) fn run(app: &App, args: &Add) -> Result<Exit> {
    let mut lesson = match &args.json_input {
        Some(path) => from_json(app, path)?,
        None => blank(app, &args.fields)?,
    };
    fields::apply(&args.fields, &mut lesson, &|text| places::project_key(app, text))?;
    let warnings = change::checked(&lesson)?;
    let graph = load::lessons(&app.home)?;
    if let Some(same) = graph.lessons().find(|known| change::same_rule(known, &lesson)) {
        bail!(Refused(format!(
            "this is a duplicate: {} says the same; change it with `lessons edit {}`",
            same.id, same.id
        )));
    }
    if lesson.id == change::placeholder_id()? {
        lesson.id = change::free_id(&graph, &lesson)?;
    } else if graph.raw(lesson.id.as_str()).is_some() {
        bail!(Refused(format!("{} exists; change it with `lessons edit {}`", lesson.id, lesson.id)));
    }
    change::save_one(app, "added", &lesson, warnings)
}

fn blank(app: &App, fields: &Fields) -> Result<Lesson> {
    let Some(rule) = fields.rule.as_deref().filter(|rule| !rule.trim().is_empty()) else {
        bail!(Refused("--rule is required: what to do instead, in a sentence".into()));
    };
    let topic = fields::topic_of_tags(&fields.tag)?;
    Ok(Lesson::new(change::placeholder_id()?, rule, topic, app.now_text()))
}

/// Reads a lesson as JSON. What it does not say gets its default.
fn from_json(app: &App, path: &Path) -> Result<Lesson> {
    let mut value = read_json(path)?;
    let Some(object) = value.as_object_mut() else {
        bail!(Refused("the lesson is not a JSON object".into()))
    };
    if !object.contains_key("rule") {
        bail!(Refused("`rule` is required: what to do instead, in a sentence".into()));
    }
    object.entry("id").or_insert_with(|| "new".into());
    object.entry("createdAt").or_insert_with(|| app.now_text().into());
    let mut lesson: Lesson =
        serde_json::from_value(value).map_err(|error| Refused(format!("the lesson: {error}")))?;
    if lesson.topics.is_empty() {
        lesson.topics.push(TopicId::new(fields::topic_of_tags(&lesson.tags)?.as_str())?);
    }
    Ok(lesson)
}

/// Reads JSON from a file, `-` being standard input.
pub(crate) fn read_json(path: &Path) -> Result<serde_json::Value> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().take(LIMIT).read_to_string(&mut text).context("standard input")?;
    } else {
        let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
        file.take(LIMIT).read_to_string(&mut text).with_context(|| path.display().to_string())?;
    }
    serde_json::from_str(&text).map_err(|error| Refused(format!("{}: {error}", path.display())).into())
}
