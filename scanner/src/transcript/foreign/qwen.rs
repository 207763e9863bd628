//! Qwen: `~/.qwen/projects/SLUG/chats/ID.jsonl`, in lines like those of Claude Code with messages like those of Gemini.

use serde_json::Value;

use super::calls::calls;
use super::gemini::exit_code;
use super::lines::{End, Lines, owned, text_in};

/// Writes what happened in a line.
pub(super) fn read(line: &Value, out: &mut Lines) {
    out.session = owned(&line["sessionId"]).unwrap_or_default();
    out.cwd = owned(&line["cwd"]).or_else(|| out.cwd.take());
    out.branch = owned(&line["gitBranch"]).or_else(|| out.branch.take());
    out.speaker = owned(&line["model"]).or_else(|| out.speaker.take());
    let parts = line["message"]["parts"].as_array().into_iter().flatten();
    match (line["type"].as_str(), line["provenance"].as_str()) {
        (Some("user"), Some("real_user")) => out.person(&text_in(&line["message"]["parts"])),
        (Some("assistant"), _) => parts.for_each(|part| of_model(part, out)),
        (Some("tool_result"), _) => parts.for_each(|part| ended(part, &line["toolCallResult"], out)),
        _ => {}
    }
}

fn of_model(part: &Value, out: &mut Lines) {
    let call = &part["functionCall"];
    match (owned(&part["text"]), owned(&call["id"])) {
        _ if part["thought"] == true => {}
        (None, Some(id)) => out.call(&id, calls(&call["name"], &call["args"])),
        (text, _) => out.model(text),
    }
}

fn ended(part: &Value, result: &Value, out: &mut Lines) {
    let answer = &part["functionResponse"];
    let response = &answer["response"];
    let text = response.get("error").or_else(|| response.get("output")).map(text_in);
    let Some((text, id)) = text.zip(owned(&answer["id"])) else { return };
    let code = result["resultDisplay"]["exitCode"].as_i64().or_else(|| exit_code(&text));
    let end = match result["status"].as_str() {
        Some("cancelled") => End::RefusedByPerson,
        Some("error") => End::Failed(code),
        _ => End::of_code(code),
    };
    out.end(&id, end, &output(text));
}

/// What a command wrote, without the lines that the client writes around it; what hooks said stays.
fn output(text: String) -> String {
    let Some((_, rest)) = text.split_once("\nOutput: ").filter(|_| text.starts_with("Command: ")) else {
        return text;
    };
    let Some((output, rest)) = rest.split_once("\nError: ") else { return rest.to_owned() };
    format!("{output}\n{}", rest.split_once("\n\n").map_or("", |(_, told)| told))
}
