//! A machine with a block and a reminder, what its calls get, and what its user is told.

use std::fs;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

/// A command that the lesson `guard` blocks.
pub(crate) const BLOCKED: &str = "frob wipe";

/// A machine with a block and a lesson that advises.
pub(crate) fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let guard = json!({
        "id": "guard", "rule": "Never wipe with frob.", "mode": "block",
        "triggers": [{ "kind": "command_pattern", "pattern": "frob wipe" }],
        "examples": { "fires": [{ "tool": "Bash", "command": BLOCKED }] },
    });
    add(&env, &guard, &["--force-block", "there is no past here"]);
    add(&env, &advice("mine", "Ask before you frob.", "frob mine"), &[]);
    env
}

pub(crate) fn advice(id: &str, rule: &str, pattern: &str) -> Value {
    json!({ "id": id, "rule": rule, "triggers": [{ "kind": "command_pattern", "pattern": pattern }] })
}

pub(crate) fn add(env: &TestEnv, lesson: &Value, flags: &[&str]) {
    let added =
        env.lessons_given(&[&["add", "--json-input", "-"], flags].concat(), lesson.to_string().as_bytes());
    assert!(added.status.success(), "{}", said(&added));
}

/// Changes a JSON file of the data folder as an editor would.
pub(crate) fn by_hand(env: &TestEnv, file: &str, change: impl FnOnce(&mut Value)) {
    let path = env.data().join(file);
    let mut value: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
    change(&mut value);
    fs::write(&path, value.to_string()).expect("a file");
}

/// Adds a lesson by hand, lets another one say the opposite, and removes the block.
pub(crate) fn rewrite_the_store(env: &TestEnv) {
    by_hand(env, "lessons.json", |store| {
        store["triggers"]["t-hand"] = json!({ "kind": "command_pattern", "pattern": "frob hand" });
        let mut slipped_in = store["lessons"]["mine"].clone();
        slipped_in["rule"] = "Frob whatever you like.".into();
        slipped_in["triggers"] = json!(["t-hand"]);
        store["lessons"]["slipped-in"] = slipped_in;
        store["lessons"]["mine"]["rule"] = "Never ask before you frob.".into();
        store["lessons"].as_object_mut().expect("lessons").remove("guard");
    });
}

/// What a call gets in a session of its own.
pub(crate) fn answer(env: &TestEnv, command: &str) -> String {
    let session = format!("{command} {}", next_number());
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    });
    String::from_utf8(env.hook(&call).stdout).expect("text")
}

fn next_number() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub(crate) fn is_blocked(env: &TestEnv) -> bool {
    answer(env, BLOCKED).contains("deny")
}

/// Fails unless the calls get what the machine of [`machine`] gives them.
#[track_caller]
pub(crate) fn only_what_was_accepted_is_in_force(env: &TestEnv) {
    assert!(is_blocked(env), "the block");
    let mine = answer(env, "frob mine");
    assert!(mine.contains("Ask before you frob.") && !mine.contains("Never ask"), "{mine}");
    assert_eq!(answer(env, "frob hand"), "", "the lesson that was added by hand");
}

/// Fails unless the calls get what [`rewrite_the_store`] wrote.
#[track_caller]
pub(crate) fn what_was_written_by_hand_is_in_force(env: &TestEnv) {
    assert!(!is_blocked(env), "the block");
    assert!(answer(env, "frob mine").contains("Never ask before you frob."));
    assert!(answer(env, "frob hand").contains("Frob whatever you like."));
}

/// What the user is told at the start of a session.
pub(crate) fn told_at_start(env: &TestEnv) -> String {
    let start = json!({
        "session_id": "s", "hook_event_name": "SessionStart", "source": "resume", "cwd": env.project(),
    });
    let output = env.session_start(&start);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}
