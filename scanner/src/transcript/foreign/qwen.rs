//! Qwen: `~/.qwen/projects/SLUG/chats/ID.jsonl`, in lines like those of Claude Code with messages like those of Gemini.

use serde_json::Value;

use super::calls::calls;
use super::gemini::exit_code;
use super::step::{End, Reader, SessionFacts, What, owned, text_in};

pub(super) struct Qwen;

impl Reader for Qwen {
    fn read(&mut self, line: &Value, session: &mut SessionFacts) -> Vec<What> {
        session.id = owned(&line["sessionId"]).unwrap_or_default();
        session.cwd = owned(&line["cwd"]).or_else(|| session.cwd.take());
        session.branch = owned(&line["gitBranch"]).or_else(|| session.branch.take());
        session.model = owned(&line["model"]).or_else(|| session.model.take());
        let parts = line["message"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        match (line["type"].as_str(), line["provenance"].as_str()) {
            (Some("user"), Some("real_user")) => vec![What::Person(text_in(&line["message"]["parts"]))],
            (Some("assistant"), _) => parts.iter().filter_map(of_model).collect(),
            (Some("tool_result"), _) => {
                parts.iter().filter_map(|part| ended(part, &line["toolCallResult"])).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn of_model(part: &Value) -> Option<What> {
    if part["thought"] == true {
        return None;
    }
    let call = &part["functionCall"];
    let called = || Some(What::Call { id: owned(&call["id"])?, calls: calls(&call["name"], &call["args"]) });
    owned(&part["text"]).map(What::Model).or_else(called)
}

fn ended(part: &Value, result: &Value) -> Option<What> {
    let answer = &part["functionResponse"];
    let response = &answer["response"];
    let text = text_in(response.get("error").or_else(|| response.get("output"))?);
    let code = result["resultDisplay"]["exitCode"].as_i64().or_else(|| exit_code(&text));
    let end = match result["status"].as_str() {
        Some("cancelled") => End::RefusedByPerson,
        Some("error") => End::Failed(code),
        _ => End::of_code(code),
    };
    Some(What::End { id: owned(&answer["id"])?, end, text: output(text) })
}

/// What a command wrote, without the lines that the client writes around it; what hooks said stays.
fn output(text: String) -> String {
    let Some((_, rest)) = text.split_once("\nOutput: ").filter(|_| text.starts_with("Command: ")) else {
        return text;
    };
    let Some((output, rest)) = rest.split_once("\nError: ") else { return rest.to_owned() };
    format!("{output}\n{}", rest.split_once("\n\n").map_or("", |(_, told)| told))
}
