//! Codex: `~/.codex/sessions/Y/M/D/rollout-*.jsonl`. What counts are the items that it completed; the requests and answers
//! beside them say the same again. A call that was refused has no item.

use serde_json::Value;

use super::calls::change;
use super::lines::{End, Lines, Reader, owned, text_in};

#[derive(Default)]
struct Codex {
    /// Whether the model waits for the result of a call.
    in_call: bool,
    /// What hooks told before the call is known.
    waiting: Vec<String>,
}

/// The reader of a transcript.
pub(super) fn reader() -> Reader {
    let mut codex = Codex::default();
    Box::new(move |line, out| codex.read(line, out))
}

impl Codex {
    fn read(&mut self, line: &Value, out: &mut Lines) {
        let payload = &line["payload"];
        match (line["type"].as_str(), payload["type"].as_str()) {
            // A session that continues another one repeats what that said of itself.
            (Some("session_meta"), _) if out.session.is_empty() => {
                out.session = owned(&payload["id"]).unwrap_or_default();
                out.cwd = owned(&payload["cwd"]);
                out.branch = owned(&payload["git"]["branch"]);
                out.is_program = payload["source"] == "exec";
            }
            (Some("turn_context"), _) => {
                out.speaker = owned(&payload["model"]);
                out.cwd = owned(&payload["cwd"]).or_else(|| out.cwd.take());
            }
            (Some("compacted"), _) => out.compacted(),
            (Some("event_msg"), Some("item_completed")) => self.item(&payload["item"], out),
            (Some("response_item"), Some("custom_tool_call" | "function_call" | "local_shell_call")) => {
                (self.in_call, out.last) = (true, None);
            }
            (Some("response_item"), Some("custom_tool_call_output" | "function_call_output")) => {
                self.in_call = false;
            }
            // What hooks told.
            (Some("response_item"), Some("message")) if payload["role"] == "developer" => {
                let text = text_in(&payload["content"]);
                if self.in_call && out.last.is_none() {
                    self.waiting.push(text);
                } else {
                    out.told(out.last.clone().as_deref(), &text);
                }
            }
            _ => {}
        }
    }

    fn item(&mut self, item: &Value, out: &mut Lines) {
        let (calls, end, text) = match item["type"].as_str() {
            Some("UserMessage") => return out.person(&text_in(&item["content"])),
            Some("AgentMessage") => return out.model(Some(text_in(&item["content"]))),
            Some("CommandExecution") => {
                let input = serde_json::json!({"command": command(&item["command"])});
                let end = match ended(item) {
                    End::RefusedByPerson => End::RefusedByPerson,
                    End::Done | End::Failed(_) => End::of_code(item["exit_code"].as_i64()),
                };
                (vec![("Bash".to_owned(), input)], end, text_in(&item["aggregated_output"]))
            }
            Some("FileChange") => {
                let changes = item["changes"].as_object().into_iter().flatten();
                let end = ended(item);
                let text = text_in(&item[if end == End::Done { "stdout" } else { "stderr" }]);
                (changes.map(|(path, change)| of_change(path, change)).collect(), end, text)
            }
            Some("McpToolCall") => {
                let name = |field: &str| item[field].as_str().unwrap_or_default();
                let tool = format!("mcp__{}__{}", name("server"), name("tool"));
                let text =
                    owned(&item["error"]["message"]).unwrap_or_else(|| text_in(&item["result"]["content"]));
                (vec![(tool, item["arguments"].clone())], ended(item), text)
            }
            _ => return,
        };
        let id = owned(&item["id"]).unwrap_or_default();
        out.call(&id, calls);
        out.end(&id, end, &text);
        self.waiting.drain(..).for_each(|text| out.told(Some(&id), &text));
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
        Some("add") => change("Write", path, "", &text_in(&item["content"])),
        Some("delete") => change("Edit", path, &text_in(&item["content"]), ""),
        _ => change("Edit", path, &lines('-'), &lines('+')),
    }
}
