//! Where lessons land: in every shell, at what writes a file and not at what reads it, and at each call by itself.

use std::fs;
use std::path::Path;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

/// A machine with a bump on this trigger that fires on `fires`.
fn machine(trigger: &str, fires: &str, more: &[&str]) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let add = [
        "add",
        "--rule",
        "Ask before you do that.",
        "--mode",
        "bump",
        "--trigger",
        trigger,
        "--fires",
        fires,
    ];
    env.must(&[&add, more].concat());
    env
}

/// The client's decision on a call in this session, empty for none.
fn decision(env: &TestEnv, session: &str, tool: &str, input: &Value) -> String {
    decision_in(&env.project(), env, session, tool, input)
}

fn decision_in(folder: &Path, env: &TestEnv, session: &str, tool: &str, input: &Value) -> String {
    let output = env.hook(&json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": folder, "tool_name": tool,
        "tool_input": input, "tool_use_id": "toolu_1",
    }));
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    reply["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
}

fn bash(env: &TestEnv, command: &str) -> String {
    decision(env, command, "Bash", &json!({ "command": command }))
}

const ID: &str = "user/ask-before-you-do-that";
const ENV_FILE: &str = r#"{"tool":"Edit","file":".env"}"#;

#[test]
fn a_lesson_on_a_file_stops_a_command_that_plainly_writes_it() {
    let env = machine("glob=**/.env", ENV_FILE, &[]);
    for command in [
        "echo 'X=1' >> .env",
        "sed -i 's/a/b/' apps/web/.env",
        "cd apps/web && printf x > .env",
        "cp .env.example .env",
        "echo X=1 | sudo tee -a .env >/dev/null",
        "sh -c 'echo X=1 > .env'",
    ] {
        assert_eq!(bash(&env, command), "deny", "{command}");
    }
    for command in
        ["cat .env", "grep X .env > out", "source .env && make", "echo '> .env'", "cp .env .env.bak"]
    {
        assert_eq!(bash(&env, command), "", "{command}");
    }
}

#[test]
fn a_lesson_on_a_file_never_keeps_it_from_being_read_unless_its_tools_say_so() {
    let env = machine("glob=**/.env", ENV_FILE, &[]);
    let file = json!({ "file_path": env.project().join(".env") });
    let of = |env: &TestEnv, tool: &str| decision(env, tool, tool, &file);
    for (tool, expected) in
        [("Read", ""), ("Edit", "deny"), ("Write", "deny"), ("mcp__fs__write_file", "deny")]
    {
        assert_eq!(of(&env, tool), expected, "{tool}");
    }
    let why = env.must(&["explain", "--tool", "Read", "--file", ".env", "--lesson", ID]);
    assert!(why.contains("the call only reads"), "{why}");
    let fires = r#"{"tool":"Read","file":".env"}"#;
    let env = machine("glob=**/.env", fires, &["--tool", "Read,mcp__fs__*"]);
    for (tool, expected) in
        [("Read", "deny"), ("Edit", ""), ("mcp__fs__read_file", "deny"), ("mcp__x__read", "")]
    {
        assert_eq!(of(&env, tool), expected, "{tool}");
    }
}

#[test]
fn a_reminder_with_an_example_that_reads_is_about_reading() {
    for (fires, is_told) in
        [(r#"{"tool":"Read","file":"a.lock"}"#, true), (r#"{"tool":"Edit","file":"a.lock"}"#, false)]
    {
        let env = TestEnv::new().without_seeds();
        env.must(&["add", "--rule", "It is long.", "--trigger", "glob=**/*.lock", "--fires", fires]);
        let read = env.hook(&json!({
            "session_id": "s", "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Read",
            "tool_input": { "file_path": env.project().join("b.lock") }, "tool_use_id": "toolu_1",
        }));
        assert_eq!(said(&read).contains("It is long."), is_told, "{fires}");
    }
}

#[test]
fn every_shell_is_looked_at_as_bash_is() {
    for more in [&[][..], &["--tool", "Bash"]] {
        let env = machine(r"cmd=\bsupabase\s+db\s+reset\b", "supabase db reset", more);
        for tool in
            ["Bash", "Monitor", "PowerShell", "mcp__desktop-commander__start_process", "mcp__acp__Bash"]
        {
            let command = json!({ "command": "supabase db reset" });
            assert_eq!(decision(&env, tool, tool, &command), "deny", "{tool} {more:?}");
        }
        assert_eq!(decision(&env, "s", "Skill", &json!({ "command": "supabase db reset" })), "");
    }
}

#[test]
fn a_change_of_our_files_is_seen_in_every_shell() {
    let env = TestEnv::new().without_seeds();
    env.must(&["status"]);
    let command = json!({ "command": format!("rm -rf {}", env.data().display()) });
    for tool in ["Bash", "Monitor", "PowerShell", "mcp__acp__Bash"] {
        assert_ne!(decision(&env, "s", tool, &command), "", "{tool}");
    }
}

#[test]
fn a_name_is_the_same_name_composed_and_decomposed() {
    let composed = "\u{bb38}\u{c11c}";
    let decomposed = "\u{1106}\u{116e}\u{11ab}\u{1109}\u{1165}";
    for (typed, on_disk) in [(composed, decomposed), (decomposed, composed)] {
        let fires = json!({ "tool": "Edit", "file": format!("{typed}/a.md") }).to_string();
        for trigger in [format!("glob=**/{typed}/**"), format!("glob={typed}/**"), format!("path=/{typed}/")]
        {
            let env = machine(&trigger, &fires, &[]);
            let file = json!({ "file_path": env.project().join(on_disk).join("a.md") });
            assert_eq!(decision(&env, "s", "Edit", &file), "deny", "{trigger}");
        }
    }
}

#[test]
fn what_is_there_already_is_told_from_a_new_file() {
    let fires = r#"{"tool":"Edit","file":"migrations/1.sql"}"#;
    let env = machine("glob=migrations/*.sql", fires, &["--state", "path-exists"]);
    fs::create_dir_all(env.project().join("migrations")).unwrap();
    fs::write(env.project().join("migrations/1.sql"), "x").unwrap();
    for (file, expected) in [("migrations/1.sql", "deny"), ("migrations/2.sql", "")] {
        let input = json!({ "file_path": env.project().join(file), "content": "x" });
        assert_eq!(decision(&env, file, "Write", &input), expected, "{file}");
        assert_eq!(bash(&env, &format!("echo x > {file}")), expected, "{file}");
    }
    let env = machine("glob=migrations/*.sql", fires, &["--state", "path-exists"]);
    let why = env.must(&["explain", "--tool", "Write", "--file", "migrations/2.sql", "--lesson", ID]);
    assert!(why.contains("path-exists"), "{why}");
}

#[test]
fn a_bump_against_much_damage_stops_each_different_call_until_it_is_repeated_itself() {
    for (severity, fourth, other) in [("high", "deny", "deny"), ("medium", "", "")] {
        let env = machine(r"cmd=^make\s+seed\b", "make seed A=1", &["--severity", severity]);
        let seed = |session: &str, number: usize| {
            decision(&env, session, "Bash", &json!({ "command": format!("make seed A={number}") }))
        };
        assert_eq!([1, 2, 3].map(|number| seed("many", number)), ["deny"; 3]);
        assert_eq!(seed("many", 4), fourth, "{severity}");
        assert_eq!([seed("again", 1), seed("again", 1), seed("again", 1)], ["deny", "", ""]);
        assert_eq!(seed("again", 2), other, "{severity}");
    }
}

#[test]
fn a_bump_against_lost_data_stops_each_different_call() {
    let tags = ["--tag", "severity:data-loss"];
    let env = machine(r"cmd=^make\s+seed\b", "make seed A=1", &tags);
    let seed =
        |number: usize| decision(&env, "s", "Bash", &json!({ "command": format!("make seed A={number}") }));
    assert_eq!([seed(1), seed(1), seed(2)], ["deny", "", "deny"]);
}

#[test]
fn the_same_command_in_another_folder_is_another_call() {
    let env = machine(r"cmd=^git\s+reset\b", "git reset --hard", &["--severity", "high"]);
    let reset = json!({ "command": "git reset --hard" });
    let in_folder = |folder: &str| decision_in(&env.home().join(folder), &env, "s", "Bash", &reset);
    assert_eq!(["a", "a", "b", "b"].map(in_folder), ["deny", "", "deny", ""]);
}

#[test]
fn a_text_behind_options_that_stand_together_is_no_command() {
    let env = machine(r"cmd=\bgit\s+stash\b", "git stash", &[]);
    for command in [
        r#"git commit -am "git stash""#,
        "git commit -qam 'no git stash'",
        r#"git commit -m "git stash""#,
        r#"grep -rn "git stash" ."#,
        r#"curl -sd "git stash" http://x.example"#,
    ] {
        assert_eq!(bash(&env, command), "", "{command}");
    }
    for command in ["git -C api stash", r#"bash -ec "git stash""#, "git -c a=b stash -q"] {
        assert_eq!(bash(&env, command), "deny", "{command}");
    }
}
