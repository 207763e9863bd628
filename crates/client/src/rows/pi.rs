//! pi, by way of the bridge that `lessons install` writes, which passes its events on as they are.

use lessons_text::json;

use super::{Keys, Row};
use crate::Event;

pub(super) const ROW: Row = Row {
    events: &[
        ("tool_call", Event::Before),
        ("tool_result", Event::After),
        ("before_agent_start", Event::Start),
    ],
    keys: Keys { tool: "toolName", input: "input", call: "toolCallId" },
    hides_advice: &[],
    error: |_, message| {
        message["isError"].as_bool().filter(|is_error| *is_error)?;
        let parts = message["content"].as_array()?.iter();
        let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
        Some(texts.join("\n"))
    },
    advice: |_, _, text| json::object("advice", text),
    refusal: |reason| json::object("refusal", reason),
};
