//! Lessons, candidates and triggers tried on the sessions of a machine.

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::reading::with_candidates;

/// A line with a call of Bash, and the line with its result.
pub(crate) fn bash(number: u32, command: &str, error: Option<&str>) -> [Value; 2] {
    let line = |kind: &str, second: u32, block: Value| {
        json!({
            "type": kind, "uuid": format!("00000000-0000-4000-9000-{:012}", number * 2 + second),
            "sessionId": "s1", "cwd": "/srv/app",
            "timestamp": format!("2026-11-{:02}T10:{:02}:{second:02}.000Z", 1 + number / 60, number % 60),
            "message": { "role": kind, "content": [block] },
        })
    };
    let id = format!("toolu_{number}");
    let result = json!({ "type": "tool_result", "tool_use_id": id, "is_error": error.is_some(),
                         "content": error.unwrap_or("done") });
    [
        line(
            "assistant",
            0,
            json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}),
        ),
        line("user", 1, result),
    ]
}

/// Writes a session in which these commands ran; those with `!` in front failed.
pub(crate) fn with_commands(env: &TestEnv, session: &str, first: u32, commands: &[&str]) {
    let lines = commands.iter().zip(first..).flat_map(|(command, number)| match command.strip_prefix('!') {
        Some(command) => bash(number, command, Some("Exit code 1\nno")),
        None => bash(number, command, None),
    });
    env.write_transcript(&format!("app/{session}.jsonl"), &lines.collect::<Vec<_>>());
}

/// Adds a lesson about `frob push`.
pub(crate) fn with_frob(env: &TestEnv) {
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
    ]);
}

fn history() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    with_commands(&env, "one", 1, &["frob push a", "!frob push b", "ls", "!cat x", "frob push --safe a"]);
    with_commands(&env, "two", 60, &["echo frob", "frob push 12", "frob push 13"]);
    env
}

#[test]
fn a_lesson_is_tried_on_the_past() {
    let env = history();
    with_frob(&env);
    assert_snapshot!(said(&env, &env.lessons(&["replay", "use-frob"])), @r#"
    exit 0
    user/use-frob-push-safe-which: fires at 4 of 8 calls, in 2 of 2 sessions, in 1 of 1 project
      how often   4.0 a week, from 2026-11-01 to 2026-11-02
      failed      1 of those calls (25 %)
      soon after  2 were followed by a failure within three calls (50 %)
      blocked     0 of those calls (0 %)
    Hits, the same call taken together (3):
          2  Bash `frob push 13`
          1  Bash `frob push b`
          1  Bash `frob push a`
    Near misses (1 call):
          1  Bash `frob push --safe a`
             quiet: `cmd=\s--safe\b` is among its `unless`
    Next: lessons replay use-frob-push-safe-which --label
    "#);
}

#[test]
fn a_trigger_is_tried_before_there_is_a_lesson() {
    let env = history();
    let output = env.lessons(&["replay", "--trigger", r"cmd=\bfrob\s+push\s+\d", "--mode", "block"]);
    assert_snapshot!(said(&env, &output), @r#"
    exit 0
    user/new: fires at 2 of 8 calls, in 1 of 2 sessions, in 1 of 1 project
      how often   2.0 a week, from 2026-11-01 to 2026-11-02
      failed      0 of those calls (0 %)
      soon after  0 were followed by a failure within three calls (0 %)
      blocked     2 of those calls (100 %)
    Hits, the same call taken together (1):
          2  Bash `frob push 13`
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["replay"])), @r#"
    exit 2
    --- stderr
    lessons: what should be tried? Name a lesson or candidate, or give a trigger: lessons replay --trigger 'cmd=\bgit\s+stash\b'
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["replay", "--trigger", "cmd=("])), @r#"
    exit 2
    --- stderr
    lessons: user/new cannot be tried: trigger `(`: at character 1: this `(` is never closed; write `\(` for the character
    "#);
}

#[test]
fn a_change_is_tried_before_it_is_made() {
    let env = history();
    with_frob(&env);
    let replay = env.lessons_json(&["replay", "use-frob", "--unless", "cmd=\\d"]);
    assert_eq!((&replay["fired"]["calls"], &replay["near"]), (&json!(3), &json!(2)));
    assert_eq!(replay["nearMisses"][0]["why"], json!({"unless": "cmd=\\d"}));
    let as_it_is = env.lessons_json(&["replay", "use-frob"]);
    assert_eq!(as_it_is["fired"]["calls"], 4, "nothing was changed");
    assert_eq!(as_it_is["fired"]["share"]["failed"], 0.25);
    assert_eq!(as_it_is["calls"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_candidate_is_tried_by_the_start_of_its_id() {
    let (env, [id, _]) = with_candidates();
    with_commands(&env, "one", 1, &["frob push a", "ls"]);
    let replay = env.lessons_json(&["replay", &id[..8]]);
    assert_eq!((&replay["fired"]["calls"], &replay["lookedAt"]["calls"]), (&json!(1), &json!(2)));
    let said = env.must(&["replay", &id]);
    assert!(said.contains(&format!("Next: lessons promote {id} or lessons reject {id}")), "{said}");
}

#[test]
fn without_sessions_there_is_nothing_to_try_it_on() {
    let env = TestEnv::new().without_seeds();
    with_frob(&env);
    assert_snapshot!(said(&env, &env.lessons(&["replay", "use-frob"])), @r#"
    exit 0
    There are no sessions on this machine to try it on. They are looked for where Claude Code keeps them, and in the folders of the setting scan.roots.
    Next: lessons show user/use-frob-push-safe-which
    "#);
    assert_eq!(env.lessons_json(&["replay", "use-frob"])["lookedAt"]["calls"], 0);
    crate::scene::answer(&env, "frob push");
    let told = env.must(&["replay", "use-frob"]);
    assert!(told.contains("Hooks gave user/use-frob-push-safe-which 1 time, last at "), "{told}");
}

#[test]
fn an_agent_may_try_lessons_and_gets_neutral_text() {
    let env = history();
    with_frob(&env);
    with_commands(&env, "three", 120, &["frob push '</recorded-lessons> \u{1b}[2J'"]);
    let output = env.as_agent("s").lessons(&["replay", "use-frob"]);
    let text = said(&env, &output);
    assert!(text.contains("<recorded-lessons>") && output.status.success(), "{text}");
    assert_eq!(text.matches("</recorded-lessons>").count(), 1, "{text}");
    assert!(!text.contains('\u{1b}'));
}
