//! The reader of payloads against a parser that reads the whole text at once.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::borrow::Cow;

use lessons_lesson::call::writes_files;
use lessons_lesson::payload::{Contents, Payload, PayloadEnd, PayloadReader};
use lessons_text::content::Content;
use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// The reader, fed in one piece.
fn read(contents: Contents, input: &[u8]) -> (Payload, PayloadEnd) {
    in_pieces(contents, input, &[])
}

/// The reader, fed in pieces of these sizes, then the rest.
fn in_pieces(contents: Contents, mut input: &[u8], sizes: &[usize]) -> (Payload, PayloadEnd) {
    let mut reader = PayloadReader::new(contents);
    for &size in sizes {
        let (piece, rest) = input.split_at(size.min(input.len()));
        reader.feed(piece);
        input = rest;
    }
    reader.feed(input);
    reader.finish()
}

/// What the fields of a payload are, read off its whole value: `paths` and `contents` by key, not in order.
fn expected(value: &Value) -> Payload {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let input = &value["tool_input"];
    let mut payload = Payload {
        session_id: text("session_id"),
        agent_id: text("agent_id"),
        agent_type: text("agent_type"),
        tool_use_id: text("tool_use_id"),
        source: text("source"),
        error: text("error"),
        ..Payload::default()
    };
    let call = &mut payload.call;
    call.tool = match text("tool_name").as_deref() {
        Some("Task") => "Agent".into(),
        name => name.unwrap_or_default().to_owned().into(),
    };
    call.cwd = text("cwd").filter(|cwd| !cwd.is_empty()).map(Into::into);
    if call.tool == "Bash" {
        call.command = input["command"].as_str().map(|text| text.to_owned().into());
    }
    let edits = input["edits"].as_array().into_iter().flatten();
    for object in [input].into_iter().chain(edits) {
        let texts = |names: &[&str]| -> Vec<_> {
            names.iter().filter_map(|name| object[name].as_str()).map(ToOwned::to_owned).collect()
        };
        call.paths.extend(texts(&["file_path", "notebook_path", "path"]).into_iter().map(Cow::Owned));
        if writes_files(&call.tool) {
            let contents = texts(&["content", "new_string", "new_source"]);
            call.contents.extend(contents.into_iter().map(Content::from));
            call.replaced.extend(texts(&["old_string"]).into_iter().map(Content::from));
        }
    }
    payload
}

/// The same with `paths` and `contents` in an order of their own.
fn sorted(mut payload: Payload) -> Payload {
    payload.call.paths.sort();
    payload.call.contents.sort_by(|a, b| a.text().cmp(b.text()));
    payload.call.replaced.sort_by(|a, b| a.text().cmp(b.text()));
    payload
}

/// Texts with what a lexer may trip over.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z\"\\\\{}\\[\\]:,/\n\té€😀]{0,12}", ".{0,8}", "[a-z/. ]{0,60}"]
}

/// Any value.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => text().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            hash_map(key(), inner, 0..4).prop_map(|map| map.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// A key that is known, in the right place or elsewhere, or another.
fn key() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 20] = [
        "session_id",
        "agent_id",
        "agent_type",
        "tool_use_id",
        "source",
        "cwd",
        "tool_name",
        "tool_input",
        "command",
        "edits",
        "file_path",
        "notebook_path",
        "path",
        "new_string",
        "content",
        "new_source",
        "transcript_path",
        "hook_event_name",
        "old_string",
        "description",
    ];
    prop_oneof![6 => select(&KNOWN[..]).prop_map(str::to_owned), 1 => text()]
}

/// A value where a text is due: mostly one.
fn field() -> impl Strategy<Value = Value> {
    prop_oneof![3 => text().prop_map(Value::from), 1 => value()]
}

/// The input of a tool: mostly with texts under its keys, and edits that are edits.
fn input() -> impl Strategy<Value = Value> {
    let object =
        || hash_map(key(), field(), 0..5).prop_map(|map| Value::from(map.into_iter().collect::<Map<_, _>>()));
    let edits = vec(prop_oneof![4 => object(), 1 => value()], 0..4);
    prop_oneof![
        4 => (object(), edits).prop_map(|(mut object, edits)| {
            object["edits"] = edits.into();
            object
        }),
        1 => value(),
    ]
}

/// A payload as its fields in order; of each name one, but in any order.
fn fields() -> impl Strategy<Value = Vec<(String, Value)>> {
    let tool = prop_oneof![
        6 => select(&["Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "Task", "Read", ""][..])
            .prop_map(Value::from),
        1 => value(),
    ];
    (hash_map(key(), field(), 0..6), tool, input())
        .prop_map(|(mut fields, tool, input)| {
            fields.insert("tool_name".to_owned(), tool);
            fields.insert("tool_input".to_owned(), input);
            fields.into_iter().collect::<Vec<_>>()
        })
        .prop_shuffle()
}

/// JSON of a payload with its fields in order.
fn written(fields: &[(String, Value)]) -> String {
    Writer::write(fields).json
}

/// Writes a payload and notes where each value that is looked at ends.
#[derive(Default)]
struct Writer {
    json: String,
    /// Where a value ends, and what would make JSON of the text up to there.
    ends: Vec<(usize, String)>,
}

impl Writer {
    fn write(fields: &[(String, Value)]) -> Self {
        let mut writer = Self::default();
        writer.object("payload", fields.iter().map(|(key, value)| (key, value)), "");
        writer
    }

    fn object<'a>(&mut self, name: &str, fields: impl Iterator<Item = (&'a String, &'a Value)>, close: &str) {
        let close = format!("}}{close}");
        self.json.push('{');
        for (index, (key, value)) in fields.enumerate() {
            self.json.push_str(if index == 0 { "" } else { "," });
            self.json.push_str(&json!(key).to_string());
            self.json.push(':');
            match (name, key.as_str(), value) {
                ("payload", "tool_input", Value::Object(input)) => self.object("input", input.iter(), &close),
                ("input", "edits", Value::Array(items)) => self.edits(items, &close),
                _ => self.json.push_str(&value.to_string()),
            }
            self.ends.push((self.json.len(), close.clone()));
        }
        self.json.push('}');
    }

    fn edits(&mut self, items: &[Value], close: &str) {
        let close = format!("]{close}");
        self.json.push('[');
        for (index, item) in items.iter().enumerate() {
            self.json.push_str(if index == 0 { "" } else { "," });
            match item {
                Value::Object(edit) => self.object("edit", edit.iter(), &close),
                other => self.json.push_str(&other.to_string()),
            }
            self.ends.push((self.json.len(), close.clone()));
        }
        self.json.push(']');
    }

    /// The payload up to `cut` as JSON: without what was not complete by then.
    fn complete(&self, cut: usize) -> String {
        let last = self.ends.iter().rfind(|(end, _)| *end <= cut);
        last.map_or_else(|| "{}".to_owned(), |(end, close)| format!("{}{close}", &self.json[..*end]))
    }
}

/// Every character of the text in the strings of `json` as an escape, where it has none.
fn escaped(json: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    let mut chars = json.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                inside = !inside;
                out.push(c);
            }
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            // The digits of an escape that was there stay what they are.
            _ if inside && !c.is_ascii_hexdigit() => {
                let mut units = [0; 2];
                out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04X}")));
            }
            _ => out.push(c),
        }
    }
    out
}

proptest! {
    #[test]
    fn the_fields_are_those_of_the_whole_value(fields in fields()) {
        let json = written(&fields);
        let expected = sorted(expected(&serde_json::from_str(&json).unwrap()));
        let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&json).unwrap()).unwrap();
        for json in [escaped(&json), pretty, json] {
            let (payload, end) = read(Contents::Keep, json.as_bytes());
            prop_assert_eq!(end, PayloadEnd::Whole, "{}", json);
            prop_assert_eq!(sorted(payload), expected.clone(), "{}", json);
        }
    }

    #[test]
    fn without_contents_everything_else_is_the_same(fields in fields()) {
        let json = written(&fields);
        let (mut kept, end) = read(Contents::Keep, json.as_bytes());
        kept.call.contents.clear();
        kept.call.replaced.clear();
        prop_assert_eq!(read(Contents::Skip, json.as_bytes()), (kept, end));
    }

    #[test]
    fn pieces_give_what_the_whole_gives(fields in fields(), sizes in vec(0_usize..9, 0..200), end in 0_usize..400) {
        let json = written(&fields);
        for json in [json.as_bytes(), escaped(&json).as_bytes(), &json.as_bytes()[..end.min(json.len())]] {
            prop_assert_eq!(in_pieces(Contents::Keep, json, &sizes), read(Contents::Keep, json));
        }
    }

    /// Bytes in which every structure of JSON is likely, none of it right.
    #[test]
    fn pieces_of_any_bytes_give_what_the_whole_gives(
        input in vec(prop_oneof![
            12 => select(&b"{}[]\":,\\u0d8 aefnt1-"[..]).prop_map(|byte| vec![byte]),
            2 => key().prop_map(|key| json!(key).to_string().into_bytes()),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ], 0..60),
        sizes in vec(0_usize..4, 0..60),
    ) {
        let bytes = [&b"{\"tool_input\":{"[..], &input.concat()].concat();
        prop_assert_eq!(in_pieces(Contents::Keep, &bytes, &sizes), read(Contents::Keep, &bytes));
        prop_assert_eq!(in_pieces(Contents::Keep, &bytes[15..], &sizes), read(Contents::Keep, &bytes[15..]));
    }

    /// What a strict parser takes for one object is whole, however it is written.
    #[test]
    fn all_json_is_read(value in value()) {
        let (_, end) = read(Contents::Keep, value.to_string().as_bytes());
        prop_assert_eq!(end == PayloadEnd::Whole, value.is_object());
        let inside = json!({ "tool_input": value.clone(), "other": value }).to_string();
        prop_assert_eq!(read(Contents::Keep, inside.as_bytes()).1, PayloadEnd::Whole);
    }

    /// A payload that ends early holds the fields whose values ended before, as if the others were not there.
    #[test]
    fn a_cut_payload_holds_what_was_complete(fields in fields(), cut in any::<proptest::sample::Index>()) {
        let written = Writer::write(&fields);
        let cut = cut.index(written.json.len());
        let complete: Value = serde_json::from_str(&written.complete(cut)).unwrap();
        let (payload, end) = read(Contents::Keep, &written.json.as_bytes()[..cut]);
        prop_assert_eq!(end, PayloadEnd::Broken);
        prop_assert_eq!(sorted(payload), sorted(expected(&complete)), "{} at {}", written.json, cut);
    }
}
