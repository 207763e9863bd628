//! The recorded session that made the mistake.

use std::path::Path;

use serde_json::{Value, json};

/// The call that is a mistake. No built-in lesson matches it.
pub(super) const COMMAND: &str = "make deploy";

const MISTAKE: &str = "`make deploy` takes the last commit, so what is not committed is not deployed";
const SESSION: &str = "5e551017-0000-4000-8000-000000000001";

/// Makes the tag that the model wrote.
pub(super) fn tag(fix: &str) -> String {
    format!(
        "#lesson\ntool: Bash\ntrigger: {COMMAND}\nmistake: {MISTAKE}\nfix: {fix}\ntags: tool:make\n#/lesson"
    )
}

/// Makes the transcript in the client's format: one line per block.
pub(super) fn transcript(project: &Path, fix: &str) -> String {
    let call = json!([{"type": "tool_use", "id": "toolu_demo_1", "name": "Bash",
        "input": {"command": COMMAND, "description": "Deploy"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "toolu_demo_1", "is_error": false,
        "content": "built 4f1c2aa, pushed, live"}]);
    let said = format!("The page is still the old one. I see why now.\n\n{}", tag(fix));
    let lines = [
        ("user", json!("Deploy the new page.")),
        ("assistant", call),
        ("user", result),
        ("assistant", json!([{"type": "text", "text": said}])),
    ];
    let mut transcript = String::new();
    for (number, (role, content)) in lines.into_iter().enumerate() {
        transcript.push_str(&line(project, number, role, &content).to_string());
        transcript.push('\n');
    }
    transcript
}

fn line(project: &Path, number: usize, role: &str, content: &Value) -> Value {
    let uuid = |number: usize| format!("5e551017-0000-4000-8000-0000000001{number:02}");
    let mut message = json!({"role": role, "content": content});
    if role == "assistant" {
        message["id"] = json!(format!("msg_demo_{number}"));
        message["type"] = json!("message");
        message["model"] = json!("claude-demo");
    }
    json!({
        "parentUuid": number.checked_sub(1).map(uuid),
        "isSidechain": false,
        "type": role,
        "message": message,
        "uuid": uuid(number),
        "timestamp": format!("2026-01-05T09:00:{number:02}.000Z"),
        "userType": "external",
        "entrypoint": "cli",
        "cwd": project,
        "sessionId": SESSION,
        "version": "2.1.332",
        "gitBranch": "main",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_json_and_the_tag_stands_in_the_models_own_words() {
        let transcript = transcript(Path::new("/p"), "say \"please\"\nand wait");
        let lines: Vec<Value> = transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1]["uuid"], lines[2]["parentUuid"]);
        let text = lines[3]["message"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("fix: say \"please\"\nand wait\n"), "{text}");
        assert_eq!(transcript.matches("#lesson").count(), 1);
    }
}
