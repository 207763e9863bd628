//! Copilot: `~/.copilot/session-state/ID/events.jsonl`.

use serde_json::Value;

use super::calls::calls;
use super::lines::{End, Lines, owned, text_in};

/// What the client writes before the text of a hook in a result.
const OF_HOOKS: &str = " Additional guidance from postToolUse hooks:";
/// What it writes behind the output of a command.
const OF_SHELL: &str = "<shellId: ";

/// Writes what happened in a line.
pub(super) fn read(line: &Value, out: &mut Lines) {
    let data = &line["data"];
    let id = owned(&data["toolCallId"]).unwrap_or_default();
    match line["type"].as_str() {
        Some("session.start" | "session.resume") => {
            let context = &data["context"];
            out.session = owned(&data["sessionId"]).unwrap_or_else(|| std::mem::take(&mut out.session));
            out.cwd = owned(&context["cwd"]).or_else(|| out.cwd.take());
            out.branch = owned(&context["branch"]).or_else(|| out.branch.take());
        }
        Some("user.message") => out.person(&text_in(&data["content"])),
        Some("assistant.message") => {
            out.speaker = owned(&data["model"]).or_else(|| out.speaker.take());
            out.model(owned(&data["content"]));
        }
        Some("tool.execution_start") => out.call(&id, calls(&data["toolName"], &data["arguments"])),
        Some("tool.execution_complete") => {
            let (end, text) = ended(data);
            out.end(&id, end, &text);
        }
        Some("hook.end") => {
            let call = out.last.clone().filter(|_| data["hookType"] != "sessionStart");
            out.told(call.as_deref(), &text_in(&data["output"]["additionalContext"]));
        }
        Some("session.compaction_complete") => out.compacted(),
        _ => {}
    }
}

fn ended(data: &Value) -> (End, String) {
    if data["success"] == false {
        let error = &data["error"];
        let end = if error["code"] == "rejected" { End::RefusedByPerson } else { End::Failed(None) };
        return (end, text_in(&error["message"]));
    }
    let text = text_in(&data["result"]["content"]);
    // What a hook told is cut later; the words of the client around it are no part of the result.
    let text = match text.split_once(OF_HOOKS) {
        Some((result, told)) => {
            format!("{}{told}", result.rsplit_once("\n\nTool ").map_or(result, |(result, _)| result))
        }
        None => text,
    };
    let text = match text.rsplit_once(OF_SHELL) {
        Some((output, rest)) => format!("{output}{}", rest.split_once('>').map_or("", |(_, rest)| rest)),
        None => text,
    };
    (End::of_code(data["shellExecution"]["exitCode"].as_i64()), text)
}
