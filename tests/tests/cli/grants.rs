//! Under the client, a change needs a person: the hook asks, and its grant is good for one run of one
//! command line in one session.

use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";
const OTHER: &str = "2e95533e-d41a-40f0-bee4-10d9b84b694c";
const ADD: [&str; 5] = ["add", "--rule", "Use the safe form of frob.", "--trigger", "kw=frob push"];
const COMMAND: &str = "lessons add --rule 'Use the safe form of frob.' --trigger 'kw=frob push'";

/// A machine whose data folder a person has used before, so that there is something to guard.
fn machine() -> TestEnv {
    let env = TestEnv::new();
    env.must(&["build"]);
    env
}

/// Lets the hook see a Bash call, and says what it decided.
fn hook_decides(env: &TestEnv, session: &str, command: &str) -> Option<String> {
    let output = env.hook(&json!({
        "session_id": session,
        "hook_event_name": "PreToolUse",
        "cwd": env.project(),
        "tool_name": "Bash",
        "tool_input": { "command": command },
        "tool_use_id": "toolu_1",
    }));
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    answer["hookSpecificOutput"]["permissionDecision"].as_str().map(str::to_owned)
}

fn own_lessons(env: &TestEnv) -> usize {
    let listed = env.lessons_json(&["list", "--all"]);
    let ids = listed.as_array().expect("a list").iter();
    ids.filter(|entry| entry["id"].as_str().is_some_and(|id| id.starts_with("user/"))).count()
}

#[test]
fn without_a_grant_an_agent_changes_nothing() {
    let env = machine();
    for argv in [
        &ADD[..],
        &["build"],
        &["off", "all"],
        &["on", "all"],
        &["promote", "abcd"],
        &["reject", "abcd"],
        &["edit", "x"],
        &["deprecate", "x"],
        &["restore", "x"],
        &["trust", "--yes"],
        &["untrust"],
        &["scan"],
        &["undo"],
        &["undo", "1"],
        &["doctor", "--fix"],
    ] {
        let output = env.as_agent(SESSION).lessons(argv);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{argv:?}: {complaint}");
        assert!(complaint.contains("Nothing was done"), "{argv:?}: {complaint}");
    }
    assert_eq!(own_lessons(&env), 0);
    assert_eq!(env.lessons_json(&["status"])["off"], false);
}

#[test]
fn what_only_reads_needs_no_grant() {
    let env = machine();
    for argv in
        [&["list"][..], &["status"], &["candidates"], &["test"], &["--json", "list"], &["add", "--help"]]
    {
        assert!(env.as_agent(SESSION).lessons(argv).status.success(), "{argv:?}");
    }
}

#[test]
fn a_grant_is_good_for_one_run() {
    let env = machine();
    assert_eq!(hook_decides(&env, SESSION, COMMAND).as_deref(), Some("ask"));
    let first = env.as_agent(SESSION).lessons(&ADD);
    assert!(first.status.success(), "{}", lessons_tests::env::said(&first));
    assert_eq!(own_lessons(&env), 1);
    let again = env.as_agent(SESSION).lessons(&ADD);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("Nothing was done"));
}

#[test]
fn a_grant_is_good_for_its_command_line_and_its_session_only() {
    let env = machine();
    assert_eq!(hook_decides(&env, SESSION, COMMAND).as_deref(), Some("ask"));
    let mut longer = ADD.to_vec();
    longer.extend(["--mode", "advise"]);
    assert_eq!(env.as_agent(SESSION).lessons(&longer).status.code(), Some(1), "other arguments");
    assert_eq!(env.as_agent(SESSION).lessons(&["off", "all"]).status.code(), Some(1), "another verb");
    assert_eq!(env.as_agent(OTHER).lessons(&ADD).status.code(), Some(1), "another session");
    assert_eq!(own_lessons(&env), 0);
    assert!(env.as_agent(SESSION).lessons(&ADD).status.success(), "the grant is still there");
}

#[test]
fn a_command_that_hides_something_gets_no_grant() {
    let env = machine();
    let hidden = format!("cd /tmp && {COMMAND}");
    assert_eq!(hook_decides(&env, SESSION, &hidden).as_deref(), Some("deny"));
    assert_eq!(env.as_agent(SESSION).lessons(&ADD).status.code(), Some(1));
}

#[test]
fn a_grant_is_no_way_to_its_command_under_another_name() {
    let env = machine();
    assert_eq!(hook_decides(&env, SESSION, COMMAND).as_deref(), Some("ask"));
    // The person says no; the hook is not told. The same words behind another name are not asked about.
    let words = COMMAND.strip_prefix("lessons ").unwrap();
    for name in ["\"$(command -v lessons)\"", "$(which lessons)", "L=lessons; $L", "\"${LESSONS:-lessons}\""]
    {
        let decided = hook_decides(&env, SESSION, &format!("{name} {words}"));
        assert_eq!(decided.as_deref(), Some("deny"), "{name}");
    }
}

#[test]
fn the_journal_names_the_session_that_asked() {
    let env = machine();
    hook_decides(&env, SESSION, COMMAND);
    assert!(env.as_agent(SESSION).lessons(&ADD).status.success());
    let status = env.lessons_json(&["status"]);
    let by = status["news"][0]["by"].as_str().expect("who switched it on");
    assert!(by.starts_with("you, when the agent asked in session "), "{by}");
}

/// Whether the hook says anything to a Bash call.
fn speaks(env: &TestEnv, session: &str, command: &str) -> bool {
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    });
    !env.hook(&call).stdout.is_empty()
}

#[test]
fn off_for_a_session_is_off_in_that_session_only() {
    let env = machine();
    env.must(&ADD);
    let id = env.lessons_json(&["list", "frob"])[0]["id"].as_str().expect("an id").to_owned();
    let typed = ["off", id.as_str(), "--session"];

    let in_a_terminal = env.lessons(&typed);
    assert_eq!(in_a_terminal.status.code(), Some(2));
    let complaint = String::from_utf8_lossy(&in_a_terminal.stderr).into_owned();
    assert!(complaint.contains("--for 2h"), "{complaint}");

    assert_eq!(hook_decides(&env, SESSION, &format!("lessons off {id} --session")).as_deref(), Some("ask"));
    let switched = env.as_agent(SESSION).lessons(&typed);
    assert!(switched.status.success(), "{}", lessons_tests::env::said(&switched));
    assert!(!speaks(&env, SESSION, "frob push"));
    let listed = env.as_agent(SESSION).lessons(&["list", "frob"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("(off until this session ends)"), "{listed}");

    hook_decides(&env, SESSION, &format!("lessons on {id}"));
    assert!(env.as_agent(SESSION).lessons(&["on", &id]).status.success());
    assert!(speaks(&env, SESSION, "frob push"), "it was not told before");

    hook_decides(&env, SESSION, "lessons off all --session");
    assert!(env.as_agent(SESSION).lessons(&["off", "all", "--session"]).status.success());
    let another_context = "frob push --force";
    assert!(!speaks(&env, SESSION, another_context));
    assert!(speaks(&env, OTHER, another_context));
}
