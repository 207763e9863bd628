//! Codex: `~/.codex/sessions/Y/M/D/rollout-*.jsonl`. What counts are the items that it completed; the requests and answers
//! beside them say the same again. A call that was refused has no item.

use serde_json::Value;

use super::calls::change;
use super::step::{End, Reader, SessionFacts, What, owned, text_in};

#[derive(Default)]
pub(super) struct Codex {
    /// Whether the model waits for the result of a call.
    in_call: bool,
    /// The last call of it that ran.
    last: Option<String>,
    /// What hooks told before the call is known.
    waiting: Vec<String>,
}

impl Reader for Codex {
    fn read(&mut self, line: &Value, session: &mut SessionFacts) -> Vec<What> {
        let payload = &line["payload"];
        match (line["type"].as_str(), payload["type"].as_str()) {
            // A session that continues another one repeats what that said of itself.
            (Some("session_meta"), _) if session.id.is_empty() => {
                session.id = owned(&payload["id"]).unwrap_or_default();
                session.cwd = owned(&payload["cwd"]);
                session.branch = owned(&payload["git"]["branch"]);
                session.is_program = payload["source"] == "exec";
                Vec::new()
            }
            (Some("turn_context"), _) => {
                session.model = owned(&payload["model"]);
                session.cwd = owned(&payload["cwd"]).or_else(|| session.cwd.take());
                Vec::new()
            }
            (Some("compacted"), _) => vec![What::Compacted],
            (Some("event_msg"), Some("item_completed")) => self.item(&payload["item"]),
            (Some("response_item"), Some(kind)) => self.response(kind, payload),
            _ => Vec::new(),
        }
    }
}

impl Codex {
    /// A part of a request or an answer: whether a call runs, and what hooks told.
    fn response(&mut self, kind: &str, payload: &Value) -> Vec<What> {
        match kind {
            "custom_tool_call" | "function_call" | "local_shell_call" => {
                (self.in_call, self.last) = (true, None);
            }
            "custom_tool_call_output" | "function_call_output" => self.in_call = false,
            "message" if payload["role"] == "developer" => {
                let text = text_in(&payload["content"]);
                return match (self.in_call, &self.last) {
                    (true, None) => {
                        self.waiting.push(text);
                        Vec::new()
                    }
                    (_, last) => vec![What::Told { call: last.clone(), text }],
                };
            }
            _ => {}
        }
        Vec::new()
    }

    fn item(&mut self, item: &Value) -> Vec<What> {
        let id = owned(&item["id"]).unwrap_or_default();
        match item["type"].as_str() {
            Some("UserMessage") => vec![What::Person(text_in(&item["content"]))],
            Some("AgentMessage") => vec![What::Model(text_in(&item["content"]))],
            Some("CommandExecution") => {
                let input = serde_json::json!({"command": command(&item["command"])});
                let end = match item["status"].as_str() {
                    Some("declined") => End::RefusedByPerson,
                    _ => End::of_code(item["exit_code"].as_i64()),
                };
                self.call(&id, vec![("Bash".to_owned(), input)], end, &text_in(&item["aggregated_output"]))
            }
            Some("FileChange") => {
                let changes = item["changes"].as_object().into_iter().flatten();
                let calls = changes.map(|(path, change)| of_change(path, change)).collect();
                let end = ended(item);
                self.call(
                    &id,
                    calls,
                    end,
                    &text_in(&item[if end == End::Done { "stdout" } else { "stderr" }]),
                )
            }
            Some("McpToolCall") => {
                let name = |field: &str| owned(&item[field]).unwrap_or_default();
                let tool = format!("mcp__{}__{}", name("server"), name("tool"));
                let text =
                    owned(&item["error"]["message"]).unwrap_or_else(|| text_in(&item["result"]["content"]));
                self.call(&id, vec![(tool, item["arguments"].clone())], ended(item), &text)
            }
            _ => Vec::new(),
        }
    }

    fn call(&mut self, id: &str, calls: Vec<(String, Value)>, end: End, text: &str) -> Vec<What> {
        let end = What::End { id: id.to_owned(), end, text: text.to_owned() };
        let mut what = vec![What::Call { id: id.to_owned(), calls }, end];
        self.last = Some(id.to_owned());
        let told = std::mem::take(&mut self.waiting).into_iter();
        what.extend(told.map(|text| What::Told { call: Some(id.to_owned()), text }));
        what
    }
}

fn ended(item: &Value) -> End {
    match item["status"].as_str() {
        Some("declined") => End::RefusedByPerson,
        Some("failed") => End::Failed(None),
        _ => End::Done,
    }
}

/// The command of a shell that runs a text, or the words of another.
fn command(words: &Value) -> String {
    let words: Vec<&str> = words.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [_, "-lc" | "-c", text] => (*text).to_owned(),
        words => words.join(" "),
    }
}

fn of_change(path: &str, item: &Value) -> (String, Value) {
    let lines = |sign: char| -> String {
        let diff = item["unified_diff"].as_str().unwrap_or_default().lines();
        diff.filter_map(|line| line.strip_prefix(sign)).flat_map(|line| [line, "\n"]).collect()
    };
    match item["type"].as_str() {
        Some("add") => ("Write".to_owned(), change("Write", path, "", &text_in(&item["content"]))),
        Some("delete") => ("Edit".to_owned(), change("Edit", path, &text_in(&item["content"]), "")),
        _ => ("Edit".to_owned(), change("Edit", path, &lines('-'), &lines('+'))),
    }
}
