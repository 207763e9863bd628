//! Copilot: `~/.copilot/session-state/ID/events.jsonl`.

use serde_json::Value;

use super::calls::calls;
use super::step::{End, Reader, SessionFacts, What, owned, text_in};

/// What the client writes before the text of a hook in a result.
const OF_HOOKS: &str = " Additional guidance from postToolUse hooks:";
/// What it writes behind the output of a command.
const OF_SHELL: &str = "<shellId: ";

#[derive(Default)]
pub(super) struct Copilot {
    /// The last call.
    last: Option<String>,
}

impl Reader for Copilot {
    fn read(&mut self, line: &Value, session: &mut SessionFacts) -> Vec<What> {
        let data = &line["data"];
        let id = owned(&data["toolCallId"]).unwrap_or_default();
        match line["type"].as_str() {
            Some("session.start" | "session.resume") => {
                if let Some(id) = owned(&data["sessionId"]) {
                    session.id = id;
                }
                let context = &data["context"];
                session.cwd = owned(&context["cwd"]).or_else(|| session.cwd.take());
                session.branch = owned(&context["branch"]).or_else(|| session.branch.take());
                Vec::new()
            }
            Some("user.message") => vec![What::Person(text_in(&data["content"]))],
            Some("assistant.message") => {
                session.model = owned(&data["model"]).or_else(|| session.model.take());
                owned(&data["content"]).map(What::Model).into_iter().collect()
            }
            Some("tool.execution_start") => {
                self.last = Some(id.clone());
                vec![What::Call { id, calls: calls(&data["toolName"], &data["arguments"]) }]
            }
            Some("tool.execution_complete") => {
                let (end, text) = ended(data);
                vec![What::End { id, end, text }]
            }
            Some("hook.end") => {
                let text = text_in(&data["output"]["additionalContext"]);
                let call = self.last.clone().filter(|_| data["hookType"] != "sessionStart");
                vec![What::Told { call, text }]
            }
            Some("session.compaction_complete") => vec![What::Compacted],
            _ => Vec::new(),
        }
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
