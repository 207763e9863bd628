//! pi: `~/.pi/agent/sessions/SLUG/TIME_ID.jsonl`, a tree of which all branches are read, in the order in which they were
//! written.

use serde_json::Value;

use super::calls::calls;
use super::lines::{End, Lines, owned, text_in};

/// What stands at the end of the output of a command that failed.
const EXITED: &str = "Command exited with code ";

/// Writes what happened in a line.
pub(super) fn read(line: &Value, out: &mut Lines) {
    let message = &line["message"];
    match (line["type"].as_str(), message["role"].as_str()) {
        (Some("session"), _) => {
            out.session = owned(&line["id"]).unwrap_or_default();
            out.cwd = owned(&line["cwd"]);
        }
        (Some("model_change"), _) => out.speaker = owned(&line["modelId"]),
        (Some("compaction"), _) => out.compacted(),
        (Some("message"), Some("user")) => out.person(&text_in(&message["content"])),
        (Some("message"), Some("assistant")) => {
            out.speaker = owned(&message["model"]).or_else(|| out.speaker.take());
            message["content"].as_array().into_iter().flatten().for_each(|block| of_model(block, out));
        }
        (Some("message"), Some("toolResult")) => ended(message, out),
        _ => {}
    }
}

fn of_model(block: &Value, out: &mut Lines) {
    match (block["type"].as_str(), owned(&block["id"])) {
        (Some("text"), _) => out.model(owned(&block["text"])),
        (Some("toolCall"), Some(id)) => out.call(&id, calls(&block["name"], &block["arguments"])),
        _ => {}
    }
}

fn ended(message: &Value, out: &mut Lines) {
    let Some(id) = owned(&message["toolCallId"]) else { return };
    let text = text_in(&message["content"]);
    let code = text.rsplit_once(EXITED).and_then(|(_, code)| code.lines().next()?.trim().parse().ok());
    out.end(&id, if message["isError"] == true { End::Failed(code) } else { End::Done }, &text);
}
