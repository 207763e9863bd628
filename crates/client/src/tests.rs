//! The payloads and answers of real clients, as they were captured: `fixtures/CLIENT/EVENT-TOOL-OUTCOME.json`.

#![allow(clippy::disallowed_methods, reason = "tests read their fixtures")]

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{Client, Event, Message, Raised, Verdict, write};

fn fixture(folder: &str, name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder).join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn names(folder: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder);
    let names = std::fs::read_dir(path).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let is_payload = |name: &String| !matches!(name.as_str(), "answers.json" | "environment.json");
    let mut names: Vec<String> = names.filter(is_payload).collect();
    names.sort();
    names
}

/// A payload as the client writes it. pi's bridge names the event and the session of what pi gives it.
fn message(folder: &str, name: &str) -> Message {
    let bytes = fixture(folder, name);
    if folder != "pi" {
        return Message::parse(&bytes).unwrap();
    }
    let mut value: Value = serde_json::from_slice(&bytes).unwrap();
    value["hook_event_name"] = name.split(['-', '.']).next().into();
    value["session_id"] = "s".into();
    value["cwd"] = "/home/dev/shop".into();
    Message::parse(value.to_string().as_bytes()).unwrap()
}

/// What is read of every payload of a client, a line for each call.
fn read(client: Client, folder: &str) -> String {
    let mut out = String::new();
    for name in names(folder) {
        let message = message(folder, &name);
        assert_eq!(message.client(Some(client.name()), &|_| false), Some(client), "{folder}/{name}");
        let Raised { event, calls } = message.read(client).unwrap_or_else(|| panic!("{folder}/{name}"));
        for payload in calls {
            assert!(payload.session_id.is_some_and(|session| !session.is_empty()), "{folder}/{name}");
            let call = payload.call;
            assert_eq!(call.cwd.as_deref(), Some("/home/dev/shop"), "{folder}/{name}");
            let _ = write!(out, "{name}: {event:?} {}", call.tool);
            let _ = call.command.map(|command| write!(out, " `{command}`"));
            for path in call.paths {
                let _ = write!(out, " {path}");
            }
            for content in call.contents {
                let _ = write!(out, " +{:?}", content.text());
            }
            let _ = payload.tool_use_id.map(|id| write!(out, " ({id:.14})"));
            let _ = payload.error.map(|error| write!(out, " error {error:.60?}"));
            let _ = payload.source.map(|source| write!(out, " {source}"));
            out.push('\n');
        }
    }
    out
}

#[test]
fn every_payload_of_codex_is_read() {
    insta::assert_snapshot!("codex", read(Client::Codex, "codex"));
    insta::assert_snapshot!("codex-plain", read(Client::Codex, "codex-plain"));
}

#[test]
fn every_payload_of_copilot_is_read() {
    insta::assert_snapshot!("copilot", read(Client::Copilot, "copilot"));
    insta::assert_snapshot!("copilot-gpt", read(Client::Copilot, "copilot-gpt"));
}

#[test]
fn every_payload_of_gemini_and_qwen_is_read() {
    insta::assert_snapshot!("gemini", read(Client::Gemini, "gemini"));
    insta::assert_snapshot!("qwen", read(Client::Qwen, "qwen"));
}

#[test]
fn every_payload_of_opencode_and_pi_is_read() {
    insta::assert_snapshot!("opencode", read(Client::Opencode, "opencode"));
    insta::assert_snapshot!("pi", read(Client::Pi, "pi"));
}

/// Each captured answer that arrived is what is written, and none that the client must never be sent.
#[test]
fn every_answer_is_one_that_the_client_was_seen_to_take() {
    let clients = [Client::Codex, Client::Copilot, Client::Gemini, Client::Qwen];
    let mut written_answers = 0;
    for client in clients {
        let answers: Vec<Value> = serde_json::from_slice(&fixture(client.name(), "answers.json")).unwrap();
        let events = crate::rows::of(client).events;
        for answer in answers {
            let event = answer["event"].as_str().unwrap();
            let Some((_, event)) = events.iter().find(|(name, _)| *name == event) else { continue };
            let seen = answer["seen"].as_str().unwrap();
            let ours: Vec<Value> = [Verdict::Advice("TEXT".into()), Verdict::Refusal("REASON".into())]
                .iter()
                .filter_map(|verdict| write(client, *event, verdict))
                .map(|bytes| serde_json::from_str(&bytes).unwrap())
                .collect();
            let is_ours = ours.contains(&answer["answer"]);
            assert_eq!(is_ours, !seen.contains("NEVER") && seen != "ignored", "{} {answer}", client.name());
            written_answers += usize::from(is_ours);
        }
    }
    assert_eq!(written_answers, 16);
    for client in [Client::Opencode, Client::Pi] {
        let told = |verdict| write(client, Event::Before, &verdict).unwrap();
        assert_eq!(told(Verdict::Advice("a \"b\"".into())), r#"{"advice":"a \"b\""}"#);
        assert_eq!(told(Verdict::Refusal("r".into())), r#"{"refusal":"r"}"#);
    }
}

#[test]
fn nothing_is_refused_that_has_run_and_nothing_is_said_where_nobody_sees_it() {
    for client in Client::ALL {
        for event in [Event::After, Event::Failed, Event::Start, Event::AgentStart] {
            assert_eq!(write(client, event, &Verdict::Refusal("r".into())), None, "{client:?} {event:?}");
        }
    }
    assert_eq!(write(Client::ClaudeCode, Event::SkillLine, &Verdict::Advice("t".into())), None);
    for client in [Client::Gemini, Client::Qwen] {
        assert_eq!(write(client, Event::Before, &Verdict::Advice("t".into())), None);
    }
    assert_eq!(write(Client::Gemini, Event::AgentStart, &Verdict::Advice("t".into())), None);
}

#[test]
fn a_payload_of_another_client_is_silence_and_without_a_name_its_own_row() {
    let clients = [
        (Client::Codex, "codex", "PreToolUse-Bash-ok.json"),
        (Client::Copilot, "copilot", "PostToolUse-Bash-ok.json"),
        (Client::Gemini, "gemini", "BeforeTool-run_shell_command-ok.json"),
        (Client::Qwen, "qwen", "PreToolUse-run_shell_command-ok.json"),
        (Client::Pi, "pi", "tool_call-bash.json"),
    ];
    // Of a client that runs inside another the variables are both's.
    let all_set = |_: &str| true;
    for (client, folder, name) in clients {
        let message = message(folder, name);
        assert_eq!(message.client(None, &all_set), Some(client), "{folder}");
        for other in Client::ALL.into_iter().filter(|other| *other != client) {
            assert_eq!(message.client(Some(other.name()), &all_set), None, "{folder} sent to {other:?}");
        }
    }
}

#[test]
fn variables_count_where_the_payload_says_nothing_and_unknown_is_claude_code() {
    let message = Message::parse(br#"{"hook_event_name":"SessionStart","session_id":"s"}"#).unwrap();
    let set = |names: &'static [&'static str]| message.client(None, &|name| names.contains(&name));
    assert_eq!(set(&["COPILOT_CLI", "CLAUDE_PROJECT_DIR"]), Some(Client::Copilot));
    assert_eq!(set(&["QWEN_CODE_CLI", "GEMINI_SESSION_ID"]), Some(Client::Qwen));
    assert_eq!(set(&["GEMINI_SESSION_ID"]), Some(Client::Gemini));
    assert_eq!(set(&["FACTORY_PROJECT_DIR"]), None);
    assert_eq!(set(&["CLAUDE_PROJECT_DIR"]), Some(Client::ClaudeCode));
    assert_eq!(message.client(Some("unheard-of"), &|_| true), None);
    for foreign in ["client_type", "clineVersion"] {
        let message = Message::parse(json!({foreign: "x"}).to_string().as_bytes()).unwrap();
        assert_eq!(message.client(Some("codex"), &|_| false), None);
    }
}

#[test]
fn what_is_no_payload_and_what_has_other_types_is_silence() {
    for bytes in ["", "[]", "null", "7", "{", "{}{}"] {
        assert_eq!(Message::parse(bytes.as_bytes()), None, "{bytes}");
    }
    let odd = [
        json!({"hook_event_name": 7}),
        json!({"hook_event_name": "PreToolUse"}),
        json!({"hook_event_name": "PreToolUse", "tool_name": ""}),
        json!({"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"command": "*** Begin"}}),
        json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": "no patch"}),
        json!({"hook_event_name": "Rename", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
    ];
    for payload in odd {
        let message = Message::parse(payload.to_string().as_bytes()).unwrap();
        assert_eq!(message.read(Client::Codex), None, "{payload}");
    }
    // A tool under a new name runs no command that we know of.
    let renamed = json!({"hook_event_name": "BeforeTool", "tool_name": "shell2", "tool_input": {"command": "ls", "path": 7}});
    let raised = Message::parse(renamed.to_string().as_bytes()).unwrap().read(Client::Gemini).unwrap();
    assert_eq!((raised.calls[0].call.command.as_deref(), raised.calls[0].call.paths.len()), (None, 0));
}

#[test]
fn the_texts_of_a_tool_of_a_server_are_read_whatever_their_form() {
    let payload = json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_db_query",
                         "tool_input": {"sql": ["DROP TABLE a"], "command": "rm"}});
    let raised = Message::parse(payload.to_string().as_bytes()).unwrap().read(Client::Gemini).unwrap();
    let call = &raised.calls[0].call;
    assert_eq!(
        (call.tool.as_ref(), call.texts.len(), call.command.as_deref()),
        ("mcp__db__query", 2, Some("rm"))
    );
}

#[test]
fn half_a_surrogate_pair_hides_no_call() {
    let message = |text: &str| {
        let json = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{text}"}}}}"#
        );
        let calls = Message::parse(json.as_bytes())?.read(Client::ClaudeCode)?.calls;
        Some(calls[0].call.command.clone()?.into_owned())
    };
    for (text, read) in [
        (r"frob \ud83d now", "frob \u{fffd} now"),
        (r"frob \ude00\ud83d", "frob \u{fffd}\u{fffd}"),
        (r"frob \ud83d\ude00 \ud83d", "frob \u{1f600} \u{fffd}"),
        (r"frob \\ud83d \ud83d", "frob \\ud83d \u{fffd}"),
    ] {
        assert_eq!(message(text).as_deref(), Some(read), "{text}");
    }
    let broken = b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"frob \xff\"}}";
    assert!(Message::parse(broken).is_some());
}

#[test]
fn a_patch_is_read_under_each_of_its_names() {
    for (client, name) in
        [(Client::Codex, "command"), (Client::Opencode, "patchText"), (Client::Copilot, "input")]
    {
        let mut message = json!({"hook_event_name": "PreToolUse", "tool_name": "apply_patch"});
        message["tool_input"][name] = "*** Begin Patch\n*** Add File: src/a.rs\n+frob\n*** End Patch".into();
        let read = Message::parse(message.to_string().as_bytes()).unwrap().read(client).unwrap().calls;
        assert_eq!(read[0].call.paths, ["src/a.rs"], "{name}");
        assert_eq!(read[0].call.contents.len(), 1, "{name}");
    }
}
