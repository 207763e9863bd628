//! Holds what came of a case against what was recorded.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::observe::Observed;
use crate::cases::{Case, Input, is_overruled};

/// What is wrong with an outcome.
pub(super) fn wrong(case: &Case, observed: &Observed) -> Option<String> {
    let outcome = &case.expected[0];
    if is_fault(outcome) && !outcome["newer_version"].is_object() {
        return recorded(case, outcome, observed).is_none().then(|| "the fault is here, too".to_owned());
    }
    recorded(case, outcome, observed)
}

/// Whether what was recorded is a fault of that tool. The issue about the graph: "Build all of it, on our
/// matcher, without that system's known faults."
pub(super) fn is_fault(outcome: &Value) -> bool {
    let note = outcome["note"].as_str().unwrap_or_default();
    note.starts_with("BUG") || note.starts_with("FALSE REJECTION")
}

fn recorded(case: &Case, outcome: &Value, observed: &Observed) -> Option<String> {
    let recorded = (&outcome["expected_exit"], &outcome["expected"]);
    let other = |name: &str| (&outcome[name]["exit"], &outcome[name]["expected"]);
    let answers = if outcome["document_says"].is_object() {
        vec![other("document_says")]
    } else if outcome["newer_version"].is_object() {
        vec![recorded, other("newer_version")]
    } else {
        vec![recorded]
    };
    let mut why = Vec::new();
    for (exit, expected) in answers {
        match answer(&case.input, exit, expected, outcome, observed) {
            Ok(()) if (exit, expected) == recorded => return after(&case.input, outcome, observed).err(),
            Ok(()) => return None,
            Err(reason) => why.push(reason),
        }
    }
    Some(why.join("; or "))
}

fn is(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// Compares one answer.
fn answer(
    input: &Input,
    exit: &Value,
    expected: &Value,
    outcome: &Value,
    observed: &Observed,
) -> Result<(), String> {
    let fields = expected.as_object().ok_or_else(|| format!("no comparison for {expected}"))?;
    is(renamed(exit, expected) == Some(observed.exit), || {
        format!("exit {} instead of {exit}", observed.exit)
    })?;
    let has = |name: &str| fields.contains_key(name);
    if has("error") {
        error(fields, observed)
    } else if has("ids") {
        found(input, fields, outcome, observed)
    } else if has("stdout") {
        text(fields, observed)
    } else if has("hookSpecificOutput") || has("output") {
        told(input, expected, observed)
    } else if has("findings") {
        findings(fields, observed)
    } else if has("isNewLesson") {
        captured(input, fields, observed)
    } else if has("kind") {
        let ids: Vec<String> = list(&observed.json["lessons"]).map(|lesson| bare(&lesson["id"])).collect();
        is(
            observed.json["topic"] == expected["subject"]
                && expected["kind"] == "topic"
                && json!(ids) == expected["lessons"],
            || format!("expected {expected}"),
        )
    } else if has("topics") {
        let topics: Vec<Value> = observed.json["topics"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(id, topic)| json!({ "id": id, "summary": topic["summary"] }))
            .collect();
        is(json!(topics) == expected["topics"], || format!("expected {expected}"))
    } else if has("entries") {
        // What ships with us is no part of that tool's journal.
        let entries: Vec<Value> = list(&observed.json)
            .filter(|entry| entry["id"].as_str().is_some_and(|id| id.starts_with("user/")))
            .map(|entry| {
                json!({ "id": bare(&entry["id"]), "rule": entry["summary"], "createdAt": entry["createdAt"],
                        "topics": entry["topics"] })
            })
            .collect();
        is(json!(entries) == expected["entries"], || format!("{entries:?}, expected {expected}"))
    } else {
        each_field(input, fields, observed)
    }
}

/// The exit code as ours: to name a lesson that is not there is to us a slip of whoever typed it.
fn renamed(exit: &Value, expected: &Value) -> Option<i64> {
    let names_nothing = expected["error"].as_str().is_some_and(|code| code.starts_with("UNKNOWN_"));
    if names_nothing && exit == 1 { Some(2) } else { exit.as_i64() }
}

/// Every field of what is expected stands in the answer, by its name. Ids are without their layer.
fn each_field(input: &Input, fields: &Map<String, Value>, observed: &Observed) -> Result<(), String> {
    let answer = without_layers(&observed.json);
    for (name, expected) in fields.iter().filter(|(name, _)| !is_overruled(&input.id, name)) {
        is(same(&answer[name], expected), || format!("{name} is {}, expected {expected}", answer[name]))?;
    }
    Ok(())
}

/// Whether two values are the same. Numbers are if they are close.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-6,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            b.iter().all(|(name, b)| a.get(name).is_some_and(|a| same(a, b)))
        }
        _ => a == b,
    }
}

/// An error has a name. Those about the command line itself are one to us, as the parser words them.
fn error(fields: &Map<String, Value>, observed: &Observed) -> Result<(), String> {
    let wanted = fields["error"].as_str().unwrap_or_default();
    let code = observed.json["code"].as_str().unwrap_or_default();
    let usage = |code: &str| matches!(code, "USAGE" | "UNKNOWN_FLAG" | "INVALID_VALUE" | "INVALID_cap");
    is(code == wanted || usage(code) && usage(wanted), || format!("{code}, expected {wanted}"))?;
    for finding in fields.get("findings").into_iter().flat_map(list) {
        let named =
            observed.json["error"].as_str().is_some_and(|text| text.contains(finding.as_str().unwrap()));
        is(named, || format!("{finding} is not said"))?;
    }
    Ok(())
}

/// What a question found. The order is not recorded for certain where it hangs on weights that are free.
fn found(
    input: &Input,
    fields: &Map<String, Value>,
    outcome: &Value,
    observed: &Observed,
) -> Result<(), String> {
    let lessons: Vec<&Value> = list(&observed.json["lessons"]).collect();
    let mut ids: Vec<String> = lessons.iter().map(|lesson| bare(&lesson["id"])).collect();
    let mut wanted: Vec<String> = list(&fields["ids"]).map(bare).collect();
    if outcome["weight_sensitive"] == true {
        ids.sort();
        wanted.sort();
    }
    is(ids == wanted, || format!("found {ids:?}, expected {wanted:?}"))?;
    for name in ["totalMatches", "suppressed", "file"] {
        if let Some(expected) = fields.get(name).filter(|_| !is_overruled(&input.id, name)) {
            is(observed.json[name] == *expected, || format!("{name} is {}", observed.json[name]))?;
        }
    }
    for (id, signals) in outcome["signals"].as_object().into_iter().flatten() {
        let Some(lesson) = lessons.iter().find(|lesson| bare(&lesson["id"]) == *id) else { continue };
        let why = json!({
            "specificity": lesson["why"]["specificity"], "coherence": lesson["why"]["coherence"],
            "bm25": lesson["why"]["relevance"], "ranks": lesson["why"]["places"],
        });
        is(same(&why, signals), || format!("{id} stands there for {why}, expected {signals}"))?;
    }
    Ok(())
}

/// What is printed for people: lessons in the same words, and why where nothing could be done.
fn text(fields: &Map<String, Value>, observed: &Observed) -> Result<(), String> {
    if observed.exit != 0 {
        let said = !observed.stderr.is_empty() || observed.json["error"].is_string();
        return is(said && fields["stdout"] == "" && fields["stderr_nonempty"] == true, || {
            "nothing is said".into()
        });
    }
    let printed = observed.stdout.replace("[user/", "[");
    is(json!(printed) == fields["stdout"], || format!("expected {}", fields["stdout"]))?;
    is(json!(!observed.stderr.is_empty()) == fields["stderr_nonempty"], || "standard error".into())
}

/// Which lessons a hook tells, by their rules, in which order.
fn told(input: &Input, expected: &Value, observed: &Observed) -> Result<(), String> {
    if expected["output"].is_string() {
        return is(json!(observed.stdout) == expected["output"], || "something is told".into());
    }
    let wanted = &expected["hookSpecificOutput"];
    let ours = &observed.json["hookSpecificOutput"];
    is(ours["hookEventName"] == wanted["hookEventName"], || format!("{}", ours["hookEventName"]))?;
    let text = ours["additionalContext"].as_str().unwrap_or_default();
    let lines = wanted["additionalContext"].as_str().unwrap_or_default().lines();
    let rules: Vec<&str> = lines
        .filter_map(|line| line.strip_prefix("- "))
        .map(|line| line.split_once("] ").map_or(line, |it| it.1))
        .collect();
    let places: Vec<Option<usize>> = rules.iter().map(|rule| text.find(rule)).collect();
    let count = text.matches("[lesson user/").count();
    is(places.iter().all(Option::is_some) && places.is_sorted() && count == rules.len() && count > 0, || {
        format!("expected {rules:?}, {} lessons in the graph", input.get("graph")["lessons"])
    })
}

/// Findings by code and place. Where a graph holds something of another shape, that tool says no more; the
/// design: "One bad lesson is reported by name and skipped; the others work."
fn findings(fields: &Map<String, Value>, observed: &Observed) -> Result<(), String> {
    is(observed.json["ok"] == fields["ok"], || format!("ok is {}", observed.json["ok"]))?;
    let ours: BTreeSet<String> = list(&observed.json["findings"])
        .map(|finding| {
            let part = |name: &str| finding[name].as_str().unwrap_or_default();
            format!(
                "{}|{}|{}|{}|{}",
                part("level"),
                part("code"),
                part("lessonId"),
                part("triggerId"),
                part("topicId")
            )
        })
        .collect();
    let wanted: BTreeSet<String> =
        list(&fields["findings"]).map(|finding| finding.as_str().unwrap_or_default().to_owned()).collect();
    if wanted.iter().any(|finding| finding == "error|SCHEMA_INVALID|||") {
        return is(ours.iter().any(|finding| finding.starts_with("error|SCHEMA_INVALID|")), || {
            format!("{ours:?}")
        });
    }
    is(ours == wanted, || format!("found {ours:?}, expected {wanted:?}"))
}

/// What is doubtful about a capture, as that tool names it.
const THEIR_WARNINGS: [&str; 7] = [
    "OVERSIZED_LESSON_TRIGGERS",
    "BROAD_GLOB_TRIGGER",
    "KEYWORD_ONLY_LESSON",
    "LOW_SIGNAL_KEYWORD",
    "STOPWORD_KEYWORD",
    "DEAD_GLOB",
    "NEAR_DUPLICATE_LESSON",
];

/// What a capture did.
fn captured(input: &Input, fields: &Map<String, Value>, observed: &Observed) -> Result<(), String> {
    let id = bare(&observed.json["id"]);
    let lesson = &observed.after["lessons"][&id];
    let is_new = |part: &str, key: &Value| observed.before[part].get(key.as_str().unwrap()).is_none();
    let triggers: Vec<&Value> =
        list(&lesson["triggers"]).filter(|trigger| is_new("triggers", trigger)).collect();
    let ours = json!({
        "id": id,
        "isNewLesson": lesson.is_object() && is_new("lessons", &json!(id)),
        "isNewTopic": list(&lesson["topics"]).any(|topic| is_new("topics", topic)),
        "newTriggerIds": triggers,
    });
    for (name, ours) in ours.as_object().unwrap() {
        if !is_overruled(&input.id, name) {
            is(fields[name] == *ours, || format!("{name} is {ours}, expected {}", fields[name]))?;
        }
    }
    let sorted = |warnings: &Value| {
        let mut warnings: Vec<String> = list(warnings)
            .map(|warning| format!("{} {} {}", warning["code"], bare(&warning["other"]), warning["pct"]))
            .collect();
        warnings.sort();
        warnings
    };
    // A warning without a name, or with one of our own, is about what only we look at.
    let listed: Value = list(&observed.json["warnings"])
        .filter(|warning| THEIR_WARNINGS.iter().any(|code| warning["code"] == *code))
        .cloned()
        .collect();
    is(sorted(&listed) == sorted(&fields["warnings"]), || format!("warnings {listed}"))
}

/// Compares the store. A field that only ours has is one that only ours knows.
fn after(input: &Input, outcome: &Value, observed: &Observed) -> Result<(), String> {
    let expected = &outcome["graph_after"];
    if expected.is_null() || is_overruled(&input.id, "graph_after") {
        return Ok(());
    }
    for part in ["topics", "triggers"] {
        is(observed.after[part] == expected[part], || format!("{part} are {}", observed.after[part]))?;
    }
    let keys = |lessons: &Value| -> BTreeSet<String> {
        lessons.as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect()
    };
    is(keys(&observed.after["lessons"]) == keys(&expected["lessons"]), || "other lessons".into())?;
    for (id, wanted) in expected["lessons"].as_object().into_iter().flatten() {
        let ours = &observed.after["lessons"][id];
        for (name, wanted) in wanted.as_object().into_iter().flatten() {
            let holds = if wanted == "<today>" {
                ours[name].as_str().is_some_and(|time| time.len() >= 10)
            } else {
                ours[name] == *wanted
            };
            is(holds, || format!("{id}: {name} is {}, expected {wanted}", ours[name]))?;
        }
    }
    Ok(())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// An id without its layer.
fn bare(id: &Value) -> String {
    id.as_str().unwrap_or_default().trim_start_matches("user/").to_owned()
}

fn without_layers(value: &Value) -> Value {
    match value {
        Value::String(text) => text.trim_start_matches("user/").into(),
        Value::Array(items) => items.iter().map(without_layers).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), without_layers(value))).collect()
        }
        other => other.clone(),
    }
}
