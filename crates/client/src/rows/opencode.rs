//! opencode, by way of the bridge that `lessons install` writes, which passes calls on as they are.

use lessons_text::json;

use super::{Row, claude_code, text};
use crate::Event;

pub(super) const ROW: Row = Row {
    events: &[("PreToolUse", Event::Before), ("PostToolUse", Event::After), ("SessionStart", Event::Start)],
    hides_advice: &[],
    error: |_, message| {
        let response = &message["tool_response"];
        let code = response["metadata"]["exit"].as_i64().filter(|code| *code != 0)?;
        Some(format!("Exit code {code}\n{}", text(&response["output"])?))
    },
    advice: |_, _, text| json::object("advice", text),
    refusal: |reason| json::object("refusal", reason),
    ..claude_code::ROW
};
