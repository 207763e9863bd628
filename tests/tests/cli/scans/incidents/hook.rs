//! What the hook after a call, the scan and a person do with the same text.

use std::fs;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use super::{PAYLOAD, TYPOS, brought, id, listed, machine, only, with_payload};

/// What the hook answers about the result of a tool; null for nothing.
#[track_caller]
fn after(env: &TestEnv, session: &str, call: &str, tool: &str, response: &Value) -> Value {
    let payload = json!({
        "session_id": session, "hook_event_name": "PostToolUse", "cwd": env.project(), "tool_name": tool,
        "tool_input": {"file_path": env.project().join("attacks.md")}, "tool_response": response, "tool_use_id": call,
    });
    let output = env.after_tool(payload.to_string().as_bytes());
    assert!(output.status.success() && output.stderr.is_empty(), "{}", said(&output));
    if output.stdout.is_empty() {
        return Value::Null;
    }
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    object["hookSpecificOutput"].clone()
}

#[track_caller]
fn of_mcp(env: &TestEnv, session: &str, call: &str, text: &str) -> Value {
    after(env, session, call, "mcp__pages__fetch", &json!([{ "type": "text", "text": text }]))
}

fn is_withheld(answer: &Value) -> bool {
    answer["updatedToolOutput"].to_string().contains("[withheld by Lessons: i-")
}

/// Changes the settings by hand, and accepts them.
fn set(env: &TestEnv, text: &str) {
    // From the first decision on, only accepted settings count.
    env.must(&["accept"]);
    let file = env.data().join("config.toml");
    let before = fs::read_to_string(&file).unwrap_or_default();
    fs::write(&file, before + text).expect("settings");
    env.must(&["accept"]);
}

#[test]
fn before_any_scan_a_payload_is_withheld_wherever_it_comes_from_and_is_one_incident() {
    let env = machine();
    env.must(&["build"]);
    assert!(is_withheld(&of_mcp(&env, "one", "toolu_1", PAYLOAD)));
    let other = after(&env, "two", "toolu_2", "mcp__mail__read", &json!([{ "type": "text", "text": TYPOS }]));
    assert!(is_withheld(&other), "{other}");
    env.must(&["scan"]);
    assert_eq!(only(&env)["seen"], 2);
}

#[test]
fn parallel_results_with_one_payload_are_one_row() {
    let env = machine();
    env.must(&["build"]);
    let env = &env;
    std::thread::scope(|scope| {
        for call in 0..24 {
            scope.spawn(move || of_mcp(env, "one", &format!("toolu_{call}"), PAYLOAD));
        }
    });
    env.must(&["scan"]);
    assert_eq!((listed(env, &["--all"]).len(), only(env)["seen"].as_u64()), (1, Some(24)));
}

#[test]
fn what_a_person_retires_passes_the_hook_until_that_is_undone() {
    let env = with_payload();
    let withheld = |session: &str| is_withheld(&of_mcp(&env, session, "toolu_1", PAYLOAD));
    assert!(withheld("one"));
    env.must(&["incidents", "retire", &id(&only(&env)), "--reason", "our own text"]);
    assert!(!withheld("two"));
    env.must(&["undo"]);
    assert!(withheld("three"));
}

#[test]
fn switched_off_the_hook_does_nothing() {
    let env = with_payload();
    assert!(is_withheld(&of_mcp(&env, "one", "toolu_1", PAYLOAD)));
    let left = || fs::read_dir(env.data().join("incidents/new")).map_or(0, Iterator::count);
    assert_eq!(left(), 1);
    set(&env, "\n[incidents]\nenabled = false\n");
    assert_eq!(of_mcp(&env, "two", "toolu_2", PAYLOAD), Value::Null);
    let failure = json!({
        "session_id": "two", "hook_event_name": "PostToolUseFailure", "cwd": env.project(),
        "tool_name": "mcp__pages__fetch", "tool_input": {}, "tool_use_id": "toolu_3", "error": PAYLOAD,
    });
    assert!(env.failure(&failure).stdout.is_empty());
    assert_eq!(left(), 1, "nothing was withheld, so nothing is left for a scan");
    env.must(&["scan"]);
    assert_eq!((left(), listed(&env, &["--all"])), (1, Vec::new()), "no row");
}

#[test]
fn a_file_of_the_project_is_a_critical_row_and_passes_until_a_person_confirms() {
    let env = machine();
    set(&env, "\n[incidents]\nlocal = true\n");
    let file = env.project().join("attacks.md");
    let mut lines = brought("s1", 1, "Read", &json!({ "file_path": file }), PAYLOAD);
    for line in &mut lines {
        line["cwd"] = json!(env.project());
    }
    env.write_transcript("app/s1.jsonl", &lines);
    env.must(&["scan"]);
    let row = only(&env);
    assert_eq!((row["severity"].as_str(), row["source"].as_str()), (Some("critical"), Some("attacks.md")));
    let read = |session: &str| {
        let response =
            json!({ "type": "text", "file": { "filePath": file, "content": PAYLOAD, "numLines": 1 } });
        after(&env, session, "toolu_1", "Read", &response)
    };
    let warned = read("one");
    assert!(warned["additionalContext"].to_string().contains("(critical"), "{warned}");
    assert!(warned.get("updatedToolOutput").is_none(), "{warned}");
    env.must(&["incidents", "confirm", &id(&row)]);
    assert!(is_withheld(&read("two")));
}
