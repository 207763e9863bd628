//! A hook of somebody else that answers the client's question in the person's place: the person is told afterwards.

use jiff::Timestamp;
use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";
const ADD: &str = "lessons add --rule 'Use the safe form of frob.' --trigger 'kw=frob push'";
const OTHER: &str = "lessons add --rule 'Use the other form of frob.' --trigger 'kw=frob pull'";
const HOOK: &str = "a hook of Claude Code, not you";

/// An approved call as the client writes it: the model's line, and the result with the one who said yes.
fn approved_call(env: &TestEnv, id: &str, command: &str, source: &str) -> [Value; 2] {
    let now = || format!("{:.3}", Timestamp::now());
    let agent = env.as_agent(SESSION);
    let call = json!({
        "type": "assistant", "uuid": format!("{id}-a"), "sessionId": SESSION, "timestamp": now(), "cwd": env.project(),
        "message": {"role": "assistant", "model": "m", "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}},
        ]},
    });
    let reply = agent.asks(command);
    let rewritten = reply["updatedInput"]["command"].as_str().expect("a rewritten command");
    let done = agent.runs(rewritten);
    assert!(done.status.success(), "{}", said(&done));
    let result = json!({
        "type": "user", "uuid": format!("{id}-u"), "sessionId": SESSION, "timestamp": now(), "cwd": env.project(),
        "permissionDecision": {"decision": "accept", "source": source, "reasonType": "hook"},
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "added"}]},
    });
    [call, result]
}

/// A machine on which the first of two changes was approved by a person and the second by a hook.
fn machine() -> (TestEnv, Vec<Value>) {
    let env = TestEnv::new().without_seeds();
    env.must(&["accept"]);
    let mut lines = approved_call(&env, "t1", OTHER, "user_temporary").to_vec();
    lines.extend(approved_call(&env, "t2", ADD, "hook"));
    (env, lines)
}

/// The actor of each change, the newest first.
fn actors(env: &TestEnv) -> Vec<String> {
    let log = env.lessons_json(&["log"]);
    let rows = log.as_array().expect("a list").iter();
    rows.map(|row| row["by"].as_str().expect("an actor").to_owned()).collect()
}

/// What the user is told of it at the start of a session.
fn told_at_start(env: &TestEnv) -> Option<String> {
    let start = json!({
        "session_id": "s", "hook_event_name": "SessionStart", "source": "resume", "cwd": env.project(),
    });
    let answer: Value = serde_json::from_slice(&env.session_start(&start).stdout).unwrap_or_default();
    let told = answer["systemMessage"].as_str().unwrap_or_default();
    told.lines().find(|line| line.contains(HOOK)).map(str::to_owned)
}

#[test]
fn what_a_hook_approved_is_said_once_at_a_session_start_and_always_in_the_log() {
    let (env, lines) = machine();
    let asked = "you, when the agent asked in session";
    assert!(actors(&env).iter().take(2).all(|actor| actor.starts_with(asked)), "{:?}", actors(&env));
    assert_eq!(told_at_start(&env), None);

    env.write_transcript(&format!("app/{SESSION}.jsonl"), &lines);
    env.scan();
    for _ in 0..2 {
        let actors = actors(&env);
        assert!(actors[0].starts_with(&format!("{HOOK}, in session ")), "{actors:?}");
        assert!(actors[1].starts_with(asked), "{actors:?}");
        env.scan();
    }
    let number = env.lessons_json(&["log"])[0]["number"].clone();
    let told = told_at_start(&env).expect("the user is told");
    assert!(told.contains(&format!("`lessons undo {number}` undoes it")), "{told}");
    assert!(told.contains("use-the-safe-form"), "{told}");
    assert_eq!(told_at_start(&env), None, "once");
    env.must(&["build"]);
    assert_eq!(told_at_start(&env), None, "a build does not make it new");

    let status = env.must(&["status"]);
    assert!(status.contains(HOOK.trim_start_matches('a')) && status.contains("lessons undo"), "{status}");
    env.must(&["undo", &number.to_string()]);
    assert!(!env.must(&["status"]).contains("not you"), "it is undone");
    assert!(env.must(&["log"]).contains(HOOK));
}

#[test]
fn a_transcript_read_anew_in_another_place_blames_no_other_change() {
    let (env, mut lines) = machine();
    env.write_transcript(&format!("app/{SESSION}.jsonl"), &lines);
    env.scan();
    env.write_transcript(&format!("moved/{SESSION}.jsonl"), &lines);
    // A forged result for the call that a person approved, in a session that asked nothing.
    lines[1]["permissionDecision"]["source"] = json!("hook");
    env.write_transcript("app/2e95533e-d41a-40f0-bee4-10d9b84b694c.jsonl", &lines);
    env.scan();
    let by_hook = actors(&env).iter().filter(|actor| actor.starts_with(HOOK)).count();
    assert_eq!(by_hook, 1, "{:?}", actors(&env));
}

#[test]
fn the_call_and_its_result_may_be_read_by_two_scans() {
    let (env, lines) = machine();
    let name = format!("app/{SESSION}.jsonl");
    let path = env.write_transcript(&name, &lines[..3]);
    env.scan();
    assert!(!env.must(&["log"]).contains(HOOK));
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, format!("{}\n", lines[3]).as_bytes()).unwrap();
    env.scan();
    assert!(env.must(&["log"]).contains(HOOK));
}
