//! Installing while sessions run, and who may.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lessons_tests::controlling_terminal::without_terminal;
use lessons_tests::person::Person;
use lessons_tests::plugin::Plugin;
use lessons_tests::scratch::Scratch;
use serde_json::json;

/// The sessions that run at once.
const SESSIONS: usize = 16;
/// How long a session waits from one call to the next. Without a rest, sixteen of them leave the installation no processor.
const PAUSE: Duration = Duration::from_millis(25);

fn current(scratch: &Scratch) -> PathBuf {
    scratch.home().join(".local/share/lessons/plugin/current/bin")
}

/// What the installed hook answers to a call in a session of its own.
fn told(scratch: &Scratch, session: &str) -> String {
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": scratch.project(), "tool_name": "Bash",
        "tool_input": { "command": "git stash" }, "tool_use_id": "toolu_1",
    });
    let mut hook = Command::new(current(scratch).join("lessons-pre-tool-use"));
    hook.env_clear().env("HOME", scratch.home()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = hook.spawn().expect("the installed hook");
    running.stdin.take().expect("a pipe").write_all(call.to_string().as_bytes()).expect("the payload");
    let output = running.wait_with_output().expect("the hook ends");
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn sixteen_sessions_go_on_while_newer_versions_are_installed() {
    let scratch = Scratch::new();
    let install = |version: &str| {
        let plugin = Plugin::new().of_version(version);
        Person::new(&scratch, &plugin).types(&["install", "--yes"]);
    };
    install("0.1.0");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|session| {
                let (scratch, is_done) = (&scratch, &is_done);
                scope.spawn(move || {
                    let mut calls = 0;
                    while calls == 0 || !is_done.load(Ordering::Relaxed) {
                        let told = told(scratch, &format!("{session}-{calls}"));
                        assert!(told.contains("seed/git-stash-untracked"), "{told}");
                        calls += 1;
                        thread::sleep(PAUSE);
                    }
                })
            })
            .collect();
        for version in ["0.2.0", "0.3.0", "0.4.0"] {
            install(version);
        }
        is_done.store(true, Ordering::Relaxed);
        for session in sessions {
            session.join().expect("a session");
        }
    });
    let current = current(&scratch).canonicalize().unwrap();
    assert!(current.to_string_lossy().contains("/0.4.0-"), "{}", current.display());
}

#[test]
fn an_agent_is_told_what_the_person_types() {
    let (scratch, plugin) = (Scratch::new(), Plugin::new());
    for verb in ["install", "uninstall"] {
        let mut lessons = Command::new(plugin.program("lessons"));
        lessons.arg(verb).env_clear().env("HOME", scratch.home()).env("CLAUDECODE", "1");
        let output = lessons.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            said.contains("Nothing was changed") && said.contains(&format!("/bin/lessons {verb}")),
            "{said}"
        );
    }
    assert!(!scratch.home().join(".local").exists());
}

#[test]
fn a_script_installs_on_a_new_machine_and_later_only_where_scripts_may_decide() {
    let (scratch, plugin) = (Scratch::new(), Plugin::new());
    let script = |words: &[&str]| {
        let mut lessons = Command::new(plugin.program("lessons"));
        lessons.args(words).env_clear().env("HOME", scratch.home()).env("PATH", "/usr/bin:/bin");
        without_terminal(&mut lessons).output().unwrap()
    };
    assert!(script(&["install"]).status.success());
    assert!(!scratch.home().join(".local/bin/lessons").exists(), "nobody was asked, and nobody said --yes");
    let refused = script(&["uninstall"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("gate.scripts"));
    assert!(current(&scratch).exists());
    Person::new(&scratch, &plugin).types(&["init", "--scripts"]);
    assert!(script(&["uninstall"]).status.success());
    assert!(!current(&scratch).exists());
}
