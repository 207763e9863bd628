//! A line with calls, read in one pass.
//!
//! Reading leniently goes over a text once for each level that it lies in, and half of all lines that are
//! looked at hold calls. A line whose fields all have the types that the client writes is read directly; any
//! other is `None` here, and is read leniently.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::super::record::{folder_from, word_from};
use super::super::{Agent, Moment, Said};
use super::{Call, Happening, MAX_KEPT, What};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    uuid: String,
    session_id: Option<String>,
    timestamp: Option<String>,
    cwd: Option<String>,
    message: Message,
    is_sidechain: Option<bool>,
    agent_id: Option<String>,
    attribution_agent: Option<String>,
    is_api_error_message: Option<bool>,
}

#[derive(Deserialize)]
struct Message {
    role: Option<String>,
    model: Option<String>,
    content: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    name: Option<String>,
    input: Option<Input>,
}

/// What is given to a tool.
#[derive(Default)]
struct Input {
    given: Vec<String>,
    command: Option<String>,
    file: Option<String>,
    notebook: Option<String>,
    old: Option<String>,
    new: Option<String>,
    content: Option<String>,
    source: Option<String>,
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Input;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("what is given to a tool")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Input, A::Error> {
                let mut input = Input::default();
                while let Some(name) = map.next_key::<String>()? {
                    let slot = match name.as_str() {
                        "command" => &mut input.command,
                        "file_path" => &mut input.file,
                        "notebook_path" => &mut input.notebook,
                        "old_string" => &mut input.old,
                        "new_string" => &mut input.new,
                        "content" => &mut input.content,
                        "new_source" => &mut input.source,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            input.given.push(name);
                            continue;
                        }
                    };
                    *slot = Some(map.next_value()?);
                    input.given.push(name);
                }
                input.given.sort_unstable();
                input.given.dedup();
                Ok(input)
            }
        }
        from.deserialize_map(Fields)
    }
}

/// Reads a line of the assistant's that is as the client writes it.
pub(super) fn calls(text: &str) -> Option<Happening> {
    let line: Line = serde_json::from_str(text).ok()?;
    let role = line.message.role.as_deref();
    let speaks = line.kind == "assistant" && role.is_none_or(|role| role == "assistant");
    if !speaks || line.is_api_error_message == Some(true) {
        return None;
    }
    let uses = line.message.content.into_iter().filter(|block| block.kind == "tool_use");
    let what: Vec<What> = uses.filter_map(call).map(What::Called).collect();
    if what.is_empty() {
        return None;
    }
    let (id, kind) = (line.agent_id.and_then(word_from), line.attribution_agent.and_then(word_from));
    let origin = Said {
        uuid: word_from(line.uuid)?,
        session: line.session_id.and_then(word_from),
        time: line.timestamp.and_then(|time| Moment::parse(&time)),
        cwd: line.cwd.and_then(folder_from),
        model: line.message.model.and_then(word_from),
        agent: (line.is_sidechain == Some(true) || id.is_some()).then_some(Agent { id, kind }),
        texts: Vec::new(),
    };
    Some(Happening { origin, what })
}

fn call(block: Block) -> Option<Call> {
    let (id, tool) = (word_from(block.id?)?, word_from(block.name?)?);
    let input = block.input?;
    let kept = |text: Option<String>| text.filter(|text| text.len() <= MAX_KEPT);
    let command = kept(input.command).filter(|_| tool == "Bash");
    let (path, new) = (input.file.or(input.notebook), input.new.or(input.content).or(input.source));
    Some(Call {
        id,
        tool,
        given: input.given,
        command,
        path: kept(path),
        old: kept(input.old),
        new: kept(new),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Record;
    use super::*;

    const LINE: &str = r#"{"type":"assistant","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/a","isSidechain":false,"message":{"role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"/a/b","old_string":"o","new_string":"n","replace_all":false}},{"type":"tool_use","id":"v","name":"Bash","input":{"command":"ls"}}]}}"#;

    fn leniently(text: &str) -> Option<Happening> {
        super::super::leniently(&Record::of(text).ok()?, text)
    }

    #[test]
    fn a_line_of_the_client_is_read_directly() {
        let happening = calls(LINE).unwrap();
        assert_eq!(happening.what.len(), 2);
        assert_eq!(leniently(LINE), Some(happening));
    }

    #[test]
    fn a_field_of_another_type_is_left_to_the_lenient_way() {
        let odd = LINE.replace(r#""cwd":"/a""#, r#""cwd":7"#);
        assert_eq!(calls(&odd), None);
        assert!(leniently(&odd).is_some());
    }

    proptest! {
        #[test]
        fn both_ways_read_the_same(at in 0..LINE.len(), put in "[a-z\"{}\\[\\],:0-9\\\\]{0,3}", gone in 0_usize..4) {
            let end = (at + gone).min(LINE.len());
            let line = format!("{}{put}{}", &LINE[..at], &LINE[end..]);
            if let Some(direct) = calls(&line) {
                prop_assert_eq!(leniently(&line), Some(direct));
            }
        }
    }
}
