//! The three-way merge of a graph, for git's merge driver.
//!
//! The result has the additions of both sides, and a list has the items that either side added to it. If both sides
//! changed the same field of a lesson, topic or trigger in different ways, a person must decide: the result has both
//! versions of the whole entry between git's conflict marks.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::graph::{Object, PARTS, fields};

/// An error that keeps versions from being merged.
#[derive(Debug, thiserror::Error)]
#[error("the version {side} is no lessons graph: {why}")]
pub struct MergeError {
    /// The version that cannot be read.
    pub side: &'static str,
    /// The reason.
    pub why: String,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The entries that both sides changed, as `lessons.ID`.
    pub conflicts: Vec<String>,
    /// Lessons that both sides added under one id: the id, and the id that theirs got.
    pub renamed: Vec<(String, String)>,
}

/// Merges the changes of `ours` and `theirs` to `base`. An empty `base` is a graph that did not exist.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Merged, MergeError> {
    let base = if base.trim_ascii().is_empty() { Object::new() } else { object("before both", base)? };
    let (ours, mut theirs) = (object("of this branch", ours)?, object("of the other branch", theirs)?);
    let renamed = rename(&base, &ours, &mut theirs);
    let files = [&base, &ours, &theirs];
    let empty = Object::new();
    let mut merged = Object::new();
    let mut conflicts = Vec::new();
    let mut pairs = Vec::new();
    for name in keys(files) {
        if !PARTS.contains(&name.as_str()) {
            let both = value(files.map(|file| file.get(name)));
            merged.extend(both.unwrap_or(ours.get(name)).map(|value| (name.clone(), value.clone())));
            continue;
        }
        let maps = files.map(|file| file.get(name).and_then(Value::as_object).unwrap_or(&empty));
        let mut part = Object::new();
        for id in keys(maps) {
            let sides @ [_, ours, theirs] = maps.map(|map| map.get(id));
            if let Ok(value) = entry(sides) {
                part.extend(value.map(|value| (id.clone(), value)));
                continue;
            }
            let mark = format!("conflict {}", conflicts.len());
            part.insert(id.clone(), mark.as_str().into());
            pairs.push((mark, id, [ours, theirs]));
            conflicts.push(format!("{name}.{id}"));
        }
        merged.insert(name.clone(), part.into());
    }
    let mut text = pretty(&Value::Object(merged));
    text.push('\n');
    for (mark, id, sides) in pairs {
        text = with_both(&text, &mark, id, sides);
    }
    Ok(Merged { bytes: text.into_bytes(), conflicts, renamed })
}

fn object(side: &'static str, bytes: &[u8]) -> Result<Object, MergeError> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(MergeError { side, why: "it is not an object".into() }),
        Err(error) => Err(MergeError { side, why: crate::graph::problem::shown(&error.to_string()) }),
    }
}

/// Gives a lesson of theirs another id if this branch has added a different lesson under the same id.
fn rename(base: &Object, ours: &Object, theirs: &mut Object) -> Vec<(String, String)> {
    let (base, ours) = (fields::object(base, "lessons"), fields::object(ours, "lessons"));
    let mut lessons = fields::object(theirs, "lessons");
    let rule = |lessons: &Object, id: &str| {
        lessons.get(id).and_then(|lesson| lesson.get("rule")).and_then(Value::as_str).map(str::to_owned)
    };
    let is_free = |id: &String| !ours.contains_key(id) && !lessons.contains_key(id);
    let free = |id: &String| (2..10_000).map(|number| format!("{id}-{number}")).find(is_free);
    let both = ours.keys().filter(|id| !base.contains_key(*id) && lessons.contains_key(*id));
    let differing = both.filter(|id| rule(&ours, id) != rule(&lessons, id));
    let renamed: Vec<_> = differing.filter_map(|id| Some((id.clone(), free(id)?))).collect();
    for (id, free) in &renamed {
        if let Some(lesson) = lessons.remove(id) {
            lessons.insert(free.clone(), lesson);
        }
        for lesson in lessons.values_mut().filter_map(Value::as_object_mut) {
            if lesson.get("supersededBy").and_then(Value::as_str) == Some(id) {
                lesson.insert("supersededBy".into(), free.as_str().into());
            }
        }
    }
    if !renamed.is_empty() {
        theirs.insert("lessons".into(), lessons.into());
    }
    renamed
}

/// The keys of three maps.
fn keys(maps: [&Object; 3]) -> BTreeSet<&String> {
    maps.into_iter().flat_map(Object::keys).collect()
}

/// A value before both changes, in ours and in theirs.
type Sides<'v> = [Option<&'v Value>; 3];

/// A conflict: both sides changed the same value in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Conflict;

/// Merges a value as a whole. `None` in the result means that it is gone.
fn value([base, ours, theirs]: Sides<'_>) -> Result<Option<&Value>, Conflict> {
    match () {
        () if ours == theirs || theirs == base => Ok(ours),
        () if ours == base => Ok(theirs),
        () => Err(Conflict),
    }
}

/// Merges an entry field by field.
fn entry(sides: Sides<'_>) -> Result<Option<Value>, Conflict> {
    if let Ok(whole) = value(sides) {
        return Ok(whole.cloned());
    }
    let [base, ours, theirs] = sides;
    let (Some(Value::Object(ours)), Some(Value::Object(theirs))) = (ours, theirs) else {
        return Err(Conflict);
    };
    let empty = Object::new();
    let base = base.and_then(Value::as_object).unwrap_or(&empty);
    let maps = [base, ours, theirs];
    let mut merged = Object::new();
    for name in keys(maps) {
        let sides @ [base, ours, theirs] = maps.map(|map| map.get(name));
        let field = match (value(sides), ours, theirs) {
            (Ok(field), ..) => field.cloned(),
            (Err(_), Some(Value::Array(ours)), Some(Value::Array(theirs))) => {
                Some(list(base.and_then(Value::as_array), ours, theirs))
            }
            // When it was changed is no reason to ask anybody.
            (Err(_), Some(Value::String(ours)), Some(Value::String(theirs))) if name == "updatedAt" => {
                Some(ours.max(theirs).as_str().into())
            }
            (Err(conflict), ..) => return Err(conflict),
        };
        merged.extend(field.map(|field| (name.clone(), field)));
    }
    Ok(Some(merged.into()))
}

/// Returns the items of a list that either side has and neither side removed.
fn list(base: Option<&Vec<Value>>, ours: &[Value], theirs: &[Value]) -> Value {
    let was = |item: &Value| base.is_some_and(|base| base.contains(item));
    let mut merged: Vec<Value> =
        ours.iter().filter(|item| theirs.contains(item) || !was(item)).cloned().collect();
    for item in theirs.iter().filter(|item| !ours.contains(item) && !was(item)) {
        merged.push(item.clone());
    }
    merged.into()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Replaces the placeholder of an entry by both versions.
fn with_both(text: &str, mark: &str, id: &str, sides: [Option<&Value>; 2]) -> String {
    let key = pretty(&id.into());
    let wanted = format!("    {key}: \"{mark}\"");
    let mut out = String::with_capacity(text.len() + 512);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        let (bare, comma) = bare.strip_suffix(',').map_or((bare, ""), |bare| (bare, ","));
        if bare != wanted {
            out.push_str(line);
            continue;
        }
        let side = |entry: Option<&Value>| {
            let text =
                entry.map(|entry| format!("    {key}: {}{comma}\n", pretty(entry).replace('\n', "\n    ")));
            text.unwrap_or_default()
        };
        let [ours, theirs] = sides.map(side);
        out.extend(["<<<<<<< this branch\n", &ours, "=======\n", &theirs, ">>>>>>> the other branch\n"]);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(lessons: &Value) -> Vec<u8> {
        json!({ "version": 1, "lessons": lessons, "topics": {}, "triggers": {} }).to_string().into_bytes()
    }

    fn merged(base: &Value, ours: &Value, theirs: &Value) -> (Merged, Value) {
        let merged = merge(&file(base), &file(ours), &file(theirs)).unwrap();
        let value = serde_json::from_slice(&merged.bytes).unwrap_or_default();
        (merged, value)
    }

    #[test]
    fn additions_of_both_sides_go_in() {
        let (merged, value) = merged(
            &json!({ "a": { "rule": "A", "evidence": ["1"] } }),
            &json!({ "a": { "rule": "A", "evidence": ["1", "2"] }, "b": { "rule": "B" } }),
            &json!({ "a": { "rule": "A", "evidence": ["1", "3"], "status": "active" }, "c": { "rule": "C" } }),
        );
        assert!(merged.conflicts.is_empty());
        assert_eq!(
            value["lessons"]["a"],
            json!({ "rule": "A", "evidence": ["1", "2", "3"], "status": "active" })
        );
        assert_eq!(value["lessons"].as_object().unwrap().len(), 3);
    }

    #[test]
    fn two_lessons_under_one_id_are_both_kept() {
        let (merged, value) =
            merged(&json!({}), &json!({ "a": { "rule": "One" } }), &json!({ "a": { "rule": "Two" } }));
        assert_eq!(merged.renamed, [("a".to_owned(), "a-2".to_owned())]);
        assert_eq!(value["lessons"], json!({ "a": { "rule": "One" }, "a-2": { "rule": "Two" } }));
    }

    #[test]
    fn a_true_conflict_stays_readable_and_the_rest_is_merged() {
        let (merged, _) = merged(
            &json!({ "a": { "rule": "Old" }, "z": { "rule": "Z" } }),
            &json!({ "a": { "rule": "Ours" }, "z": { "rule": "Z" } }),
            &json!({ "a": { "rule": "Theirs" }, "z": { "rule": "Z" }, "y": { "rule": "Y" } }),
        );
        assert_eq!(merged.conflicts, ["lessons.a"]);
        let text = String::from_utf8(merged.bytes).unwrap();
        let marked = "<<<<<<< this branch\n    \"a\": {\n      \"rule\": \"Ours\"\n    },\n=======\n    \"a\": {\n      \
                      \"rule\": \"Theirs\"\n    },\n>>>>>>> the other branch\n";
        assert!(text.contains(marked) && text.contains("\"y\""), "{text}");
    }

    #[test]
    fn what_one_side_removed_is_gone_unless_the_other_changed_it() {
        let base = json!({ "a": { "rule": "A" }, "b": { "rule": "B" } });
        let (merged, value) = merged(&base, &json!({ "b": { "rule": "B" } }), &base);
        assert!(merged.conflicts.is_empty() && value["lessons"].get("a").is_none());
        let changed = json!({ "a": { "rule": "Other" }, "b": { "rule": "B" } });
        let (merged, _) = super::tests::merged(&base, &json!({ "b": { "rule": "B" } }), &changed);
        assert_eq!(merged.conflicts, ["lessons.a"]);
    }

    #[test]
    fn what_is_no_graph_is_named() {
        let error = merge(b"", &file(&json!({})), b"[]").unwrap_err().to_string();
        assert_eq!(error, "the version of the other branch is no lessons graph: it is not an object");
    }
}
