//! Claude Code, of whose names and forms the other rows are variations.

use super::{Keys, Row, text};
use crate::{Event, claude};

pub(super) const ROW: Row = Row {
    events: &[
        ("PreToolUse", Event::Before),
        ("PostToolUse", Event::After),
        ("PostToolUseFailure", Event::Failed),
        ("SessionStart", Event::Start),
        ("SubagentStart", Event::AgentStart),
    ],
    keys: Keys::CLAUDE,
    hides_advice: &[],
    error: |_, message| text(&message["error"]),
    advice: claude::context,
    refusal: claude::denial,
};
