//! The fields of a raw lesson: typed when a graph is read, and written where they changed.
//!
//! A field of the wrong form makes the whole lesson unusable: a lesson that is half understood could fire where its
//! author did not want it. All flaws are reported at once. Null counts as missing.

use lessons_lesson::{Confidence, Examples, Lesson, LessonId, Priority, SampleCall, Scope, TopicId};
use lessons_pattern::Trigger;
use lessons_text::neutral;
use serde::de::value::MapDeserializer;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use serde_json::Value;

use super::triggers::Resolved;
use super::{GENERAL_TOPIC, LISTS, Object, Origin, PutError};
use crate::graph::problem::{Flaw, invalid, shown};

/// The fields that are there whatever they hold, each with what to write.
const REQUIRED: [(&str, &str); 5] = [
    ("rule", "write what to do instead"),
    ("createdAt", "write the day, for example 2026-01-31"),
    ("status", "write active, deprecated or superseded"),
    ("topics", "name at least one"),
    ("evidence", "say where it comes from, or write []"),
];

/// The fields that have another form in a graph, or unknown content inside.
const APART: [&str; 6] = ["id", "triggers", "also", "unless", "scope", "examples"];

/// The fields that are read with more care than serde takes.
const CHECKED: [&str; 3] = ["topics", "priority", "confidence"];

/// The fields without which serde reads no lesson; a stand-in takes the place of one that is missing.
const NEEDED: [&str; 3] = ["id", "rule", "createdAt"];

/// A function that resolves the id of a trigger.
pub(super) type Resolve<'a> = &'a dyn Fn(&str) -> Resolved<'a>;

/// Reads the lesson with this id: the lesson, if it is usable, and its flaws.
pub(super) fn lesson(
    id: &str,
    raw: &Value,
    triggers: Resolve<'_>,
    origin: Origin,
) -> (Option<Lesson>, Vec<Flaw>) {
    let mut flaws = Vec::new();
    let id = LessonId::new(id).map_err(|error| flaws.push(invalid(error.to_string(), "rename it"))).ok();
    let Value::Object(raw) = raw else {
        flaws.push(invalid("the lesson is not an object", "write it as {\"rule\": …}"));
        return (None, flaws);
    };
    let mut fields = Fields { raw, origin, flaws, usable: true };
    let lesson = fields.lesson(triggers);
    let lesson = lesson.filter(|_| fields.usable).zip(id).map(|(lesson, id)| Lesson { id, ..lesson });
    (lesson, fields.flaws)
}

/// The fields of a raw lesson while they are read.
struct Fields<'a> {
    raw: &'a Object,
    origin: Origin,
    flaws: Vec<Flaw>,
    usable: bool,
}

impl<'a> Fields<'a> {
    /// The lesson, under an id that stands for its own. What is left of one that is not usable is of no use.
    fn lesson(&mut self, triggers: Resolve<'_>) -> Option<Lesson> {
        for (name, hint) in REQUIRED {
            match self.get(name) {
                Some(Value::String(text)) if name == "rule" && text.trim().is_empty() => {
                    self.reject(format!("`{name}` is empty"), hint);
                }
                Some(_) => {}
                // A project's file is not the user's to fix.
                None if self.origin == Origin::Project && matches!(name, "topics" | "evidence") => {
                    self.flaws.push(Flaw::warning("SCHEMA_INVALID", format!("`{name}` is missing"), hint));
                }
                None => self.reject(format!("`{name}` is missing"), hint),
            }
        }
        let read = self.plain();
        let topics = self.topics();
        let scope =
            self.part("scope", "write it as {\"projects\": [\"…\"], \"agents\": [\"…\"]}", |raw| {
                Some(Scope { projects: list(raw, "projects", text)?, agents: list(raw, "agents", text)? })
            });
        let calls = "write calls as {\"tool\": \"Bash\", \"command\": \"…\"} in `fires` and `quiet`";
        let examples = self.part("examples", calls, |raw| {
            Some(Examples { fires: list(raw, "fires", sample)?, quiet: list(raw, "quiet", sample)? })
        });
        let (lowest, highest) = (f64::from(*Priority::RANGE.start()), f64::from(*Priority::RANGE.end()));
        let priority = self.number("priority", lowest, highest).and_then(|number| {
            // Other tools write 5.0; 5.5 is a mistake.
            let whole = Priority::RANGE.into_iter().find(|&it| (f64::from(it) - number).abs() < f64::EPSILON);
            if whole.is_none() {
                self.reject("`priority` is not a whole number", "write a whole number from 1 to 10");
            }
            Priority::new(whole?).ok()
        });
        let confidence = self.number("confidence", 0.0, 1.0).and_then(|number| Confidence::new(number).ok());
        let [triggers, also, unless] = LISTS.map(|name| self.triggers(name, triggers));
        Some(Lesson {
            topics,
            scope,
            examples,
            priority: priority.unwrap_or_default(),
            confidence: confidence.unwrap_or_default(),
            triggers,
            also,
            unless,
            ..read?
        })
    }

    /// Reports a flaw that makes the lesson unusable.
    fn reject(&mut self, what: impl Into<String>, hint: impl Into<String>) {
        self.usable = false;
        self.flaws.push(invalid(what, hint));
    }

    /// A field that is present and not null.
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.raw.get(name).filter(|value| !value.is_null())
    }

    /// The lesson with its plain fields alone.
    fn plain(&mut self) -> Option<Lesson> {
        let stand_in = Value::from("x");
        let raw = self.raw;
        let is_plain = |name: &str| !APART.contains(&name) && !CHECKED.contains(&name);
        let field = |name: &str| raw.get(name).filter(|value| !value.is_null() && is_plain(name));
        let needed = |name: &str| NEEDED.contains(&name).then_some(&stand_in);
        let whole = Lesson::deserialize(KnownFields(|name| field(name).or_else(|| needed(name))));
        if whole.is_err() {
            for only in raw.keys() {
                let one = |name: &str| field(name).filter(|_| name == only).or_else(|| needed(name));
                if let Err(error) = Lesson::deserialize(KnownFields(one)) {
                    self.misread(only, &error);
                }
            }
        }
        whole.ok()
    }

    /// Reports that serde could not read a field.
    fn misread(&mut self, name: &str, error: &serde_json::Error) {
        let error = error.to_string();
        match error.rsplit_once(", expected ") {
            Some((_, form)) => {
                let form = form.replace("a sequence", "a list").replace("a string", "a text in quotes");
                self.reject(format!("`{name}` is not {form}"), format!("write {form}"));
            }
            None => self.reject(format!("`{name}`: {}", neutral::line(&error)), "rename it"),
        }
    }

    fn topics(&mut self) -> Vec<TopicId> {
        let topics = self.get("topics").map_or_else(|| Ok(Vec::new()), Vec::<TopicId>::deserialize);
        let mut topics = topics.map_err(|error| self.misread("topics", &error)).unwrap_or_default();
        if topics.is_empty() && self.usable {
            match self.origin {
                Origin::Own => self.reject("`topics` is empty", "name at least one"),
                Origin::Project => topics.extend(TopicId::new(GENERAL_TOPIC)),
            }
        }
        topics
    }

    /// A number within `low..=high`. Outside, the user's own lesson is unusable and a project's number is clamped.
    fn number(&mut self, name: &str, low: f64, high: f64) -> Option<f64> {
        let number = self.get(name)?.as_f64();
        if let Some(number) = number.filter(|number| (low..=high).contains(number)) {
            return Some(number);
        }
        let allowed = format!("a number from {low} to {high}");
        let flaw = format!("`{name}` is not {allowed}");
        if let (Some(number), Origin::Project) = (number, self.origin) {
            let clamped = number.clamp(low, high);
            self.flaws.push(Flaw::warning("NUMBER_CLAMPED", flaw, format!("{clamped} is used")));
            Some(clamped)
        } else {
            self.reject(flaw, format!("write {allowed}"));
            None
        }
    }

    /// An object with lists, empty where it is missing.
    fn part<T: Default>(&mut self, name: &str, hint: &str, read: impl Fn(&Object) -> Option<T>) -> T {
        let Some(raw) = self.get(name) else { return T::default() };
        raw.as_object().and_then(read).unwrap_or_else(|| {
            self.reject(format!("`{name}` holds something of another form"), hint);
            T::default()
        })
    }

    /// A list of triggers. Without one of `triggers` the others still work; without an `also` or
    /// `unless` the lesson would fire where it should not, so it is taken out.
    fn triggers(&mut self, name: &str, triggers: Resolve<'_>) -> Vec<Trigger> {
        let ids = list(self.raw, name, text).unwrap_or_else(|| {
            self.reject(format!("`{name}` is not a list of texts"), "write it as [\"…\"]");
            Vec::new()
        });
        let mut out = Vec::with_capacity(ids.len());
        for id in ids {
            let (code, what) = match triggers(&id) {
                Resolved::Usable(trigger) => {
                    out.push(trigger.clone());
                    continue;
                }
                Resolved::Broken => ("BROKEN_TRIGGER", "cannot be used"),
                Resolved::Missing => ("DANGLING_TRIGGER", "does not exist"),
            };
            self.usable &= name == "triggers";
            let what = format!("`{name}` names trigger `{}`, which {what}", shown(&id));
            let hint = "fix the trigger, or take it out of the list";
            self.flaws.push(Flaw::error(code, what, hint).about(id));
        }
        out
    }
}

/// The items of a list, none where it is missing; `None` where one has another form.
fn list<T>(raw: &Object, name: &str, item: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    match raw.get(name) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(items) => items.as_array()?.iter().map(item).collect(),
    }
}

fn text(raw: &Value) -> Option<String> {
    raw.as_str().map(str::to_owned)
}

/// A sample call; fields that we do not know are left to whoever wrote them.
fn sample(raw: &Value) -> Option<SampleCall> {
    SampleCall::deserialize(KnownFields(|name| raw.get(name).filter(|value| !value.is_null()))).ok()
}

/// Gives a struct those of its fields that the function finds: what else a file holds stays unknown content.
struct KnownFields<F>(F);

impl<'de, F: Fn(&'static str) -> Option<&'de Value>> Deserializer<'de> for KnownFields<F> {
    type Error = serde_json::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> serde_json::Result<V::Value> {
        let found = fields.iter().filter_map(|name| Some((*name, (self.0)(name)?)));
        visitor.visit_map(MapDeserializer::new(found))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> serde_json::Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Changes `raw` from the content of `old` to that of `new`. Fields that are equal in both stay as they are, so that
/// unknown content survives; a field with its default value is left out.
///
/// `name` gives the id of a trigger in the graph.
pub(super) fn merge(
    raw: &mut Object,
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
        put_triggers(raw, list, ids);
    }
    Ok(())
}

/// Sets one of a lesson's trigger lists. Of these the format requires the first alone.
pub(super) fn put_triggers(raw: &mut Object, list: &str, ids: Vec<String>) {
    put(raw, list, (list == "triggers" || !ids.is_empty()).then(|| ids.into()));
}

/// The fields that are written as they are. Those that the format requires are there with their default value too.
fn fields(lesson: &Lesson) -> Object {
    let Value::Object(mut fields) = json(lesson) else { return Object::new() };
    fields.retain(|name, _| !APART.contains(&name.as_str()));
    fields.entry("evidence").or_insert_with(|| Value::Array(Vec::new()));
    fields.entry("status").or_insert_with(|| json(&lesson.status));
    fields
}

/// The JSON of plain data. The types of a lesson cannot fail to serialize.
fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// The object at `name`, empty if there is none.
pub(crate) fn object(raw: &Object, name: &str) -> Object {
    raw.get(name).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Sets `name` to a value, or removes it if there is none.
pub(super) fn put(raw: &mut Object, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(raw.insert(name.to_owned(), value)),
        None => drop(raw.remove(name)),
    }
}

fn scope(raw: &mut Object, scope: &Scope) {
    let mut merged = object(raw, "scope");
    for (name, list) in [("projects", &scope.projects), ("agents", &scope.agents)] {
        put(&mut merged, name, (!list.is_empty()).then(|| json(list)));
    }
    put(raw, "scope", (!merged.is_empty()).then(|| merged.into()));
}

fn examples(raw: &mut Object, examples: &Examples) {
    let mut merged = object(raw, "examples");
    for (name, calls) in [("fires", &examples.fires), ("quiet", &examples.quiet)] {
        let before = merged.remove(name);
        let before = before.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // A call that was there before keeps its raw form, with unknown fields.
        let kept = |call: &SampleCall| before.iter().find(|raw| sample(raw).as_ref() == Some(call));
        let calls: Vec<Value> =
            calls.iter().map(|call| kept(call).cloned().unwrap_or_else(|| json(call))).collect();
        if !calls.is_empty() {
            merged.insert(name.to_owned(), calls.into());
        }
    }
    put(raw, "examples", (!merged.is_empty()).then(|| merged.into()));
}
