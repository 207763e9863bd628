//! pi, by way of the bridge that `lessons install` writes, which passes its events on as they are and takes the same answers
//! as that of opencode.

use super::{Keys, Row, opencode};
use crate::Event;

pub(super) const ROW: Row = Row {
    events: &[
        ("tool_call", Event::Before),
        ("tool_result", Event::After),
        ("before_agent_start", Event::Start),
    ],
    keys: Keys { tool: "toolName", input: "input", call: "toolCallId" },
    error: |_, message| {
        message["isError"].as_bool().filter(|is_error| *is_error)?;
        let parts = message["content"].as_array()?.iter();
        let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
        Some(texts.join("\n"))
    },
    ..opencode::ROW
};
