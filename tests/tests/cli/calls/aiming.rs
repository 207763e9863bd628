//! What a lesson fires on, from the tag or the sentence to the call: never on what it advises itself.

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

/// What the hook answers to a call of a session of its own.
fn answer(env: &TestEnv, session: &str, tool: &str, input: &Value) -> Value {
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": tool,
        "tool_input": input, "tool_use_id": "toolu_1",
    });
    serde_json::from_slice(&env.hook(&call).stdout).unwrap_or_default()
}

/// The id of the one candidate that a tag makes.
fn candidate(env: &TestEnv, tag: &str) -> String {
    let line = json!({
        "type": "assistant", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-11-01T10:00:00.000Z",
        "cwd": env.project(), "message": { "role": "assistant", "content": [{"type": "text", "text": tag}] },
    });
    env.write_transcript("-p/s1.jsonl", &[line]);
    env.must(&["scan"]);
    env.lessons_json(&["candidates"])[0]["id"].as_str().expect("a candidate").to_owned()
}

#[test]
fn a_bump_that_stops_its_own_advice_is_refused_with_the_flag_that_lets_it_pass() {
    let env = TestEnv::new().without_seeds();
    let bump = [
        "add",
        "--rule",
        "Commit with `git commit -s`",
        "--trigger",
        r"cmd=^git\s+commit\b",
        "--fires",
        "git commit -a",
        "--mode",
        "bump",
    ];
    let refused = said(&env.lessons(&bump));
    assert!(refused.contains(r"--mode bump --unless 'cmd=(?:^|\s)-s\b'"), "{refused}");
    let added = env.must(&[&bump[..], &["--unless", r"cmd=(?:^|\s)-s\b"]].concat());
    assert!(added.contains(r"  on cmd=^git\s+commit\b unless cmd=(?:^|\s)-s\b"), "{added}");
    let decision = |session: &str, command: &str| {
        let reply = answer(&env, session, "Bash", &json!({ "command": command }));
        reply["hookSpecificOutput"]["permissionDecision"].as_str().map(str::to_owned)
    };
    assert_eq!(decision("one", "git commit -s -m x"), None);
    assert_eq!(decision("two", "git commit -m x").as_deref(), Some("deny"));
}

#[test]
fn options_in_front_and_options_together_hide_nothing_from_a_lesson() {
    let env = TestEnv::new().without_seeds();
    let add = |rule: &str, trigger: &str, unless: &str, fires: &str, mode: &str| {
        env.must(&[
            "add",
            "--rule",
            rule,
            "--trigger",
            trigger,
            "--unless",
            unless,
            "--fires",
            fires,
            "--mode",
            mode,
        ]);
    };
    add("Sign off with `git commit -s`", r"cmd=\bgit\s+commit\b", r"cmd=(?:^|\s)-s\b", "git commit", "bump");
    add("Seed with `make seed DB=local`", r"cmd=\bmake\s+seed\b", "cmd=DB=local", "make seed", "advise");
    add("Quote `x[0]`", r"cmd=\sx\[0\]", "cmd=x x", "git log x[0]", "advise");
    add("Mind `docker rm -v`", r"cmd=^docker\s+rm\b.*\s-v\b", "cmd=x", "docker rm -v a", "bump");
    for (command, is_told) in [
        ("git -C a commit -m x", true),
        ("git commit -am x", true),
        ("git commit -sm x", false),
        ("git -C a commit -asm 'a b'", false),
        ("git commit -sm x && git commit -m y", false),
        ("make -C api seed", true),
        ("make -C api seed DB=local", false),
        ("docker rm -fv a", true),
        ("docker rm -f a", false),
        ("git -C a log 'x[0]'", false),
    ] {
        let reply = answer(&env, command, "Bash", &json!({ "command": command }));
        assert_eq!(!reply.is_null(), is_told, "{command}: {reply}");
    }
}

#[test]
fn a_line_that_goes_on_behind_a_backslash_is_one_line() {
    let env = TestEnv::new().without_seeds();
    let add = |rule: &str, trigger: &str, mode: &str| {
        env.must(&["add", "--rule", rule, "--trigger", trigger, "--fires", "make seed", "--mode", mode]);
    };
    add("Ask for a token before you call the service", "cmd=curl.*example.com/api|make seed$", "advise");
    add("Keep containers unprivileged", r"cmd=docker run.*--privileged|^make seed\b", "bump");
    for (command, is_told) in [
        ("curl -X POST \\\n  -H 'a: b' \\\n  \"https://example.com/api?x=$Y\"", true),
        ("make \\\n    seed", true),
        ("make see\\\nd", true),
        ("docker run --rm \\\n\t-v \"$PWD\":/a --privileged b", true),
        ("curl -X POST \n  https://example.com/api", false),
        ("make \\\n  seedling | tee make.log", false),
    ] {
        let reply = answer(&env, command, "Bash", &json!({ "command": command }));
        assert_eq!(!reply.is_null(), is_told, "{command}: {reply}");
    }
}

#[test]
fn a_tag_about_a_page_is_told_at_the_call_that_asks_for_it() {
    let env = TestEnv::new().without_seeds();
    let tag = "#lesson\ntool: WebFetch\ntrigger: docs.example.com\nmistake: docs.example.com serves an empty page \
               without a session\nfix: read docs/api.md of the repository\n#/lesson";
    let promoted = env.must(&["promote", &candidate(&env, tag)]);
    assert!(promoted.contains(r"on path=\bdocs\.example\.com\b, tools WebFetch"), "{promoted}");
    let told = |session: &str, url: &str| {
        answer(&env, session, "WebFetch", &json!({ "url": url, "prompt": "p" }))
            .to_string()
            .contains("docs/api.md")
    };
    assert!(told("one", "https://docs.example.com/api"));
    assert!(!told("two", "https://example.com/api"));
}

#[test]
fn a_tag_about_an_mcp_tool_is_told_at_the_call_with_such_an_input() {
    let env = TestEnv::new().without_seeds();
    let tag = "#lesson\ntool: mcp__db__query\ntrigger: DROP TABLE\nmistake: DROP TABLE takes the views of other \
               teams along\nfix: rename the table first, and ask\n#/lesson";
    env.must(&["promote", &candidate(&env, tag)]);
    let told = |session: &str, sql: &str| {
        answer(&env, session, "mcp__db__query", &json!({ "sql": sql }))
            .to_string()
            .contains("rename the table")
    };
    assert!(told("one", "DROP TABLE a"));
    assert!(!told("two", "SELECT 1"));
}

#[test]
fn a_tag_that_no_call_can_show_says_so_at_once() {
    let env = TestEnv::new().without_seeds();
    let tag = "#lesson\ntool: WebSearch\ntrigger: rust async book\nmistake: the search finds the old edition of the \
               book\nfix: add the year to the search\n#/lesson";
    let id = candidate(&env, tag);
    let shown = env.must(&["show", &id]);
    for part in ["unaimed: it has a `trigger:` that no call", "no trigger: told when a session starts"] {
        assert!(shown.contains(part), "{shown}");
    }
    let promoted = env.must(&["promote", &id]);
    assert!(promoted.contains("no trigger: told when a session starts"), "{promoted}");
}
