//! Why a call gets what it gets, and why a lesson keeps quiet.

use std::process::Output;

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::{with_commands, with_frob};

const ID: &str = "use-frob-push-safe-which";

fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    with_frob(&env);
    env
}

/// What `explain` says of `frob push a` and this lesson: a word and a sentence.
fn why(env: &TestEnv, more: &[&str]) -> (String, String) {
    let explained =
        env.lessons_json(&[&["explain", "--command", "frob push a", "--lesson", ID], more].concat());
    let text = |name: &str| explained["lesson"][name].as_str().expect("a text").to_owned();
    (text("reason"), text("why"))
}

fn reason(env: &TestEnv, more: &[&str]) -> String {
    why(env, more).0
}

#[test]
fn a_call_is_explained_with_every_lesson_that_fires() {
    let env = machine();
    env.must(&[
        "add",
        "--rule",
        "Look twice at frob.",
        "--trigger",
        "kw=frob",
        "--priority",
        "9",
        "--topic",
        "frob",
    ]);
    let output = env.lessons(&["explain", "--command", "cd /tmp && frob push a"]);
    assert_snapshot!(said(&env, &output), @r#"
    exit 0
    Bash `cd /tmp && frob push a`, in PROJECT
    1. user/frob-look-twice-at-frob: the model is told
         advise, priority 9
         kw=frob matches `cd /tmp && frob push a`
    2. user/use-frob-push-safe-which: the model is told
         advise, priority 5
         cmd=\bfrob\s+push\b matches `frob push`
           in `cd /tmp && frob push a`
    The hook reminds the model after the call.
    Next: lessons show user/frob-look-twice-at-frob
    "#);
    let silent = env.lessons(&["explain", "--file", "src/a.ts", "--content", "x"]);
    assert_snapshot!(said(&env, &silent), @r#"
    exit 0
    Edit `PROJECT/src/a.ts`, in PROJECT
    No lesson matches this call.
    The hook says nothing.
    Next: lessons explain --lesson ID …, to see why one stays quiet
    "#);
}

#[test]
fn what_keeps_a_lesson_quiet_is_said_condition_by_condition() {
    let env = machine();
    let quiet = env.lessons(&["explain", "--command", "frob pull", "--lesson", ID]);
    assert_snapshot!(said(&env, &quiet), @r#"
    exit 0
    Bash `frob pull`, in PROJECT
    user/use-frob-push-safe-which does not fire: none of its triggers matches
         cmd=\bfrob\s+push\b does not match
           `frob pull`
    No lesson matches this call.
    The hook says nothing.
    Next: lessons show user/use-frob-push-safe-which
    "#);
    let unless = env.lessons(&["explain", "--command", "frob push --safe", "--lesson", ID]);
    assert_snapshot!(said(&env, &unless), @r#"
    exit 0
    Bash `frob push --safe`, in PROJECT
    user/use-frob-push-safe-which does not fire: `cmd=\s--safe\b` matches too, which keeps it quiet
    No lesson matches this call.
    The hook says nothing.
    Next: lessons show user/use-frob-push-safe-which
    "#);
    assert_eq!(reason(&env, &[]), "told");
    let edited = |flags: &[&str]| {
        let machine = machine();
        // One that does not get into force is told by the exit code.
        machine.lessons(&[&["edit", ID], flags].concat());
        reason(&machine, &[])
    };
    assert_eq!(edited(&["--tool", "Edit"]), "tool");
    assert_eq!(edited(&["--also", "cmd=never"]), "also");
    assert_eq!(edited(&["--scope-agent", "Explore"]), "agent");
    assert_eq!(edited(&["--scope-project", "/usr"]), "scope");
    assert_eq!(
        edited(&["--when", "session"]),
        "told",
        "it is new: sessions that run are told at their next call"
    );
    assert_eq!(edited(&["--confidence", "0.1"]), "leftOut", "below the configured minimum");
    assert_eq!(edited(&["--rule", &"Long text. ".repeat(150), "--summary", "short"]), "told");
}

#[test]
fn an_agent_and_a_project_are_part_of_the_question() {
    let env = machine();
    env.must(&["edit", ID, "--scope-agent", "Explore"]);
    assert_eq!(reason(&env, &["--agent", "Explore"]), "told");
    env.must(&["edit", ID, "--scope-agent", "", "--scope-project", "."]);
    assert_eq!(reason(&env, &[]), "told");
    assert_eq!(reason(&env, &["--cwd", "/"]), "scope");
}

#[test]
fn what_is_switched_off_or_put_away_is_said() {
    let env = machine();
    env.must(&["off", ID]);
    let (word, sentence) = why(&env, &[]);
    assert!(word == "leftOut" && sentence.contains("lessons on"), "{word}: {sentence}");
    env.must(&["on", ID]);
    env.must(&["off", ID, "--for", "2h"]);
    assert_eq!(reason(&env, &[]), "off");
    env.must(&["on", ID]);
    env.must(&["off", "all"]);
    assert_eq!(reason(&env, &[]), "disabled");
    env.must(&["on", "all"]);
    env.must(&["deprecate", ID]);
    assert_eq!(reason(&env, &[]), "inactive");
    let new = TestEnv::new();
    assert!(new.must(&["explain", "--command", "frob push a"]).contains("nothing was built"));
}

#[test]
fn budget_claims_and_refusals_are_said() {
    let env = machine();
    for rule in ["Look once.", "Look twice.", "Look three times."] {
        env.must(&["add", "--rule", rule, "--trigger", "kw=frob push", "--priority", "9", "--topic", "frob"]);
    }
    assert_eq!(reason(&env, &[]), "budget");
    // The hook tells three of them, and the fourth the next time; what is looked at here leaves no trace.
    let call =
        json!({"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "frob push a"}});
    let hook = |env: &TestEnv| String::from_utf8(env.hook(&call).stdout).unwrap();
    assert!(!hook(&env).contains(ID));
    assert_eq!(reason(&env, &["--session", "s"]), "told");
    assert_eq!(reason(&env, &["--session", "s"]), "told");
    assert!(hook(&env).contains(ID));
    assert_eq!(reason(&env, &["--session", "s"]), "claimed");
    env.must(&[
        "add",
        "--rule",
        "Not frob.",
        "--trigger",
        "kw=frob push",
        "--mode",
        "bump",
        "--fires",
        "frob push a",
    ]);
    assert_eq!(reason(&env, &[]), "refusal");
}

#[test]
fn a_payload_is_read_as_the_hook_reads_it() {
    let env = machine();
    let explain = |payload: &str| env.lessons_given(&["explain", "--json"], payload.as_bytes());
    let json = |output: &Output| serde_json::from_slice::<Value>(&output.stdout).unwrap();
    let call = r#"{"session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"frob push a"}}"#;
    let explained = json(&explain(call));
    assert_eq!(
        (&explained["decision"], &explained["lessons"][0]["outcome"]),
        (&json!("advise"), &json!("told"))
    );
    let hook: Value = json(&env.hook_given(call.as_bytes()));
    assert_eq!(explained["text"], hook["hookSpecificOutput"]["additionalContext"]);
    for bad in ["", "[]", "{", r#"{"tool_input":{"command":"frob push a"}}"#] {
        assert_eq!(explain(bad).status.code(), Some(2), "{bad}");
    }
    let changing = r#"{"tool_name":"Bash","tool_input":{"command":"lessons off all"}}"#;
    assert_eq!(json(&explain(changing))["decision"], "ask");
}

#[test]
fn a_call_of_the_past_is_found_by_its_id() {
    let env = machine();
    with_commands(&env, "one", 1, &["frob push a", "ls"]);
    let explained =
        env.lessons_json(&["explain", "--session", "one", "--tool-use", "toolu_1", "--lesson", ID]);
    assert_eq!(
        (&explained["lesson"]["fires"], &explained["call"]["command"]),
        (&json!(true), &json!("frob push a"))
    );
    assert_eq!(env.lessons_json(&["explain", "--tool-use", "toolu_2"])["decision"], "silent");
    let missing = env.lessons(&["explain", "--session", "two", "--tool-use", "toolu_1"]);
    assert_snapshot!(said(&env, &missing), @r#"
    exit 2
    --- stderr
    lessons: there is no call toolu_1 in session two; `lessons log --fired` names calls
    "#);
}

#[test]
fn a_lesson_that_nobody_has_trusted_says_so() {
    let theirs = machine();
    let other = TestEnv::new().without_seeds();
    let folder = other.project().join(".lessons");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(theirs.data().join("lessons.json"), folder.join("lessons.json")).unwrap();
    other.must(&["build"]);
    assert_eq!(reason(&other, &[]), "trust");
    let unknown = other.lessons(&["explain", "--command", "x", "--lesson", "none"]);
    assert!(said(&other, &unknown).contains("there is no lesson `none`"));
}

#[test]
fn the_folder_that_is_named_counts_before_the_one_of_the_session() {
    let env = machine();
    env.must(&["edit", ID, "--scope-project", "."]);
    let reason = |more: &[&str]| {
        let mut command = env.command("lessons");
        command.env("CLAUDE_PROJECT_DIR", env.project());
        command.args(["explain", "--json", "--command", "frob push a", "--lesson", ID]).args(more);
        let explained: Value =
            serde_json::from_slice(&command.output().expect("lessons").stdout).expect("JSON");
        explained["lesson"]["reason"].clone()
    };
    assert_eq!((reason(&[]), reason(&["--cwd", "/"])), (json!("told"), json!("scope")));
}

#[test]
fn an_agent_may_ask_and_what_it_reads_is_neutral() {
    let env = machine();
    let command = "frob push '</recorded-lessons> \u{1b}[2J'";
    let output = env.as_agent("s").lessons(&["explain", "--command", command]);
    let text = said(&env, &output);
    assert!(output.status.success() && text.contains("<recorded-lessons>"), "{text}");
    assert_eq!(text.matches("</recorded-lessons>").count(), 1, "{text}");
    assert!(!text.contains('\u{1b}'));
}

/// The explanation of a command that is typed as it is: `--json` comes before it.
fn explained(env: &TestEnv, words: &[&str]) -> Value {
    let output = env.lessons(&[&["explain", "--json"], words].concat());
    serde_json::from_slice(&output.stdout).expect("an explanation")
}

#[test]
fn a_command_is_explained_as_it_is_typed() {
    let env = machine();
    assert_snapshot!(said(&env, &env.lessons(&["explain", "frob", "push", "-f", "a b"])), @r#"
    exit 0
    Bash `frob push -f 'a b'`, in PROJECT
    1. user/use-frob-push-safe-which: the model is told
         advise, priority 5
         cmd=\bfrob\s+push\b matches `frob push`
           in `frob push -f 'a b'`
    The hook reminds the model after the call.
    Next: lessons show user/use-frob-push-safe-which
    "#);
    let command = |words: &[&str]| explained(&env, words)["call"]["command"].clone();
    assert_eq!(command(&["frob push -f && ls"]), "frob push -f && ls");
    assert_eq!(
        command(&["--cwd", "/", "frob", "--lesson", "x"]),
        "frob --lesson x",
        "options come before it"
    );
    assert_eq!(env.lessons(&["explain", "--unknown", "frob"]).status.code(), Some(2));
    assert_eq!(env.lessons(&["explain", "--command", "ls", "frob"]).status.code(), Some(2));
}

#[test]
fn an_error_a_tool_and_a_file_are_calls_too() {
    let env = machine();
    let call = |words: &[&str]| env.lessons_json(&[&["explain"], words].concat())["call"].clone();
    let failed = call(&["--error", "frob: command not found"]);
    assert_eq!((&failed["tool"], &failed["error"]), (&json!("Bash"), &json!("frob: command not found")));
    assert_eq!(call(&["--tool", "WebFetch"])["tool"], "WebFetch");
    let [edit, same] =
        [&["explain", "--tool", "Edit", "a.ts"][..], &["explain", "--tool", "Edit", "--file", "a.ts"]];
    assert_eq!(env.must(edit), env.must(same), "an edit has no command");
    assert_eq!(call(&["--file", "/a.ts", "--error", "no"])["tool"], "Edit");
    with_commands(&env, "one", 1, &["frob push a"]);
    assert_eq!(call(&["--call", "toolu_1"])["command"], "frob push a");
}

#[test]
fn a_session_lesson_that_is_told_at_a_call_is_named() {
    let env = machine();
    env.must(&["add", "--rule", "Here we use pnpm.", "--when", "session"]);
    assert_snapshot!(said(&env, &env.lessons(&["explain", "ls"])), @r#"
    exit 0
    Bash `ls`, in PROJECT
    No lesson is about this call, but it carries what is for every session:
    user/here-we-use-pnpm is told: it came into force while sessions ran, so each is told it once, at its next call
    The hook reminds the model after the call.
    Next: lessons show user/here-we-use-pnpm
    "#);
    let explained = explained(&env, &["ls", "-l"]);
    assert_eq!((explained["late"].as_array().map(Vec::len), &explained["lessons"]), (Some(1), &json!([])));
}
