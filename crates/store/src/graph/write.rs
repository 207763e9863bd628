//! The raw JSON of a changed lesson, edited only where the lesson changed.

use lessons_lesson::lesson::{Examples, Lesson, SampleCall, Scope};
use lessons_pattern::trigger::Trigger;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{PutError, read};

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
    let topic = new.topics.first().ok_or(PutError::NoTopic)?;
    let blank = Lesson::new(new.id.clone(), "", topic.clone(), "");
    let mut change = Change { raw, old, blank: &blank, new };

    change.required("rule", |lesson| &lesson.rule);
    change.required("topics", |lesson| &lesson.topics);
    change.required("evidence", |lesson| &lesson.evidence);
    change.required("status", |lesson| &lesson.status);
    change.required("createdAt", |lesson| &lesson.created_at);

    change.optional("mistake", |lesson| &lesson.mistake);
    change.optional("summary", |lesson| &lesson.summary);
    change.optional("rationale", |lesson| &lesson.rationale);
    change.optional("metacognition", |lesson| &lesson.metacognition);
    change.optional("phase", |lesson| &lesson.phase);
    change.optional("author", |lesson| &lesson.author);
    change.optional("detail", |lesson| &lesson.detail);
    change.optional("tags", |lesson| &lesson.tags);
    change.optional("tools", |lesson| &lesson.tools);
    change.optional("os", |lesson| &lesson.os);
    change.optional("shell", |lesson| &lesson.shell);
    change.optional("state", |lesson| &lesson.state);
    change.optional("mode", |lesson| &lesson.mode);
    change.optional("when", |lesson| &lesson.when);
    change.optional("priority", |lesson| &lesson.priority);
    change.optional("confidence", |lesson| &lesson.confidence);
    change.optional("severity", |lesson| &lesson.severity);
    change.optional("quality", |lesson| &lesson.quality);
    change.optional("subject", |lesson| &lesson.subject);
    change.optional("supersededBy", |lesson| &lesson.superseded_by);
    change.optional("updatedAt", |lesson| &lesson.updated_at);

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

/// The change of a lesson, being applied to its raw object.
struct Change<'a> {
    raw: &'a mut Map<String, Value>,
    old: Option<&'a Lesson>,
    blank: &'a Lesson,
    new: &'a Lesson,
}

impl Change<'_> {
    /// Writes a field that is always present.
    fn required<T: PartialEq + Serialize>(&mut self, name: &str, field: impl Fn(&Lesson) -> &T) {
        if self.old.is_none_or(|old| field(old) != field(self.new)) {
            self.raw.insert(name.to_owned(), json(field(self.new)));
        }
    }

    /// Writes a field that is left out at its default.
    fn optional<T: PartialEq + Serialize>(&mut self, name: &str, field: impl Fn(&Lesson) -> &T) {
        if self.old.is_some_and(|old| field(old) == field(self.new)) {
            return;
        }
        if field(self.new) == field(self.blank) {
            self.raw.remove(name);
        } else {
            self.raw.insert(name.to_owned(), json(field(self.new)));
        }
    }
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
