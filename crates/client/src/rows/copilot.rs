//! Copilot, in the dialect of Claude Code that it speaks where event names begin with a capital letter.
//!
//! A command that fails is reported as one that has run, with its exit code in the last line. Advice is taken in Claude
//! Code's form before a call, and in a form of its own at every other event.

use lessons_text::json;

use super::{Row, claude_code, text};
use crate::{Event, claude};

pub(super) const ROW: Row = Row {
    events: &[
        ("PreToolUse", Event::Before),
        ("PostToolUse", Event::After),
        ("PostToolUseFailure", Event::Failed),
        ("SessionStart", Event::Start),
    ],
    hides_advice: &[],
    error: |event, message| match event {
        Event::Failed => text(&message["error"]),
        _ => text(&message["tool_result"]["text_result_for_llm"]).filter(|result| has_failed(result)),
    },
    advice: |event, name, text| match event {
        Event::Before => claude::context(event, name, text),
        _ => json::object("additionalContext", text),
    },
    ..claude_code::ROW
};

/// Whether the last line says `<shellId: N completed with exit code K>`, with a K that is not 0.
fn has_failed(result: &str) -> bool {
    let last = result.lines().next_back().unwrap_or_default();
    let code = last.strip_suffix('>').and_then(|line| line.strip_prefix("<shellId: "));
    code.and_then(|line| line.split_once(" completed with exit code ")).is_some_and(|(_, code)| code != "0")
}
