//! How the process of a hook begins and ends: whatever it finds, the client sees no error.

use std::fs;
use std::process::{Command, Stdio};

use lessons_tests::binaries::HOOKS;
use lessons_tests::env::{TestEnv, as_the_client_writes, said};
use serde_json::{Value, json};

use crate::said::with_a_lesson;

fn call(env: &TestEnv) -> Value {
    json!({
        "session_id": "one", "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": "frob push" }, "tool_use_id": "toolu_1",
    })
}

/// A hook that the shell starts with some of its streams closed or led elsewhere.
fn redirected(env: &TestEnv, hook: &str, streams: &str) -> Command {
    let program = env.command(hook);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("exec \"$0\" {streams}")]).arg(program.get_program());
    shell.env_clear().current_dir(env.project());
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

#[test]
fn a_hook_whose_streams_are_closed_ends_as_if_nothing_had_happened() {
    let env = with_a_lesson();
    let input = env.home().join("payload");
    fs::write(&input, as_the_client_writes(&call(&env))).unwrap();
    for hook in HOOKS {
        for streams in ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"] {
            let output =
                redirected(&env, hook, streams).stdin(fs::File::open(&input).unwrap()).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{hook} {streams}: {}", said(&output));
            assert!(
                output.stdout.is_empty() && output.stderr.is_empty(),
                "{hook} {streams}: {}",
                said(&output)
            );
        }
    }
    // Nothing was told where nobody could hear it, so it is told now.
    assert!(said(&env.hook(&call(&env))).contains("frob push --safe"));
}

#[test]
fn a_client_that_has_gone_away_is_no_error_and_has_been_told_nothing() {
    let env = with_a_lesson();
    let input = env.home().join("payload");
    fs::write(&input, as_the_client_writes(&call(&env))).unwrap();
    for hook in HOOKS {
        let mut child = env
            .command(hook)
            .stdin(fs::File::open(&input).unwrap())
            .stdout(Stdio::from(without_reader()))
            .spawn()
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{hook}");
    }
    assert!(said(&env.hook(&call(&env))).contains("frob push --safe"));
}

/// A pipe that nobody reads.
fn without_reader() -> std::io::PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

#[test]
fn a_panic_is_no_error_and_says_nothing() {
    let output = Command::new(env!("CARGO_BIN_EXE_panicking-hook")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{}", said(&output));
}

#[test]
fn after_eight_blocked_calls_lessons_of_less_than_high_severity_only_advise() {
    let env = TestEnv::new().without_seeds();
    let add = |name: &str, more: &[&str]| {
        let (rule, trigger, fires) =
            (format!("Mind {name}."), format!("cmd={name}\\b"), format!("{name} now"));
        let flags = ["add", "--rule", &rule, "--trigger", &trigger, "--mode", "bump", "--fires", &fires];
        env.must(&[&flags, more].concat());
    };
    for number in 0..8 {
        add(&format!("frob{number}"), &[]);
    }
    add("mild", &["--severity", "low"]);
    add("grave", &["--severity", "high"]);
    add("lossy", &["--tag", "severity:data-loss"]);
    let answer = |command: &str| {
        let mut payload = call(&env);
        payload["tool_input"]["command"] = command.into();
        said(&env.hook(&payload))
    };
    for number in 0..8 {
        let answer = answer(&format!("frob{number}"));
        assert!(answer.contains("\"deny\""), "{number}: {answer}");
    }
    assert!(!answer("frob0").contains("\"deny\""), "a call that was blocked passes when it is repeated");
    let mild = answer("mild");
    assert!(mild.contains("Mind mild.") && mild.contains("additionalContext"), "{mild}");
    for command in ["grave", "lossy"] {
        let answer = answer(command);
        assert!(answer.contains("\"deny\""), "{answer}");
    }
}

#[test]
fn a_command_that_cannot_be_read_to_its_end_is_blocked_by_what_does_much_damage_alone() {
    let env = TestEnv::new().without_seeds();
    for (name, severity) in [("mild", "medium"), ("grave", "high")] {
        let (rule, trigger, fires) =
            (format!("Mind {name}."), format!("cmd={name}\\b"), format!("{name} now"));
        let flags = ["--trigger", &trigger, "--mode", "bump", "--fires", &fires, "--severity", severity];
        env.must(&[&["add", "--rule", &rule], &flags[..]].concat());
    }
    let answer = |command: &str, depth: usize| {
        let nested = (0..depth).fold(command.to_owned(), |inner, _| format!("echo $({inner})"));
        let mut payload = call(&env);
        payload["session_id"] = format!("{command}{depth}").into();
        payload["tool_input"]["command"] = format!("{command}; {nested}").into();
        said(&env.hook(&payload))
    };
    assert!(answer("mild", 3).contains("\"deny\""));
    let unread = answer("mild", 9);
    assert!(unread.contains("Mind mild.") && unread.contains("additionalContext"), "{unread}");
    assert!(answer("grave", 9).contains("\"deny\""));
}
