//! The raw JSON of a changed lesson, edited only where the lesson changed.

use lessons_lesson::lesson::{Examples, Lesson, SampleCall, Scope};
use lessons_pattern::trigger::Trigger;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{PutError, read};

/// The fields that have another form in a graph, or unknown content inside.
const WRITTEN_APART: [&str; 6] = ["id", "triggers", "also", "unless", "scope", "examples"];

/// Changes `raw` from the content of `old` to that of `new`. Fields that are equal in both stay as they are, so that
/// unknown content survives; a field with its default value is left out.
///
/// `name` gives the id of a trigger in the graph.
pub(super) fn merge(
    raw: &mut Map<String, Value>,
    old: Option<&Lesson>,
    new: &Lesson,
    mut name: impl FnMut(&Trigger) -> Result<String, PutError>,
) -> Result<(), PutError> {
    if new.topics.is_empty() {
        return Err(PutError::NoTopic);
    }
    let (before, after) = (old.map(fields).unwrap_or_default(), fields(new));
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        raw.remove(name);
    }
    for (name, value) in after.into_iter().filter(|(name, value)| before.get(name) != Some(value)) {
        raw.insert(name, value);
    }
    if old.is_none_or(|old| old.scope != new.scope) {
        scope(raw, &new.scope);
    }
    if old.is_none_or(|old| old.examples != new.examples) {
        examples(raw, &new.examples);
    }
    for (list, triggers, before) in [
        ("triggers", &new.triggers, old.map(|old| &old.triggers)),
        ("also", &new.also, old.map(|old| &old.also)),
        ("unless", &new.unless, old.map(|old| &old.unless)),
    ] {
        if before == Some(triggers) {
            continue;
        }
        let ids: Vec<String> = triggers.iter().map(&mut name).collect::<Result<_, PutError>>()?;
        if ids.is_empty() && list != "triggers" {
            raw.remove(list);
        } else {
            raw.insert(list.to_owned(), ids.into());
        }
    }
    Ok(())
}

/// The fields that are written as they are. Those that the format requires are there with their default value too.
fn fields(lesson: &Lesson) -> Map<String, Value> {
    let Value::Object(mut fields) = json(lesson) else { return Map::new() };
    fields.retain(|name, _| !WRITTEN_APART.contains(&name.as_str()));
    fields.entry("evidence").or_insert_with(|| Value::Array(Vec::new()));
    fields.entry("status").or_insert_with(|| json(&lesson.status));
    fields
}

/// The JSON of plain data. The types of a lesson cannot fail to serialize.
fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// The object at `name`, empty if there is none.
fn object(raw: &Map<String, Value>, name: &str) -> Map<String, Value> {
    raw.get(name).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Sets `name` to `object`, or removes it if the object is empty.
fn put_object(raw: &mut Map<String, Value>, name: &str, object: Map<String, Value>) {
    if object.is_empty() {
        raw.remove(name);
    } else {
        raw.insert(name.to_owned(), Value::Object(object));
    }
}

fn scope(raw: &mut Map<String, Value>, scope: &Scope) {
    let mut merged = object(raw, "scope");
    for (name, list) in [("projects", &scope.projects), ("agents", &scope.agents)] {
        if list.is_empty() {
            merged.remove(name);
        } else {
            merged.insert(name.to_owned(), json(list));
        }
    }
    put_object(raw, "scope", merged);
}

fn examples(raw: &mut Map<String, Value>, examples: &Examples) {
    let mut merged = object(raw, "examples");
    for (name, calls) in [("fires", &examples.fires), ("quiet", &examples.quiet)] {
        let before = merged.remove(name);
        let before = before.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // A call that was there before keeps its raw form, with unknown fields.
        let kept = |call: &SampleCall| before.iter().find(|raw| read::sample(raw).as_ref() == Some(call));
        let calls: Vec<Value> =
            calls.iter().map(|call| kept(call).cloned().unwrap_or_else(|| json(call))).collect();
        if !calls.is_empty() {
            merged.insert(name.to_owned(), calls.into());
        }
    }
    put_object(raw, "examples", merged);
}
