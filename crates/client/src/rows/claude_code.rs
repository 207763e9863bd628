//! Claude Code, of whose names and forms the other rows are variations.

use super::{Keys, Row, text};
use crate::{Event, claude};

/// The event before a line with `!` of a slash command or a skill. 2.1.332 raises it; in the `hooks.json` of a plugin it makes
/// 2.1.197 drop the whole file, in the settings of a person it harms neither.
pub(crate) const SKILL_LINE: &str = "PreSkillShellCommand";

pub(super) const ROW: Row = Row {
    events: &[
        ("PreToolUse", Event::Before),
        ("PostToolUse", Event::After),
        ("PostToolUseFailure", Event::Failed),
        ("SessionStart", Event::Start),
        ("SubagentStart", Event::AgentStart),
        (SKILL_LINE, Event::SkillLine),
    ],
    keys: Keys::CLAUDE,
    hides_advice: &[Event::SkillLine],
    error: |_, message| text(&message["error"]),
    advice: claude::context,
    refusal: claude::denial,
};
