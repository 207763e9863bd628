//! pi: `~/.pi/agent/sessions/SLUG/TIME_ID.jsonl`, a tree of which all branches are read, in the order in which they were
//! written.

use serde_json::Value;

use super::calls::calls;
use super::step::{End, Reader, SessionFacts, What, owned, text_in};

/// What stands at the end of the output of a command that failed.
const EXITED: &str = "Command exited with code ";

pub(super) struct Pi;

impl Reader for Pi {
    fn read(&mut self, line: &Value, session: &mut SessionFacts) -> Vec<What> {
        let message = &line["message"];
        match (line["type"].as_str(), message["role"].as_str()) {
            (Some("session"), _) => {
                session.id = owned(&line["id"]).unwrap_or_default();
                session.cwd = owned(&line["cwd"]);
                Vec::new()
            }
            (Some("model_change"), _) => {
                session.model = owned(&line["modelId"]);
                Vec::new()
            }
            (Some("compaction"), _) => vec![What::Compacted],
            (Some("message"), Some("user")) => vec![What::Person(text_in(&message["content"]))],
            (Some("message"), Some("assistant")) => {
                session.model = owned(&message["model"]).or_else(|| session.model.take());
                message["content"].as_array().into_iter().flatten().filter_map(of_model).collect()
            }
            (Some("message"), Some("toolResult")) => ended(message).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

fn of_model(block: &Value) -> Option<What> {
    match block["type"].as_str()? {
        "text" => owned(&block["text"]).map(What::Model),
        "toolCall" => {
            Some(What::Call { id: owned(&block["id"])?, calls: calls(&block["name"], &block["arguments"]) })
        }
        _ => None,
    }
}

fn ended(message: &Value) -> Option<What> {
    let text = text_in(&message["content"]);
    let code = text.rsplit_once(EXITED).and_then(|(_, code)| code.lines().next()?.trim().parse().ok());
    let end = if message["isError"] == true { End::Failed(code) } else { End::Done };
    Some(What::End { id: owned(&message["toolCallId"])?, end, text })
}
