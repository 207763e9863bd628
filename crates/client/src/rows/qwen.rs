//! Qwen: Gemini's tools behind Claude Code's events. What is said before a call never reaches its model, and the
//! `tool_use_id` of a call is made up at each event.

use super::{Keys, Row, claude_code, text};
use crate::Event;

pub(super) const ROW: Row = Row {
    events: &[
        ("PreToolUse", Event::Before),
        ("PostToolUse", Event::After),
        ("PostToolUseFailure", Event::Failed),
        ("SessionStart", Event::Start),
    ],
    keys: Keys { call: "tool_call_id", ..Keys::CLAUDE },
    hides_advice: &[Event::Before],
    // The text begins with the command, in which no lesson is to look for an error.
    error: |_, message| {
        let error = text(&message["error"])?;
        Some(error.split_once("\nOutput: ").map_or(error.clone(), |(_, output)| output.to_owned()))
    },
    ..claude_code::ROW
};
