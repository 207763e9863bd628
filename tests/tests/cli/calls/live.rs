//! A lesson for the start of sessions that comes while sessions run: each is told it once, at its next call.

use std::time::{Duration, Instant};

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::scene;

const RULE: &str = "Ask before you touch the frob cluster.";
/// The sessions that run at once.
const SESSIONS: usize = 10;
/// The longest time from the promotion of a lesson until every running session knows it.
const SOON: Duration = Duration::from_secs(2);

/// What a call of a session tells, by its main thread or by a sub-agent.
fn call(env: &TestEnv, session: &str, agent: Option<&str>) -> String {
    let mut call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": "ls" }, "tool_use_id": "toolu_1",
    });
    if let Some(agent) = agent {
        call["agent_id"] = "a1".into();
        call["agent_type"] = agent.into();
    }
    let output = env.hook(&call);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn start(env: &TestEnv, session: &str) -> String {
    let start = json!({
        "session_id": session, "hook_event_name": "SessionStart", "source": "startup", "cwd": env.project(),
    });
    said(&env.session_start(&start))
}

/// A machine on which a session has started, so that an index is in force.
fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&["build"]);
    env
}

fn add(env: &TestEnv) {
    scene::add(env, &json!({ "id": "ask", "rule": RULE, "when": "session" }), &[]);
}

#[test]
fn ten_sessions_that_run_are_told_within_two_seconds_and_once() {
    let env = machine();
    let sessions: Vec<String> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
    for session in &sessions {
        assert!(!start(&env, session).contains(RULE));
        assert_eq!(call(&env, session, None), "");
    }
    add(&env);
    let came = Instant::now();
    std::thread::scope(|scope| {
        for session in &sessions {
            let env = &env;
            scope.spawn(move || assert!(call(env, session, None).contains(RULE), "{session}"));
        }
    });
    let took = came.elapsed();
    println!("{SESSIONS} sessions were told in {took:?}");
    assert!(took < SOON, "{took:?}");
    for session in &sessions {
        assert_eq!(call(&env, session, None), "", "once: {session}");
    }
}

#[test]
fn a_session_that_starts_later_is_told_at_its_start_alone() {
    let env = machine();
    add(&env);
    assert!(start(&env, "later").contains(RULE));
    assert_eq!(call(&env, "later", None), "");
}

#[test]
fn sub_agents_are_not_told() {
    let env = machine();
    add(&env);
    assert_eq!(call(&env, "running", Some("Explore")), "");
    assert!(call(&env, "running", None).contains(RULE));
}

#[test]
fn a_lesson_that_becomes_one_for_the_start_is_told_and_one_that_is_off_is_not() {
    let env = machine();
    scene::add(&env, &scene::advice("ask", RULE, "frob"), &[]);
    assert_eq!(call(&env, "running", None), "");
    env.must(&["edit", "ask", "--when", "session"]);
    env.must(&["off", "user/ask"]);
    assert_eq!(call(&env, "running", None), "");
    env.must(&["on", "user/ask"]);
    assert!(call(&env, "running", None).contains(RULE));
}

#[test]
fn explain_says_why_a_call_tells_it() {
    let env = machine();
    add(&env);
    let asked = ["explain", "--lesson", "ask", "--command", "ls", "--session", "running"];
    let explained: Value = env.lessons_json(&asked);
    assert_eq!(explained["decision"], "advise");
    assert_eq!(explained["lesson"]["reason"], "told", "{explained}");
    assert!(explained["lesson"]["why"].as_str().expect("a reason").contains("came into force while"));
}
