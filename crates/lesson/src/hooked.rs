//! The tools for which the client calls our hooks, before a call and after one that failed: the `matcher` of
//! `hooks/hooks.json`.
//!
//! A hook costs the call 5 to 8 ms in the client, whatever the hook does; our program takes 0.15 to 0.31 ms of that. A tool
//! that the matcher does not name pays nothing (`BENCHMARKS.md`, "Which tools pay for it"). So the hook is called for every
//! tool that does or reads something outside of the conversation, and not for those by which the model keeps its own
//! books (`ToolSearch`, `TodoWrite`, `TaskUpdate`, `ExitPlanMode` …): they take less than a hook, and no lesson is about them.

use std::collections::BTreeSet;

use lessons_pattern::TriggerKind;
use lessons_text::neutral;

use crate::call::MCP;
use crate::lesson::Lesson;

/// The tools that have a name of their own. `Task` is the older name of `Agent`.
pub const TOOLS: [&str; 18] = [
    "Bash",
    "PowerShell",
    "Monitor",
    "Read",
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "Glob",
    "Grep",
    "LSP",
    "Agent",
    "Task",
    "Skill",
    "Workflow",
    "WebFetch",
    "WebSearch",
    "CronCreate",
];

/// Whether `text` is a tool name of the client: ASCII letters, digits, `_`, `-`, `.`, `:` and `/`.
pub fn is_tool_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/'))
}

/// The name of a tool as the client spells it, however somebody did: `bash` is `Bash`.
pub fn spelled(tool: &str) -> &str {
    TOOLS.into_iter().find(|known| known.eq_ignore_ascii_case(tool)).unwrap_or(tool)
}

/// Whether a tool is one of an MCP server.
pub fn is_mcp(tool: &str) -> bool {
    tool.strip_prefix(MCP).is_some_and(|rest| !rest.is_empty())
}

/// Whether the hook is called for a tool.
pub fn is_hooked(tool: &str) -> bool {
    TOOLS.contains(&tool) || is_mcp(tool)
}

/// Why nothing is told at calls of a tool for which the hook is not called; `None` for any other.
pub fn unhooked(tool: &str) -> Option<String> {
    if is_hooked(tool) {
        return None;
    }
    let twin = Some(spelled(tool)).filter(|twin| *twin != tool);
    let meant = twin.map_or_else(String::new, |twin| format!("; it is called for `{twin}`"));
    Some(format!(
        "Claude Code does not call the hook for the tool `{}`{meant}",
        neutral::shortened(&neutral::line(tool), 40)
    ))
}

/// Why no call can meet a condition of a lesson on a tool, for each tool of which that is true.
pub fn unhooked_conditions(lesson: &Lesson) -> Vec<String> {
    let of_triggers = lesson.all_triggers().map(|(_, trigger)| trigger);
    let of_triggers = of_triggers.filter(|trigger| trigger.kind == TriggerKind::Tool);
    let names = lesson.tools.iter().chain(of_triggers.map(|trigger| &trigger.pattern));
    let tools: BTreeSet<&str> = names.map(|name| name.trim()).filter(|name| is_tool_name(name)).collect();
    tools.into_iter().filter_map(unhooked).collect()
}

#[cfg(test)]
mod tests {
    use lessons_pattern::{Regex, js};

    use super::*;

    #[test]
    fn the_matcher_and_the_check_agree() {
        let matcher = format!("^({}|{MCP}.+)$", TOOLS.join("|"));
        let matcher = Regex::of(&js::expression(&matcher).unwrap()).unwrap();
        let others = ["ToolSearch", "TodoWrite", "bash", "BashOutput", "xBash", "mcp__", "mcp__db__run", ""];
        for tool in TOOLS.into_iter().chain(others) {
            assert_eq!(is_hooked(tool), matcher.is_match(tool), "{tool}");
        }
        assert!(is_hooked("WebFetch") && is_hooked("mcp__db__run") && !is_hooked("ToolSearch"));
    }

    #[test]
    fn a_name_in_the_wrong_case_is_told_from_one_that_nobody_knows() {
        assert!(unhooked("bash").unwrap().ends_with("it is called for `Bash`"));
        assert!(unhooked("TodoWrite").unwrap().ends_with("the tool `TodoWrite`"));
        assert_eq!(unhooked("WebSearch"), None);
    }
}
