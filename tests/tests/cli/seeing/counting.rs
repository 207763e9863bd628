//! `lessons stats`: what is counted, where a person wants that, and what is not.

use std::fs;

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::decisions::gate::approved;
use crate::said::said;

const RULE: &str = "Use `frob push --safe`, which asks first.";

/// A machine with one lesson that is in force, and the setting.
fn machine(telemetry: bool) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let config = env.data().join("config.toml");
    let settings = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{settings}telemetry = {telemetry}\n")).unwrap();
    env.must(&["add", "--rule", RULE, "--trigger", r"cmd=\bfrob push\b", "--trigger", "kw=frob"]);
    env
}

fn calls(env: &TestEnv, session: &str, command: &str) {
    let payload = json!({"session_id": session, "tool_use_id": "toolu_1", "tool_name": "Bash", "cwd": env.project(),
                         "hook_event_name": "PreToolUse", "tool_input": {"command": command}});
    assert!(env.hook(&payload).status.success());
}

fn log(env: &TestEnv) -> String {
    fs::read_to_string(env.data().join("log/telemetry.jsonl")).unwrap_or_default()
}

/// The text without the day.
fn stats(env: &TestEnv) -> String {
    let text = said(env, &env.lessons(&["stats"]));
    let line = |line: &str| match line.split_once("Counted since ") {
        Some((start, _)) => format!("{start}Counted since TIME"),
        None => match line.split_once("recorded ") {
            Some((start, rest)) => format!("{start}recorded DAY{}", &rest[10..]),
            None => line.to_owned(),
        },
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn where_nobody_asked_for_it_nothing_is_counted_but_what_hooks_told() {
    let env = machine(false);
    assert_snapshot!(stats(&env), @r"
    exit 0
    Nothing is counted yet
    1 lesson of yours, recorded DAY, 41 characters on average
      By agent: main 1
      Most common words: asks, first, frob, push, safe, use, which
    Queries and captures are not counted. If you want that: telemetry = true in HOME/.local/share/lessons/config.toml. Only numbers are kept, on this machine
    ");
    env.must(&["query", "--cmd", "frob push"]);
    env.lessons(&["add"]);
    calls(&env, "s", "frob push");
    calls(&env, "s", "ls");
    assert_eq!(log(&env), "", "nothing is written");
    let report = env.lessons_json(&["stats"]);
    assert_eq!((&report["telemetry"], &report["totalRecalls"]), (&json!(false), &json!(1)), "{report}");
    assert_eq!(report["toldByHooks"], 1);
    assert_eq!(report["returnedTokens"]["max"], RULE.len().div_ceil(4));
}

#[test]
fn recalls_and_captures_come_to_numbers() {
    let env = machine(true);
    env.must(&["add", "--rule", RULE, "--trigger", "kw=frob push"]);
    env.must(&["add", "--rule", RULE, "--trigger", "kw=frob push"]);
    assert_eq!(env.lessons(&["add", "--rule", "x"]).status.code(), Some(2));
    for words in [
        &["--cmd", "frob push", "--session", "s"][..],
        &["--cmd", "ls"],
        &["--keyword", "frob"],
        &["--keyword", "frob", "--all"],
    ] {
        env.must(&[&["query"], words].concat());
    }
    calls(&env, "s", "frob push");
    calls(&env, "s", "ls");
    assert_snapshot!(stats(&env), @r"
    exit 0
    Counted since TIME
    5 recalls in 2 sessions: 1 by hooks at tool calls, 4 by `lessons query`
      25 % of the queries found nothing; of the others 67 % found lessons by keywords alone; 1 asked for --all
      Lessons that matched (how often): 0 (1), 1 (4), 2-3 (0), 4-9 (0), 10+ (0)
      Tokens shown at a time: 11 at the median, 11 at the 90th percentile, 11 at most
      Tokens in all: 33; each of your rules once in every session would be 22, so recalling does not cost less
      Shown again in the same session: 50 % of the tokens (known of 100 % of the recalls)
    4 captures: 1 added, 1 joined to a known lesson, 1 known already, 1 refused; 1 with something to look at; 1.2 recalls for each
      New: 1 topic, 4 triggers (cmd 2, kw 2)
      Warnings (how often): KEPT_QUIET_ON_ITS_ADVICE (1)
    1 lesson of yours, recorded DAY, 41 characters on average
      By agent: main 1
      Most common words: asks, first, frob, push, safe, use, which
    Only numbers are kept, on this machine. telemetry = false in HOME/.local/share/lessons/config.toml ends it
    ");
    let report = env.lessons_json(&["stats"]);
    assert_eq!(
        report["captures"],
        json!({"total": 4, "added": 1, "promoted": 0, "updated": 1, "unchanged": 1,
                                          "refused": 1, "warned": 1}),
        "{report}"
    );
    assert_eq!((&report["bypassedRecalls"], &report["preloadBreakEven"]["sessions"]), (&json!(1), &json!(2)));
}

#[test]
fn what_a_capture_brings_is_counted_by_kind_and_agents_by_session() {
    let env = machine(true);
    let agent = env.as_agent("s");
    let adds = "lessons add --rule 'Pull before you frob.' --topic pulling --trigger 'glob=frob/**' --trigger kw=frob";
    let done = agent.runs(&approved(&agent.asks(adds)));
    assert!(done.status.success(), "{done:?}");
    let report = env.lessons_json(&["stats"]);
    let new = json!({"topics": 2, "triggers": {"command_pattern": 2, "file_glob": 1, "keyword": 1}});
    assert_eq!((&report["new"], &report["capturingSessions"]), (&new, &json!(1)), "{report}");
    let shown = env.must(&["stats"]);
    assert!(
        shown.contains("  New: 2 topics, 4 triggers (cmd 2, glob 1, kw 1); agents recorded in 1 session"),
        "{shown}"
    );
}

#[test]
fn a_row_holds_no_word_of_what_was_asked_recorded_or_found() {
    let env = machine(true);
    env.must(&[
        "query",
        "--cmd",
        "frob push --token hidden",
        "--file",
        "secret/plan.md",
        "--keyword",
        "frob",
    ]);
    let log = log(&env);
    assert_eq!(log.lines().count(), 2, "{log}");
    for word in ["frob", "push", "safe", "hidden", "secret", "plan", "asks"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
    for line in log.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["v"], 1, "{row}");
    }
}

#[test]
fn an_agents_queries_belong_to_its_session() {
    let env = machine(true);
    assert!(env.as_agent("s").lessons(&["query", "--cmd", "frob push"]).status.success());
    calls(&env, "s", "frob push");
    let stats = env.as_agent("s").lessons(&["stats", "--json"]);
    let report: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!((&report["totalRecalls"], &report["preloadBreakEven"]["sessions"]), (&json!(2), &json!(1)));
    assert_eq!(report["redundancy"], json!({"rate": 0.5, "coverage": 1.0}));
}

#[test]
fn a_promoted_candidate_is_a_capture_and_a_refused_one_too() {
    let (env, ids) = crate::seeing::reading::with_candidates();
    let config = env.data().join("config.toml");
    let settings = fs::read_to_string(&config).unwrap_or_default();
    fs::write(&config, format!("telemetry = true\n{settings}")).unwrap();
    env.must(&["promote", &ids[0]]);
    assert_eq!(env.lessons(&["promote", "ffff"]).status.code(), Some(2));
    let captures = env.lessons_json(&["stats"])["captures"].clone();
    assert_eq!((&captures["promoted"], &captures["refused"]), (&json!(1), &json!(1)), "{captures}");
}

#[test]
fn a_variable_switches_counting_on_and_off_and_warnings_are_counted_by_their_code() {
    let env = machine(false).with_variable("LESSONS_TELEMETRY", "true");
    env.must(&["add", "--rule", "Look twice before you frob it.", "--trigger", "kw=frob push"]);
    assert!(log(&env).contains(r#""codes":["KEYWORD_ONLY_LESSON"]"#), "{}", log(&env));
    let report = env.lessons_json(&["stats"]);
    assert_eq!(report["warnings"], json!({ "KEYWORD_ONLY_LESSON": 1 }), "{report}");
    assert!(env.must(&["stats"]).contains("Warnings (how often): KEYWORD_ONLY_LESSON (1)"));
    let env = machine(true);
    let before = log(&env);
    let env = env.with_variable("LESSONS_TELEMETRY", "false");
    env.must(&["add", "--rule", "Look twice before you frob it.", "--trigger", "kw=frob push"]);
    assert_eq!(log(&env), before);
}
