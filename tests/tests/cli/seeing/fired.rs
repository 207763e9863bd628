//! What a person sees of what fired: beside a stopped call, in the log, in the status, and when a block was weakened.

use insta::assert_snapshot;
use jiff::Timestamp;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;

const ID: &str = "user/use-frob-push-safe-which";
const CLAUDE_CODE: (&str, &str) = ("CLAUDE_CODE_ENTRYPOINT", "cli");

/// A machine with a bump about `frob push` and a reminder about `frob pull`.
fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&[
        "add",
        "--rule",
        "Use frob push --safe, which asks first.",
        "--mistake",
        "frob push overwrites what others pushed",
        "--trigger",
        r"cmd=\bfrob\s+push\b",
        "--unless",
        r"cmd=\s--safe\b",
        "--mode",
        "bump",
        "--fires",
        "frob push now",
    ]);
    env.must(&["add", "--rule", "Frob needs --rebase to pull.", "--trigger", r"cmd=\bfrob\s+pull\b"]);
    env
}

fn payload(id: &str, command: &str) -> Value {
    json!({"session_id": "one", "cwd": "/srv/app", "hook_event_name": "PreToolUse", "tool_name": "Bash",
           "tool_input": {"command": command}, "tool_use_id": id})
}

/// Asks the hook about calls of a session, in Claude Code, and returns the last answer.
fn asked(env: &TestEnv, calls: &[(&str, &str)]) -> Value {
    calls.iter().fold(Value::Null, |_, (id, command)| {
        let output = env.hook_with(&payload(id, command), &[CLAUDE_CODE]);
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    })
}

/// The transcript of the session: each call with what became of it.
fn transcript(env: &TestEnv, calls: &[(&str, &str, &str)]) {
    let lines = calls.iter().flat_map(|(id, command, result)| {
        let line = |kind: &str, block: Value| {
            json!({"type": kind, "uuid": format!("{id}-{kind}"), "sessionId": "one", "cwd": "/srv/app",
                   "timestamp": format!("{:.3}", Timestamp::now()), "message": {"role": kind, "content": [block]}})
        };
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": result,
                            "is_error": *result != "done"});
        [line("assistant", call), line("user", result)]
    });
    env.write_transcript("app/one.jsonl", &lines.collect::<Vec<_>>());
}

/// What `said` gives, with the times of events taken out.
fn timeless(env: &TestEnv, arguments: &[&str]) -> String {
    let text = said(env, &env.lessons(arguments));
    let is_time = |line: &str| {
        line.trim_start().get(..5).is_some_and(|year| year.starts_with("20") && year.ends_with('-'))
    };
    let lines = text.lines().map(|line| match line.split_once(" UTC  ") {
        Some((time, rest)) if is_time(time) => {
            let indented = line.len() - line.trim_start().len();
            format!("{}TIME  {rest}", " ".repeat(indented))
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_person_is_shown_what_stopped_a_call_and_only_by_claude_code() {
    let env = machine();
    let stopped = asked(&env, &[("toolu_1", "frob push a")]);
    assert_snapshot!(stopped["systemMessage"], @r#""Lessons stopped this: Use frob push --safe, which asks first. (user/use-frob-push-safe-which)""#);
    let reason = stopped["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a reason");
    assert!(!reason.contains("Lessons stopped this"), "{reason}");
    assert!(reason.contains(&format!("\n[lesson {ID}]\n</recorded-lessons>")), "{reason}");

    let reminded = asked(&env, &[("toolu_2", "frob pull")]);
    assert!(reminded["hookSpecificOutput"]["additionalContext"].is_string(), "{reminded}");
    assert!(reminded.get("systemMessage").is_none(), "a reminder does not nag: {reminded}");

    // Other clients drop an answer with a field that they do not know.
    let others = [&[][..], &[CLAUDE_CODE, ("GEMINI_SESSION_ID", "x")], &[CLAUDE_CODE, ("COPILOT_CLI", "1")]];
    for (number, variables) in others.into_iter().enumerate() {
        let mut call = payload("toolu_3", "frob push a");
        call["session_id"] = number.to_string().into();
        let output = env.hook_with(&call, variables);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
        assert!(answer.get("systemMessage").is_none(), "{answer}");
    }
}

#[test]
fn the_log_lists_what_was_told_and_stopped_and_what_came_of_it() {
    let env = machine();
    assert_snapshot!(timeless(&env, &["log", "--fired"]), @r#"
    exit 0
    Nothing was told or stopped
    Next: lessons list
    "#);
    asked(&env, &[("toolu_1", "frob push a"), ("toolu_2", "frob push a"), ("toolu_3", "frob pull")]);
    transcript(
        &env,
        &[
            ("toolu_1", "frob push a", "The hook said no"),
            ("toolu_2", "frob push a", "done"),
            ("toolu_3", "frob pull", "Exit code 1\nno"),
        ],
    );
    assert_snapshot!(timeless(&env, &["log", "--fired"]), @r#"
    exit 0
    TIME  reminder  user/frob-needs-rebase-to-pull, in /srv/app
        Bash `frob pull` failed; the same call did not come again
    TIME  allowed on retry  user/use-frob-push-safe-which, in /srv/app
        Bash `frob push a` ran; the same call did not come again
    TIME  blocked  user/use-frob-push-safe-which, in /srv/app
        Bash `frob push a` was stopped; the same call came again and ran
    Next: lessons explain --tool-use toolu_3
    "#);
    assert_snapshot!(timeless(&env, &["status"]), @r#"
    exit 0
    2 lessons in force, 2 of them your own
    Today: 1 reminder, 1 blocked, 1 allowed on retry
      TIME  reminder  user/frob-needs-rebase-to-pull
      TIME  allowed on retry  user/use-frob-push-safe-which
      TIME  blocked  user/use-frob-push-safe-which
    Newest: user/frob-needs-rebase-to-pull (Frob needs --rebase to pull.), switched on by you, in a terminal
    Nothing waits for you. `lessons scan` looks for mistakes, `lessons add` records one
    "#);
    let of_one = env.lessons_json(&["log", "--fired", "--today", "needs-rebase"]);
    let rows = of_one.as_array().expect("a list");
    assert!(rows.is_empty(), "an id is given from its start: {of_one}");
    let of_one = env.lessons_json(&["log", "--fired", "--today", "frob"]);
    assert_eq!(of_one.as_array().map(Vec::len), Some(1), "{of_one}");
    let row = &of_one[0];
    assert_eq!(
        (&row["outcome"], &row["call"], &row["command"], &row["result"], &row["again"]),
        (&json!("told"), &json!("toolu_3"), &json!("frob pull"), &json!("failed"), &Value::Null)
    );
    assert_eq!(env.lessons_json(&["log", "--fired", "--limit", "2"]).as_array().map(Vec::len), Some(2));
    let last = &env.lessons_json(&["status"])["last"];
    assert_eq!((last.as_array().map(Vec::len), &last[0]["outcome"]), (Some(3), &json!("told")));
    // What a call was is in the transcript and nowhere else.
    let database = std::fs::read(env.data().join("lessons.db")).expect("the database");
    assert!(!database.windows(11).any(|bytes| bytes == b"frob push a"), "a call is stored");
}

/// What the user is told at the start of a session, with these words in it.
fn line_at_start(env: &TestEnv, words: &str) -> Option<String> {
    let start = json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "resume", "cwd": env.project()});
    let answer: Value = serde_json::from_slice(&env.session_start(&start).stdout).unwrap_or_default();
    let told = answer["systemMessage"].as_str().unwrap_or_default();
    told.lines().find(|line| line.contains(words)).map(str::to_owned)
}

fn told_at_start(env: &TestEnv) -> Option<String> {
    line_at_start(env, "stops calls no more")
}

#[test]
fn a_block_that_something_else_dropped_is_told_once_at_a_start_and_by_status_doctor_and_log() {
    let env = machine();
    asked(&env, &[("toolu_1", "frob push a"), ("toolu_2", "frob push b"), ("toolu_3", "frob pull")]);
    transcript(
        &env,
        &[
            ("toolu_1", "frob push a", "The hook said no"),
            ("toolu_2", "frob push b", "done"),
            ("toolu_3", "frob pull", "done"),
        ],
    );
    let at_start = || line_at_start(&env, "ran all the same");
    assert_eq!(at_start(), None, "nothing was read yet");
    env.must(&["scan"]);
    let told = at_start().expect("told");
    let of_lesson = format!("Lessons: a call that {ID} blocked ran all the same, 20");
    assert!(told.starts_with(&of_lesson) && told.ends_with("`lessons doctor` names what can."), "{told}");
    assert_eq!(at_start(), None, "once");
    env.must(&["scan"]);
    assert_eq!(at_start(), None, "once");
    let status = env.must(&["status"]);
    assert_eq!(status.matches("ran all the same").count(), 1, "{status}");
    let report: Value = serde_json::from_slice(&env.lessons(&["doctor", "--json"]).stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("a list").iter();
    assert_eq!(findings.filter(|it| it["code"] == "BLOCK_OVERRIDDEN").count(), 1, "{report:#}");
    let rows = env.lessons_json(&["log", "--fired"]);
    let of_call = |id: &str| rows.as_array().unwrap().iter().find(|row| row["call"] == id).unwrap();
    assert_eq!(of_call("toolu_2")["outcome"], "overridden");
    assert_eq!(of_call("toolu_2")["result"], "ran all the same: something else dropped the block");
    assert_eq!(of_call("toolu_1")["outcome"], "refused");
}

fn weakened(env: &TestEnv) -> Value {
    env.lessons_json(&["status"])["weakened"].clone()
}

#[test]
fn a_weakened_bump_is_said_once_at_a_session_start_and_by_status_while_it_lasts() {
    let env = machine();
    assert_eq!((told_at_start(&env), weakened(&env)), (None, Value::Null));

    env.must(&["off", ID]);
    assert_snapshot!(told_at_start(&env).expect("told"), @"Lessons: stops calls no more: user/use-frob-push-safe-which (switched off, by you, in a terminal). `lessons log` shows the changes, `lessons undo` takes one back.");
    assert_eq!(told_at_start(&env), None, "once");
    assert_snapshot!(timeless(&env, &["status"]), @r#"
    exit 0
    1 lesson in force, 1 of them your own
    Stops calls no more: user/use-frob-push-safe-which (switched off, by you, in a terminal). `lessons log` shows the changes
    Today: 0 reminders, 0 blocked, 0 allowed on retry
    Newest: user/frob-needs-rebase-to-pull (Frob needs --rebase to pull.), switched on by you, in a terminal
    Nothing waits for you. `lessons scan` looks for mistakes, `lessons add` records one
    "#);
    env.must(&["build"]);
    assert_eq!(told_at_start(&env), None, "once");
    assert!(weakened(&env).is_string(), "while it lasts");
    env.must(&["on", ID]);
    assert_eq!((told_at_start(&env), weakened(&env)), (None, Value::Null));

    for (words, how) in [
        (vec!["off", ID, "--for", "2h"], "(switched off for a while, by you, in a terminal)"),
        (vec!["off", "all"], "(switched off, by"),
        (vec!["edit", ID, "--mode", "advise"], "(now only reminds, by"),
        (vec!["retire", ID], "(no longer in force, by"),
    ] {
        env.must(&words);
        assert!(told_at_start(&env).is_some_and(|told| told.contains(ID)), "{words:?}");
        assert!(weakened(&env).as_str().is_some_and(|which| which.contains(how)), "{words:?}");
        env.must(&["undo"]);
        assert_eq!((told_at_start(&env), weakened(&env)), (None, Value::Null), "{words:?}");
    }

    // By other means than a command, too, once that is accepted.
    let store = env.data().join("lessons.json");
    let text = std::fs::read_to_string(&store).expect("the store");
    std::fs::write(&store, text.replace("\"bump\"", "\"advise\"")).expect("the store");
    env.must(&["accept"]);
    assert!(told_at_start(&env).is_some());

    // A reminder that is switched off stops nothing more than before.
    let env = machine();
    env.must(&["off", "user/frob-needs-rebase-to-pull"]);
    assert_eq!((told_at_start(&env), weakened(&env)), (None, Value::Null));
}
