//! The harness itself: what it says about the real client is true. A plugin made here, whose hook always gives the
//! same answer, stands for ours.
#![allow(clippy::disallowed_methods, reason = "it sets its scene with plain files")]
#![allow(clippy::unwrap_used, reason = "these are tests, and what they are made with")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use lessons_tests::client::{Isolation, Pin, Session, with_each_client};
use lessons_tests::model::{Script, Turn};
use lessons_tests::scratch::Scratch;
use lessons_tests::terminal::Terminal;
use serde_json::{Value, json};

/// A plugin whose only hook answers every tool call with this JSON.
fn plugin_that_answers(folder: &Path, answer: &Value) {
    let hook = json!({"type": "command", "command": r#"cat "${CLAUDE_PLUGIN_ROOT}/answer.json""#});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    for (file, content) in [
        (".claude-plugin/plugin.json", &json!({"name": "fixture"})),
        ("hooks/hooks.json", &hooks),
        ("answer.json", &json!({"hookSpecificOutput": answer})),
    ] {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content.to_string()).unwrap();
    }
}

fn plugin_that_advises() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let answer = json!({"hookEventName": "PreToolUse", "additionalContext": "ADVICE from the hook"});
    plugin_that_answers(folder.path(), &answer);
    folder
}

fn bash(command: &str) -> Turn {
    Turn::call("Bash", json!({"command": command, "description": "a step"}))
}

#[test]
fn what_a_hook_says_is_in_the_next_request() {
    let plugin = plugin_that_advises();
    with_each_client(|pin| {
        let scratch = Scratch::new();
        let script = Script::new().turn(bash("echo ran-$((1 + 1))")).turn(Turn::text("Done."));
        let requests = Session::new(&scratch, pin, script).plugin(plugin.path()).run().requests;
        assert!(!requests.main(0).given().contains("ADVICE"));
        assert!(requests.main(1).fresh().contains("ADVICE from the hook"), "{}", requests.describe());
        assert_eq!(requests.main(1).result(0).text, "ran-2");
    });
}

#[test]
fn without_the_plugin_nothing_is_said() {
    with_each_client(|pin| {
        let scratch = Scratch::new();
        let script = Script::new().turn(bash("echo ran")).turn(Turn::text("Done."));
        let requests = Session::new(&scratch, pin, script).run().requests;
        assert_eq!(requests.main(1).result(0).text, "ran");
        assert!(requests.holding("ADVICE").is_empty());
    });
}

#[test]
fn a_refused_call_has_an_error_as_its_result_and_did_not_run() {
    let plugin = tempfile::tempdir().unwrap();
    let answer = json!({
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "NOT THIS WAY",
    });
    plugin_that_answers(plugin.path(), &answer);
    with_each_client(|pin| {
        let scratch = Scratch::new();
        let script = Script::new().turn(bash("touch trace")).turn(Turn::text("Done."));
        let requests = Session::new(&scratch, pin, script).plugin(plugin.path()).run().requests;
        let result = requests.main(1).result(0);
        assert!(result.is_error && result.text.contains("NOT THIS WAY"), "{result:?}");
        assert!(!scratch.project().join("trace").exists());
    });
}

#[test]
fn a_sub_agent_is_a_conversation_of_its_own() {
    let plugin = plugin_that_advises();
    with_each_client(|pin| {
        let scratch = Scratch::new();
        let task = json!({"description": "look", "prompt": "SUBTASK: look", "subagent_type": "general-purpose",
                          "run_in_background": false});
        let script = Script::new()
            .turn(Turn::call("Agent", task))
            .turn(Turn::text("Done."))
            .thread("SUBTASK", [bash("echo below"), Turn::text("Looked.")]);
        let requests = Session::new(&scratch, pin, script).plugin(plugin.path()).run().requests;
        assert_eq!(requests.of("SUBTASK", 1).result(0).text, "below");
        assert!(requests.of("SUBTASK", 1).fresh().contains("ADVICE"));
        assert!(requests.main(1).result(0).text.contains("Looked."), "{}", requests.describe());
        assert!(!requests.main(1).given().contains("ADVICE"));
    });
}

#[test]
fn a_second_prompt_waits_for_the_first_and_a_resumed_session_knows_both() {
    with_each_client(|pin| {
        let scratch = Scratch::new();
        let script =
            Script::new().turn(bash("echo one")).turn(Turn::text("First.")).turn(Turn::text("Second."));
        let first = Session::new(&scratch, pin, script).prompt("ASK ONE").prompt("ASK TWO").run();
        assert!(!first.requests.main(1).given().contains("ASK TWO"));
        assert!(first.requests.main(2).fresh().contains("ASK TWO"));

        let script = Script::new().turn(bash("echo two")).turn(Turn::text("Third."));
        let second = Session::new(&scratch, pin, script).resume(&first.session).prompt("ASK THREE").run();
        let given = second.requests.main(0).given();
        assert!(given.contains("ASK ONE") && given.contains("ASK TWO"), "{given}");
        assert!(second.requests.main(0).fresh().contains("ASK THREE"));
        assert_eq!(second.requests.main(1).result(0).text, "two");
    });
}

#[test]
fn the_calls_of_one_turn_each_have_their_result() {
    let scratch = Scratch::new();
    let two = bash("echo one").tool("Bash", json!({"command": "echo two; false", "description": "a step"}));
    let script = Script::new().turn(two).turn(Turn::text("Done."));
    let requests = Session::new(&scratch, Pin::Current, script).run().requests;
    let (one, two) = (requests.main(1).result(0), requests.main(1).result(1));
    assert_eq!((one.text.as_str(), one.is_error), ("one", false));
    assert!(two.is_error && two.text.contains("two"), "{two:?}");
}

#[test]
fn a_client_that_does_not_end_is_killed_and_the_test_fails() {
    let scratch = Scratch::new();
    let script = Script::new().turn(Turn::text("Late.").delay(Duration::from_secs(30)));
    let started = Instant::now();
    let failure =
        Session::new(&scratch, Pin::Current, script).timeout(Duration::from_secs(2)).try_run().unwrap_err();
    assert!(failure.contains("killed after 2 s"), "{failure}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_client_that_asks_nothing_fails_the_test() {
    let scratch = Scratch::new();
    let session = Session::new(&scratch, Pin::Current, Script::new()).arguments(["--no-such-argument"]);
    let failure = session.try_run().unwrap_err();
    assert!(
        failure.contains("asked the model nothing") && failure.contains("--no-such-argument"),
        "{failure}"
    );
}

#[test]
fn proxies_that_lead_nowhere_leave_the_model_within_reach() {
    let plugin = plugin_that_advises();
    let scratch = Scratch::new();
    let reach = "for where in \"$http_proxy\" \"$no_proxy\"; do echo \"via $where\"; done";
    let script = Script::new().turn(bash(reach)).turn(Turn::text("Done."));
    let session = Session::new(&scratch, Pin::Current, script).plugin(plugin.path());
    let requests = session.isolation(&Isolation::Proxies).run().requests;
    assert_eq!(requests.main(1).result(0).text, "via http://127.0.0.1:9\nvia 127.0.0.1");
    assert!(requests.main(1).fresh().contains("ADVICE"));
}

#[test]
fn the_fetched_clients_are_the_ones_that_are_run() {
    let fetcher = include_str!("../../xtask/src/client.rs");
    for pin in Pin::ALL {
        assert!(fetcher.contains(&format!("\"{}\"", pin.version())), "xtask does not fetch {pin:?}");
        assert!(pin.program().is_file());
    }
}

#[test]
fn of_a_program_in_a_terminal_that_has_ended_all_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..50 {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "echo first; echo second; printf third"]).current_dir(folder.path());
        let mut terminal = Terminal::start(&command, 60, 20);
        assert!(terminal.ends().success());
        assert_eq!(terminal.look(vt100::Screen::contents), "first\nsecond\nthird");
    }
}
