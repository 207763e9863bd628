//! The answer of a reader: lessons as JSON, whatever stands around them.

use lessons_context::{Result, refused};
use lessons_lesson::SampleCall;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::typed;

/// The most places at which a list may begin that are tried.
const MOST_STARTS: usize = 200;
/// The names by which the client's tools call what a sample calls its file and its content.
const FILE: [&str; 6] = ["file", "file_path", "path", "notebook_path", "url", "glob"];
const CONTENT: [&str; 6] = ["content", "new_string", "new_source", "prompt", "query", "text"];

/// A lesson as a model writes it. Unknown fields are left aside, and one value counts as a list of one.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct WrittenLesson {
    /// The ids of the items that show it.
    #[serde(default, deserialize_with = "list")]
    pub(super) items: Vec<String>,
    /// The mistake.
    pub(super) mistake: String,
    /// What to do instead.
    pub(super) rule: String,
    /// The reason.
    pub(super) why: Option<String>,
    /// `call` or `session`.
    pub(super) when: Option<String>,
    /// Triggers as `KIND=PATTERN`, of which any must match.
    #[serde(default, deserialize_with = "list")]
    pub(super) trigger: Vec<String>,
    /// Triggers that must not match.
    #[serde(default, deserialize_with = "list")]
    pub(super) unless: Vec<String>,
    /// Calls that are wrong.
    #[serde(default, deserialize_with = "calls")]
    pub(super) fires: Vec<SampleCall>,
    /// Calls that are right.
    #[serde(default, deserialize_with = "calls")]
    pub(super) quiet: Vec<SampleCall>,
    /// Whether it holds in other projects too.
    #[serde(default)]
    pub(super) everywhere: bool,
    /// Whether a call that it cites destroyed work or data, and the person said so.
    #[serde(default)]
    pub(super) loss: bool,
    /// The states of a call in which it holds.
    #[serde(default, deserialize_with = "list")]
    pub(super) state: Vec<String>,
}

/// The lessons of an answer, each to be read by itself: a list of objects, or one in `lessons`, with prose or a fence around
/// it. Of a list that was cut off, those that are whole.
pub(super) fn lessons(answer: &[u8]) -> Result<Vec<Value>> {
    let text = String::from_utf8_lossy(answer);
    let mut whole: Vec<Value> = Vec::new();
    let mut from = 0;
    for _ in 0..MOST_STARTS {
        let Some(at) = text[from..].find(['[', '{']).map(|at| from + at) else { break };
        from = at + 1;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<&RawValue>();
        let Some(Ok(raw)) = values.next() else { continue };
        let Ok(value) = serde_json::from_str::<Value>(raw.get()) else { continue };
        from = at + raw.get().len();
        match value {
            // A list of calls or items is none of lessons.
            Value::Array(list) if whole.is_empty() && list.iter().any(|it| it.get("rule").is_some()) => {
                return Ok(list);
            }
            Value::Object(mut object) => match object.remove("lessons") {
                Some(Value::Array(list)) => return Ok(list),
                _ if object.contains_key("rule") => whole.push(Value::Object(object)),
                _ => {}
            },
            _ => {}
        }
    }
    let is_none = text.contains("[]") && !text.contains('{');
    if whole.is_empty() && !is_none {
        return refused("the answer holds no JSON list of lessons");
    }
    Ok(whole)
}

/// Reads one lesson of an answer.
pub(super) fn lesson(value: Value) -> Result<WrittenLesson> {
    typed::understood(value, "the lesson")
}

fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    })
}

fn calls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SampleCall>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(list) => list.iter().filter_map(call).collect(),
        other => call(&other).into_iter().collect(),
    })
}

/// A call: a command, or an object with the tool's name and its input, beside it or in `input`.
fn call(value: &Value) -> Option<SampleCall> {
    match value {
        Value::String(text) if text.trim_start().starts_with('{') => call(&serde_json::from_str(text).ok()?),
        Value::String(text) => Some(SampleCall::bash(text)),
        Value::Object(object) => {
            let input = object.get("input").and_then(Value::as_object);
            let text = |names: &[&str]| {
                let of = |name: &&str| object.get(*name).or_else(|| input?.get(*name))?.as_str();
                names.iter().find_map(of).map(str::to_owned)
            };
            let command = text(&["command"]);
            let tool = text(&["tool", "name"]).or_else(|| command.as_ref().map(|_| "Bash".to_owned()))?;
            let tool = if tool == "mcp__acp__Bash" { "Bash".to_owned() } else { tool };
            Some(SampleCall {
                tool,
                command,
                file: text(&FILE),
                content: text(&CONTENT),
                error: text(&["error"]),
                cwd: text(&["cwd"]),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prose_and_fences_around_the_list_are_tolerated() {
        for answer in [
            r#"[{"rule": "a"}]"#,
            "Here are [some] lessons:\n```json\n[{\"rule\": \"a\"}]\n```\nDone.",
            r#"{"lessons": [{"rule": "a"}]}"#,
        ] {
            assert_eq!(lessons(answer.as_bytes()).unwrap(), [json!({"rule": "a"})], "{answer}");
        }
        assert_eq!(lessons(b"[]").unwrap(), Vec::<Value>::new());
        let cut = r#"[{"rule": "a"}, {"rule": "b", "items": []"#;
        assert_eq!(
            lessons(cut.as_bytes()).unwrap(),
            [json!({"rule": "a"})],
            "of one that was cut off, the whole ones"
        );
        let cut = r#"[{"rule": "a"}, {"items": ["p2"], "fires": [{"tool": "Edit", "file": "x"}], "qui"#;
        assert_eq!(
            lessons(cut.as_bytes()).unwrap(),
            [json!({"rule": "a"})],
            "the calls of the one that was cut off"
        );
        let prose = r#"A call is written [{"tool": "Edit"}] so: [{"rule": "a"}]"#;
        assert_eq!(lessons(prose.as_bytes()).unwrap(), [json!({"rule": "a"})]);
        for wrong in ["", "none", "[1, 2]", "{\"items\": []}", "\u{0}", r#"[{"tool": "Edit"}]"#] {
            assert!(lessons(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_call_is_a_command_or_the_input_of_any_tool() {
        let read = |value: Value| call(&value).unwrap();
        assert_eq!(read(json!("git push")), SampleCall::bash("git push"));
        assert_eq!(read(json!({"command": "ls"})), SampleCall::bash("ls"));
        let edit = SampleCall {
            tool: "Edit".into(),
            file: Some("a.rs".into()),
            content: Some("x".into()),
            ..SampleCall::default()
        };
        assert_eq!(read(json!({"tool": "Edit", "file": "a.rs", "content": "x"})), edit);
        assert_eq!(read(json!({"tool": "Edit", "input": {"file_path": "a.rs", "new_string": "x"}})), edit);
    }

    #[test]
    fn unknown_fields_are_left_aside_and_missing_ones_are_named() {
        let lesson = lesson(json!({"items": "p1", "mistake": "m", "rule": "r", "sure": 3, "mode": "block"}));
        assert_eq!(lesson.unwrap().items, ["p1"]);
        let wrong = super::lesson(json!({"items": ["p1"], "mistake": "m"})).unwrap_err();
        assert!(wrong.to_string().contains("rule"), "{wrong}");
    }
}
