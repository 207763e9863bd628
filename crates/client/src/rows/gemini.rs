//! Gemini. What is said before a call never reaches its model, and a question ends the run.

use lessons_text::json;
use serde_json::Value;

use super::{Row, claude_code, text};
use crate::Event;

pub(super) const ROW: Row = Row {
    events: &[("BeforeTool", Event::Before), ("AfterTool", Event::After), ("SessionStart", Event::Start)],
    hides_advice: &[Event::Before],
    error: |_, message| error(&message["tool_response"]),
    refusal: |reason| json::object("reason", reason).replacen('{', r#"{"decision":"deny","#, 1),
    ..claude_code::ROW
};

/// A tool that failed has an `error`; a command that failed says so in its text alone.
fn error(response: &Value) -> Option<String> {
    let result = text(&response["llmContent"]);
    let has_failed = response["error"].is_object()
        || result
            .as_ref()?
            .lines()
            .any(|line| line.strip_prefix("Exit Code: ").is_some_and(|code| code != "0"));
    has_failed.then_some(result).flatten()
}
