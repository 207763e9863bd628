//! What other agents than Claude Code get from `lessons-hook --client NAME`, and what `lessons install` writes for them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::scene;

/// The clients, each with whether its model sees what is said before a call.
const CLIENTS: [(&str, bool); 6] = [
    ("codex", true),
    ("copilot", true),
    ("opencode", true),
    ("pi", true),
    ("gemini", false),
    ("qwen", false),
];

/// What a client reports of a command: before it runs, or afterwards with its exit code and output.
fn shell(client: &str, session: &str, command: &str, ended: Option<(i32, &str)>) -> Value {
    let mut message = json!({"session_id": session, "cwd": "/p", "tool_input": {"command": command}});
    let (name, before, after) = match client {
        "gemini" => ("run_shell_command", "BeforeTool", "AfterTool"),
        "qwen" => ("run_shell_command", "PreToolUse", "PostToolUse"),
        "opencode" => ("bash", "PreToolUse", "PostToolUse"),
        "pi" => ("bash", "tool_call", "tool_result"),
        _ => ("Bash", "PreToolUse", "PostToolUse"),
    };
    message["tool_name"] = name.into();
    message["hook_event_name"] = if ended.is_some() { after } else { before }.into();
    let (code, text) = ended.unwrap_or_default();
    match client {
        "codex" => message["turn_id"] = "t".into(),
        "qwen" => message["tool_call_id"] = "c".into(),
        "pi" => {
            message["toolName"] = message["tool_name"].take();
            message["input"] = message["tool_input"].take();
            message["toolCallId"] = "c".into();
        }
        _ => {}
    }
    if ended.is_some() {
        match client {
            "codex" => message["tool_response"] = text.into(),
            "copilot" => {
                let text = format!("{text}\n<shellId: 1 completed with exit code {code}>");
                message["tool_result"] = json!({"result_type": "success", "text_result_for_llm": text});
            }
            "opencode" => message["tool_response"] = json!({"output": text, "metadata": {"exit": code}}),
            "pi" => {
                message["content"] = json!([{"type": "text", "text": text}]);
                message["isError"] = (code != 0).into();
            }
            "gemini" => {
                let exit = if code == 0 { String::new() } else { format!("\nExit Code: {code}") };
                message["tool_response"] = json!({"llmContent": format!("Output: {text}{exit}")});
            }
            _ if code == 0 => message["tool_response"] = json!({"llmContent": text}),
            _ => {
                message["hook_event_name"] = "PostToolUseFailure".into();
                message["error"] = format!("Command: {command}\nOutput: {text}\nExit Code: {code}").into();
            }
        }
    }
    message
}

fn start(client: &str, session: &str) -> Value {
    let event = if client == "pi" { "before_agent_start" } else { "SessionStart" };
    let source = if client == "copilot" { "new" } else { "startup" };
    json!({"session_id": session, "cwd": "/p", "hook_event_name": event, "source": source})
}

fn run(env: &TestEnv, client: &str, message: &[u8], variables: &[(&str, &str)]) -> Output {
    let mut hook = env.command("lessons-hook");
    if !client.is_empty() {
        hook.args(["--client", client]);
    }
    hook.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = hook.spawn().expect("the hook");
    // It may have ended by itself.
    let _ = running.stdin.take().expect("a pipe").write_all(message);
    running.wait_with_output().expect("the hook ends")
}

/// What a client is told: nothing, or a text and whether it refuses the call. Fails where the answer holds a field that the
/// client would punish.
fn told(env: &TestEnv, client: &str, message: &Value) -> Option<(bool, String)> {
    let output = run(env, client, message.to_string().as_bytes(), &[]);
    assert!(output.status.success() && output.stderr.is_empty(), "{client}: {}", said(&output));
    if output.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let event = message["hook_event_name"].as_str().unwrap();
    let hook = &answer["hookSpecificOutput"];
    let (refuses, text) = if !answer["reason"].is_null() {
        (true, text(&answer["reason"]))
    } else if !answer["refusal"].is_null() {
        (true, text(&answer["refusal"]))
    } else if !hook["permissionDecision"].is_null() {
        (true, text(&hook["permissionDecisionReason"]))
    } else {
        let advice = [&hook["additionalContext"], &answer["additionalContext"], &answer["advice"]];
        (false, text(advice.into_iter().find(|advice| !advice.is_null()).expect("advice")))
    };
    let expected = match (client, refuses) {
        ("opencode" | "pi", true) => json!({"refusal": text}),
        ("opencode" | "pi", false) => json!({"advice": text}),
        ("gemini", true) => json!({"decision": "deny", "reason": text}),
        (_, true) => {
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                                   "permissionDecisionReason": text}})
        }
        ("copilot", false) if event != "PreToolUse" => json!({"additionalContext": text}),
        (_, false) => json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
    };
    assert_eq!(answer, expected, "{client}");
    Some((refuses, text))
}

/// A machine with a lesson of each kind.
fn machine() -> TestEnv {
    let env = scene::machine();
    env.must(&[
        "add",
        "--rule",
        "Ask before a bump.",
        "--trigger",
        "cmd=frob bump",
        "--mode",
        "bump",
        "--fires",
        "frob bump",
    ]);
    env.must(&["add", "--rule", "Pull first.", "--trigger", "error=non-fast-forward"]);
    env.must(&["add", "--rule", "Speak of seeds.", "--when", "session"]);
    env.must(&["add", "--rule", "Two spaces in a.", "--trigger", "glob=**/a.py"]);
    env.must(&["add", "--rule", "No tabs in b.", "--trigger", "glob=**/b.py"]);
    env
}

#[test]
fn every_client_is_told_advice_once_where_its_model_sees_it() {
    let env = machine();
    for (client, before) in CLIENTS {
        let message = shell(client, client, "frob mine", None);
        let after = shell(client, client, "frob mine", Some((0, "fine")));
        let (first, second) = (told(&env, client, &message), told(&env, client, &after));
        let (seen, other) = if before { (first, second) } else { (second, first) };
        let (refuses, text) = seen.unwrap_or_else(|| panic!("{client} is told nothing"));
        assert!(!refuses && text.contains("Ask before you frob."), "{client}: {text}");
        assert_eq!(other, None, "{client}");
        for message in [&message, &after] {
            assert_eq!(told(&env, client, message), None, "{client} is told twice");
        }
    }
}

#[test]
fn every_client_is_bumped_once_and_blocked_every_time() {
    let env = machine();
    for (client, _) in CLIENTS {
        told(&env, client, &start(client, client));
        let bump = shell(client, client, "frob bump", None);
        let (refuses, text) = told(&env, client, &bump).unwrap();
        assert!(refuses && text.contains("Ask before a bump."), "{client}: {text}");
        assert_eq!(told(&env, client, &bump), None, "{client}: the call passes when it is made again");
        assert_eq!(
            told(&env, client, &shell(client, client, "frob bump", Some((0, "fine")))),
            None,
            "{client}"
        );
        for _ in 0..2 {
            let (refuses, text) = told(&env, client, &shell(client, client, scene::BLOCKED, None)).unwrap();
            assert!(refuses && text.contains("Never wipe with frob."), "{client}: {text}");
        }
    }
}

#[test]
fn a_line_of_a_slash_command_gets_refusals_and_nothing_else() {
    let env = machine();
    let line = |command: &str| {
        let mut message = shell("claude", "lines", command, None);
        message["hook_event_name"] = "PreSkillShellCommand".into();
        told(&env, "claude", &message)
    };
    for _ in 0..2 {
        assert!(line(scene::BLOCKED).expect("a refusal").1.contains("Never wipe with frob."));
    }
    assert!(line("lessons off --all").expect("a refusal").1.contains("The user types it in a terminal"));
    assert_eq!((line("frob mine"), line("frob bump"), line("git status")), (None, None, None));
    // Nothing was claimed: the model's own calls get what they get elsewhere.
    let own = |command: &str| told(&env, "claude", &shell("claude", "lines", command, None));
    assert!(own("frob bump").expect("a bump").0);
    assert!(!own("frob mine").expect("advice").0);
}

#[test]
fn every_client_is_told_of_an_error_and_of_the_session() {
    let env = machine();
    for (client, _) in CLIENTS {
        let (_, text) = told(&env, client, &start(client, client)).unwrap();
        assert!(text.contains("Speak of seeds.") && text.contains("#lesson"), "{client}: {text}");
        let failed = shell(client, client, "git push", Some((1, "rejected: non-fast-forward")));
        let (refuses, text) = told(&env, client, &failed).unwrap_or_else(|| panic!("{client}"));
        assert!(!refuses && text.contains("Pull first."), "{client}: {text}");
        assert_eq!(told(&env, client, &failed), None, "{client}");
    }
    // Codex tells no exit code; every other client says that this went well.
    for (client, _) in CLIENTS.into_iter().filter(|(client, _)| *client != "codex") {
        let fine = shell(client, client, "git log", Some((0, "about non-fast-forward")));
        assert_eq!(told(&env, client, &fine), None, "{client}");
    }
}

#[test]
fn a_patch_is_a_call_for_each_file_and_one_answer() {
    let env = machine();
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n+x\n*** Add File: b.py\n+y\n*** End Patch\n";
    let codex = json!({"session_id": "s", "turn_id": "t", "cwd": "/p", "hook_event_name": "PreToolUse",
                       "tool_name": "apply_patch", "tool_input": {"command": patch}});
    let copilot = json!({"session_id": "c", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Edit",
                         "tool_input": patch});
    for (client, message) in [("codex", codex), ("copilot", copilot)] {
        let (refuses, text) = told(&env, client, &message).unwrap();
        assert!(!refuses && text.contains("Two spaces in a.") && text.contains("No tabs in b."), "{text}");
        assert_eq!(text.matches("<recorded-lessons>").count(), 1, "{text}");
        assert_eq!(told(&env, client, &message), None, "{client}");
    }
}

#[test]
fn a_refusal_of_one_file_takes_back_what_was_to_be_said_of_another() {
    let env = machine();
    let bump = json!({
        "id": "c", "rule": "Ask before c.", "mode": "bump",
        "triggers": [{ "kind": "file_glob", "pattern": "**/c.py" }],
        "examples": { "fires": [{ "tool": "Edit", "file": "/p/c.py" }] },
    });
    scene::add(&env, &bump, &[]);
    told(&env, "codex", &start("codex", "s"));
    let patch = "*** Begin Patch\n*** Update File: a.py\n+x\n*** Update File: c.py\n+y\n*** End Patch\n";
    let message = json!({"session_id": "s", "turn_id": "t", "cwd": "/p", "hook_event_name": "PreToolUse",
                         "tool_name": "apply_patch", "tool_input": {"command": patch}});
    let (refuses, text) = told(&env, "codex", &message).unwrap();
    assert!(refuses && text.contains("Ask before c.") && !text.contains("Two spaces"), "{text}");
    let (refuses, text) = told(&env, "codex", &message).unwrap();
    assert!(!refuses && text.contains("Two spaces in a."), "{text}");
}

/// Codex runs a call about which it is told to ask.
#[test]
fn nobody_is_asked_in_another_client_and_the_command_is_named_instead() {
    let env = machine();
    let attended = [("CLAUDE_CODE_ENTRYPOINT", "cli"), ("CLAUDE_CODE_SESSION_ATTENDED", "1")];
    let store = env.data().join("lessons.json");
    for (client, _) in CLIENTS {
        for command in ["lessons off user/guard".to_owned(), format!("echo x > {}", store.display())] {
            let message = shell(client, client, &command, None);
            let output = run(&env, client, message.to_string().as_bytes(), &attended);
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(!text.contains("\"ask\"") && text.contains("Not done"), "{client}: {text}");
            assert!(text.contains("in a terminal of their own"), "{client}: {text}");
        }
    }
}

#[test]
fn what_is_for_another_client_or_for_nobody_gets_no_answer_and_no_error() {
    let env = machine();
    let all = [
        ("COPILOT_CLI", "1"),
        ("QWEN_CODE_CLI", "1"),
        ("GEMINI_SESSION_ID", "g"),
        ("CLAUDE_CODE_ENTRYPOINT", "cli"),
    ];
    for (client, _) in CLIENTS.into_iter().filter(|(client, _)| !["copilot", "opencode"].contains(client)) {
        let message = shell(client, "s", scene::BLOCKED, None).to_string();
        for (other, _) in CLIENTS.into_iter().filter(|(other, _)| *other != client) {
            let output = run(&env, other, message.as_bytes(), &all);
            assert!(
                output.status.success() && output.stdout.is_empty(),
                "{client} to {other}: {}",
                said(&output)
            );
        }
        // Without a name it is the payload that counts, and not the variables of the client around it.
        let found = String::from_utf8(run(&env, "", message.as_bytes(), &all).stdout).unwrap();
        assert!(found.contains("Never wipe with frob."), "{client}: {found}");
    }
    let whole = shell("codex", "s", scene::BLOCKED, None).to_string();
    let kimi = json!({"client_type": "kimi", "hook_event_name": "PreToolUse", "tool_name": "Bash",
                      "tool_input": {"command": scene::BLOCKED}});
    let messages =
        [String::new(), "[]".into(), whole[..whole.len() / 2].into(), kimi.to_string(), "\u{0}".repeat(9000)];
    for message in &messages {
        let output = run(&env, "codex", message.as_bytes(), &[]);
        assert!(
            output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
            "{}",
            said(&output)
        );
    }
    let unknown = run(&env, "unheard-of", whole.as_bytes(), &[]);
    assert!(unknown.status.success() && unknown.stdout.is_empty(), "{}", said(&unknown));
}

#[test]
fn ten_at_once_are_told_once() {
    let env = machine();
    for (client, before) in CLIENTS {
        told(&env, client, &start(client, client));
        let ended = (!before).then_some((0, "fine"));
        let message = shell(client, client, "frob mine", ended);
        let answers = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..10).map(|_| scope.spawn(|| told(&env, client, &message))).collect();
            calls.into_iter().filter_map(|call| call.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(answers.len(), 1, "{client}: {answers:?}");
        assert!(!answers[0].0, "{client}");
    }
}

#[test]
fn the_lines_of_our_own_commands_and_skills_pass() {
    let env = TestEnv::new();
    env.must(&["build"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut open = vec![root.join("commands"), root.join("skills")];
    let mut passed = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        for line in fs::read_to_string(path).unwrap().split("!`").skip(1) {
            let (line, _) = line.split_once('`').unwrap();
            let mut message = shell("claude", "lines", line, None);
            message["hook_event_name"] = "PreSkillShellCommand".into();
            assert_eq!(told(&env, "claude", &message), None, "{line}");
            passed += 1;
        }
    }
    assert!(passed > 5, "{passed}");
}

#[test]
fn what_was_told_in_several_clients_is_told_apart() {
    let env = machine();
    assert!(told(&env, "codex", &shell("codex", "one", "frob mine", None)).is_some());
    let only = env.must(&["log", "--fired"]) + &env.must(&["stats"]);
    assert!(!only.contains("Codex"), "there is nothing to tell apart: {only}");
    env.hook(&json!({"session_id": "two", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "frob mine"}, "tool_use_id": "c"}));
    let log = env.must(&["log", "--fired"]);
    let with = |client: &str| log.lines().filter(|line| line.ends_with(&format!(", with {client}"))).count();
    assert_eq!((with("Codex"), with("Claude Code")), (1, 1), "{log}");
    let json = env.lessons_json(&["log", "--fired"]);
    assert_eq!((&json[0]["client"], &json[1]["client"]), (&json!("claude"), &json!("codex")));
    let stats = env.must(&["stats"]);
    assert!(
        stats.contains("\n  Claude Code: 1 reminder, 0 blocked\n  Codex: 1 reminder, 0 blocked\n"),
        "{stats}"
    );
}
