//! `lessons add`: a lesson that a person records.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_core::id::TopicId;
use lessons_core::lesson::Lesson;
use lessons_core::neutral::{line, shortened};

use crate::app::{App, Exit, Refused};
use crate::args::{Add, Fields};
use crate::verbs::change::{self, Edit};
use crate::{cleaning, fields, places};

/// The longest JSON that is read, in bytes.
const LIMIT: u64 = 4 << 20;

pub(crate) fn run(app: &App, args: &Add) -> Result<Exit> {
    let mut lesson = match &args.json_input {
        Some(path) => from_json(app, path)?,
        None => blank(app, &args.fields)?,
    };
    fields::apply(&args.fields, &mut lesson, &|text| places::project_key(app, text))?;
    change::one(app, "added", |graph| {
        let warnings = change::vetted(&mut lesson, graph)?;
        if lesson.id == change::placeholder_id()? {
            change::refuse_duplicate(graph, &lesson)?;
            lesson.id = change::free_id(graph, &lesson)?;
        } else if graph.raw(lesson.id.as_str()).is_some() {
            bail!(Refused(format!("{} exists; change it with `lessons edit {}`", lesson.id, lesson.id)));
        } else {
            change::refuse_duplicate(graph, &lesson)?;
        }
        Ok(Edit::Save(Box::new(lesson), warnings))
    })
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
    let mut lesson: Lesson = parsed(value, "the lesson")?;
    if lesson.topics.is_empty() {
        lesson.topics.push(TopicId::new(fields::topic_of_tags(&lesson.tags)?.as_str())?);
    }
    Ok(lesson)
}

/// A lesson from JSON. What serde did not understand is shown, but not at its whole length.
pub(crate) fn parsed(value: serde_json::Value, what: &str) -> Result<Lesson> {
    serde_json::from_value(value).map_err(|error| {
        let error = shortened(&line(&cleaning::cleaned(&error.to_string())), 500);
        Refused(format!("{what}: {error}")).into()
    })
}

/// Reads JSON from a file, `-` being standard input.
pub(crate) fn read_json(path: &Path) -> Result<serde_json::Value> {
    let mut bytes = Vec::new();
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    let read = if is_stdin {
        std::io::stdin().take(LIMIT + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LIMIT + 1).read_to_end(&mut bytes))
    };
    read.with_context(|| name.clone())?;
    if bytes.len() as u64 > LIMIT {
        bail!(Refused(format!("{name} is larger than the {} MiB that are read", LIMIT >> 20)));
    }
    serde_json::from_slice(&bytes).map_err(|error| Refused(format!("{name}: {error}")).into())
}
