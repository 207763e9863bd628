//! Codex. It drops a whole answer for one field that it does not know, and runs the call where it is told to ask.
//!
//! It raises no event for a failed call and tells no exit code, so the output of every command is offered to lessons that
//! wait for an error text, which match on that text alone.

use super::{Row, claude_code, text};
use crate::Event;

pub(super) const ROW: Row = Row {
    events: &[
        ("PreToolUse", Event::Before),
        ("PostToolUse", Event::After),
        ("SessionStart", Event::Start),
        ("SubagentStart", Event::AgentStart),
    ],
    hides_advice: &[],
    error: |event, message| {
        let is_shell = event == Event::After && message["tool_name"] == "Bash";
        is_shell.then(|| text(&message["tool_response"])).flatten()
    },
    ..claude_code::ROW
};
