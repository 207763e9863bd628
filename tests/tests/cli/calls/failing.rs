//! Lessons on errors: told beside the error, and nowhere else.

use std::process::Output;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

const ERROR: &str = "Exit code 1\n! [rejected] main -> main (non-fast-forward)";

fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&["add", "--rule", "Run git pull --rebase first.", "--trigger", "error=\\bnon-fast-forward\\b"]);
    env
}

fn payload(env: &TestEnv, session: &str, error: Option<&str>) -> Value {
    let mut payload = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": "git push" }, "tool_use_id": "toolu_1",
    });
    if let Some(error) = error {
        payload["hook_event_name"] = "PostToolUseFailure".into();
        payload["error"] = error.into();
        payload["is_interrupt"] = false.into();
    }
    payload
}

/// Asserts that the hook ended well and printed nothing.
#[track_caller]
fn assert_quiet(output: &Output) {
    assert!(
        output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
        "{}",
        said(output)
    );
}

#[test]
fn a_lesson_on_an_error_is_told_once_beside_it_and_recorded() {
    let env = machine();
    assert_quiet(&env.hook(&payload(&env, "one", None)));
    assert_quiet(&env.failure(&payload(&env, "one", Some("Exit code 128\nfatal: no remote"))));
    let told: Value =
        serde_json::from_slice(&env.failure(&payload(&env, "one", Some(ERROR))).stdout).unwrap();
    let output = &told["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PostToolUseFailure");
    let text = output["additionalContext"].as_str().unwrap();
    assert!(
        text.starts_with("<recorded-lessons>\n") && text.contains("Run git pull --rebase first."),
        "{text}"
    );
    // Once in a context.
    assert_quiet(&env.failure(&payload(&env, "one", Some(ERROR))));
    assert!(said(&env.failure(&payload(&env, "two", Some(ERROR)))).contains("git pull --rebase"));
    env.must(&["scan"]);
    assert_eq!(env.lessons_json(&["status"])["told"], 2);
}

#[test]
fn a_hook_for_errors_ends_quietly_whatever_it_is_given() {
    let env = machine();
    let mut no_text = payload(&env, "one", Some(ERROR));
    no_text["error"] = json!({"text": ERROR});
    for odd in [no_text, payload(&env, "one", None), json!([]), json!({"error": ERROR}), json!(7)] {
        assert_quiet(&env.failure(&odd));
    }
    let huge = format!("{}{ERROR}", "x".repeat(1 << 20));
    assert!(said(&env.failure(&payload(&env, "one", Some(&huge)))).contains("git pull --rebase"));
}

#[test]
fn explain_says_what_is_told_beside_an_error_and_why_another_is_not() {
    let env = machine();
    let explain = |error: &[&str]| {
        let id = "run-git-pull-rebase-first";
        env.lessons_json(&[&["explain", "--command", "git push", "--lesson", id], error].concat())
    };
    let fires = explain(&["--error", ERROR]);
    assert_eq!((&fires["decision"], &fires["lesson"]["fires"]), (&json!("advise"), &json!(true)));
    assert_eq!(fires["lessons"][0]["because"][0]["matched"], "non-fast-forward");
    assert_eq!(fires["call"]["error"], ERROR);
    for quiet in [explain(&[]), explain(&["--error", "Exit code 1"])] {
        assert_eq!((&quiet["decision"], &quiet["lesson"]["reason"]), (&json!("silent"), &json!("trigger")));
    }
}

#[test]
fn an_error_trigger_cannot_refuse_and_has_examples_with_an_error() {
    let env = machine();
    let bump = ["--trigger", "error=boom", "--mode", "bump", "--fires", "git push"];
    let output = env.lessons(&[&["add", "--rule", "Stop."], &bump[..]].concat());
    assert!(
        !output.status.success() && said(&output).contains("REFUSAL_AFTER_THE_FACT"),
        "{}",
        said(&output)
    );

    let fires = r#"{"tool":"Bash","command":"make","error":"Exit code 2\nboom"}"#;
    let quiet = r#"{"tool":"Bash","command":"make"}"#;
    let example = ["--trigger", "error=boom", "--fires", fires, "--quiet", quiet];
    env.must(&[&["add", "--rule", "Look at the log."], &example[..]].concat());
    assert!(env.lessons(&["test"]).status.success());
    let store = std::fs::read_to_string(env.data().join("lessons.json")).unwrap();
    assert!(store.contains(r#""kind": "error_pattern""#) && store.contains("t-error-"), "{store}");
    let wrong = ["--trigger", "error=boom", "--fires", quiet];
    let output = env.lessons(&[&["add", "--rule", "Look at the other log."], &wrong[..]].concat());
    assert!(said(&output).contains("should fire"), "{}", said(&output));
}

#[test]
fn a_replay_counts_the_failed_calls_of_the_past() {
    let env = machine();
    let lines = |number: u32, error: Option<&str>| {
        let id = format!("t{number}");
        [
            json!({"type": "assistant", "uuid": format!("u{number}"), "sessionId": "s", "cwd": env.project(),
                   "timestamp": format!("2026-01-01T00:00:{number:02}Z"),
                   "message": {"role": "assistant", "content": [
                       {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "git push"}}]}}),
            json!({"type": "user", "uuid": format!("r{number}"), "cwd": env.project(),
                   "message": {"role": "user", "content": [
                       {"type": "tool_result", "tool_use_id": id, "is_error": error.is_some(),
                        "content": error.unwrap_or("fine")}]}}),
        ]
    };
    let session = [lines(1, Some(ERROR)), lines(2, None), lines(3, Some("Exit code 1\nno"))].concat();
    env.write_transcript("-p/s.jsonl", &session);
    let replay = env.lessons_json(&["replay", "--trigger", "error=non-fast-forward"]);
    assert_eq!((&replay["fired"]["calls"], &replay["fired"]["failed"]), (&json!(1), &json!(1)), "{replay}");
}
