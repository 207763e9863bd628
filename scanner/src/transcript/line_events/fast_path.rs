//! The fast path for a line with calls: one pass over its JSON.
//!
//! The lenient parser reads a text once per level of nesting, and half of all parsed lines hold calls. A line whose
//! fields all have the types that the client writes is read here; any other is `None`, and is read leniently.

use lessons_lesson::call::is_shell;
use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::super::record::{folder_from, word_from};
use super::super::{Agent, LineInfo, Timestamp};
use super::{LineEvent, LineEvents, MAX_KEPT, ToolCall};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    uuid: Text<'a>,
    #[serde(borrow)]
    session_id: Option<Text<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    cwd: Option<Text<'a>>,
    #[serde(borrow)]
    message: Message<'a>,
    is_sidechain: Option<bool>,
    #[serde(borrow)]
    agent_id: Option<Text<'a>>,
    #[serde(borrow)]
    attribution_agent: Option<Text<'a>>,
    is_api_error_message: Option<bool>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    content: Vec<Block<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<Input<'a>>,
}

/// A text that borrows from the line unless something in it is escaped. Most texts are only compared, and copying
/// them takes as long as parsing them.
struct Text<'a>(Cow<'a, str>);

impl Text<'_> {
    fn into_word(self) -> Option<String> {
        word_from(self.0.into_owned())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Str;
        impl<'de> Visitor<'de> for Str {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        from.deserialize_str(Str)
    }
}

/// The parameters of a call.
#[derive(Default)]
struct Input<'a> {
    given: Vec<String>,
    command: Option<Text<'a>>,
    file: Option<Text<'a>>,
    notebook: Option<Text<'a>>,
    old: Option<Text<'a>>,
    new: Option<Text<'a>>,
    content: Option<Text<'a>>,
    source: Option<Text<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Input<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Input<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the parameters of a call")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Input<'de>, A::Error> {
                let mut input = Input::default();
                while let Some(Text(name)) = map.next_key()? {
                    let slot = match name.as_ref() {
                        "command" => &mut input.command,
                        "file_path" => &mut input.file,
                        "notebook_path" => &mut input.notebook,
                        "old_string" => &mut input.old,
                        "new_string" => &mut input.new,
                        "content" => &mut input.content,
                        "new_source" => &mut input.source,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            input.given.push(name.into_owned());
                            continue;
                        }
                    };
                    *slot = Some(map.next_value()?);
                    input.given.push(name.into_owned());
                }
                input.given.sort_unstable();
                input.given.dedup();
                Ok(input)
            }
        }
        from.deserialize_map(Fields)
    }
}

/// Reads a line of the assistant that has the form of the client.
pub(super) fn calls(text: &str) -> Option<LineEvents> {
    let line: Line<'_> = serde_json::from_str(text).ok()?;
    let role = line.message.role.as_ref();
    let speaks = line.kind.0 == "assistant" && role.is_none_or(|role| role.0 == "assistant");
    if !speaks || line.is_api_error_message == Some(true) {
        return None;
    }
    let uses = line.message.content.into_iter().filter(|block| block.kind.0 == "tool_use");
    let what: Vec<LineEvent> = uses.filter_map(call).map(LineEvent::Called).collect();
    if what.is_empty() {
        return None;
    }
    let (id, kind) =
        (line.agent_id.and_then(Text::into_word), line.attribution_agent.and_then(Text::into_word));
    let origin = LineInfo {
        uuid: line.uuid.into_word()?,
        session: line.session_id.and_then(Text::into_word),
        time: line.timestamp.and_then(|time| Timestamp::parse(&time.0)),
        cwd: line.cwd.and_then(|cwd| folder_from(cwd.0.into_owned())),
        model: line.message.model.and_then(Text::into_word),
        agent: (line.is_sidechain == Some(true) || id.is_some()).then_some(Agent { id, kind }),
        texts: Vec::new(),
    };
    Some(LineEvents { origin, what })
}

fn call(block: Block<'_>) -> Option<ToolCall> {
    let (id, tool) = (block.id?.into_word()?, block.name?.into_word()?);
    let input = block.input?;
    let kept =
        |text: Option<Text<'_>>| text.filter(|text| text.0.len() <= MAX_KEPT).map(|text| text.0.into_owned());
    let command = kept(input.command).filter(|_| is_shell(&tool));
    let (path, new) = (input.file.or(input.notebook), input.new.or(input.content).or(input.source));
    Some(ToolCall {
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

    fn leniently(text: &str) -> Option<LineEvents> {
        super::super::leniently(&Record::of(text).ok()?, text)
    }

    #[test]
    fn a_line_of_the_client_takes_the_fast_path() {
        let line_events = calls(LINE).unwrap();
        assert_eq!(line_events.what.len(), 2);
        assert_eq!(leniently(LINE), Some(line_events));
    }

    #[test]
    fn a_field_of_another_type_is_left_to_the_lenient_parser() {
        let odd = LINE.replace(r#""cwd":"/a""#, r#""cwd":7"#);
        assert_eq!(calls(&odd), None);
        assert!(leniently(&odd).is_some());
    }

    proptest! {
        #[test]
        fn both_parsers_read_the_same(at in 0..LINE.len(), put in "[a-z\"{}\\[\\],:0-9\\\\]{0,3}", gone in 0_usize..4) {
            let end = (at + gone).min(LINE.len());
            let line = format!("{}{put}{}", &LINE[..at], &LINE[end..]);
            if let Some(direct) = calls(&line) {
                prop_assert_eq!(leniently(&line), Some(direct));
            }
        }
    }
}
