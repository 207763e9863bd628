use std::fs;
use std::path::PathBuf;

use rusqlite::params;
use serde_json::json;

use super::*;
use crate::transcript::line_events::{LineEvent, line_events};
use crate::transcript::{assistant_line, hook_text};

/// Sessions that the real clients wrote against a scripted model.
fn recorded(client: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/clients").join(format!("{client}.jsonl"))
}

fn lines_of(path: &Path) -> Vec<String> {
    let mut text = String::new();
    open(path).unwrap().read_to_string(&mut text).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// What the one reader of transcripts sees in a file, in short.
fn seen(path: &Path) -> Vec<String> {
    let mut seen = Vec::new();
    for line in lines_of(path) {
        let line = line.as_bytes();
        if let Some(said) = assistant_line(line).unwrap() {
            seen.extend(
                said.texts.iter().map(|text| format!("model: {}", text.lines().next().unwrap_or_default())),
            );
        }
        if let Some(told) = hook_text(line).unwrap() {
            seen.push(format!("told at {}", told.call));
        }
        for event in line_events(line).unwrap().map(|line| line.what).unwrap_or_default() {
            seen.push(match event {
                LineEvent::Called(call) => {
                    let about = call.command.or(call.path).unwrap_or_default();
                    let change = [call.old, call.new].into_iter().flatten().map(|text| format!(" {text:?}"));
                    format!("{} {about}{}", call.tool, change.collect::<String>())
                }
                LineEvent::Ended { end, .. } => format!("  {end:?}"),
                other => format!("{other:?}"),
            });
        }
    }
    seen
}

#[test]
fn a_session_of_codex_is_read() {
    insta::assert_snapshot!(seen(&recorded("codex")).join("\n"), @r#"
    Typed("Please make the seed target work")
    model: I look at it.
    Bash echo out; ls
      Done
    Bash echo before; echo frobnicate: not found >&2; exit 3
      Failed { code: Some(3), text: "before\nfrobnicate: not found\n" }
    Edit /home/dev/shop/a.py "print(\"hello\")\n" "print(\"bye\")\n"
    Write /home/dev/shop/new.txt "x\n"
      Done
      Done
    model: #lesson
    "#);
    assert_eq!(
        session_of(&renamed("codex", "rollout-2026-11-26.jsonl").1).unwrap(),
        "01a21848-8fe7-77a2-9901-8c8ffd722769"
    );
}

#[test]
fn a_session_whose_first_line_is_long_is_read() {
    let text = fs::read_to_string(recorded("codex")).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let mut first: Value = serde_json::from_str(first).unwrap();
    first["payload"]["base_instructions"] = "a word ".repeat(20_000).into();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rollout-2026-11-26.jsonl");
    fs::write(&path, format!("{first}\n{rest}")).unwrap();
    assert_eq!(seen(&path), seen(&recorded("codex")));
    assert_eq!(session_of(&path).unwrap(), "01a21848-8fe7-77a2-9901-8c8ffd722769");
}

#[test]
fn sessions_of_copilot_are_read() {
    insta::assert_snapshot!(seen(&recorded("copilot")).join("\n"), @r#"
    Typed("Please make the seed target work")
    model: I look at it.
    Bash echo out; ls
      Done
    Bash echo before; echo frobnicate: not found >&2; exit 3
      Failed { code: Some(3), text: "before\nfrobnicate: not found\n\nCTX-POST" }
    Read /home/dev/shop/a.py
      Done
    "#);
    insta::assert_snapshot!(seen(&recorded("copilot-gpt")).join("\n"), @r#"
    Typed("Please make the seed target work")
    model: I look at it.
    Bash echo out; ls
      Done
    Edit /home/dev/shop/a.py "print(\"hello\")\n" "print(\"bye\")\n"
    Write /home/dev/shop/new.txt "x\n"
      Done
      Done
    Edit /home/dev/shop/a.py "print(\"absent\")\n" "print(\"bye\")\n"
      Failed { code: None, text: "Failed to apply patch: Error: Failed to find expected lines in /home/dev/shop/a.py:\nprint(\"absent\")" }
    "#);
    assert_eq!(
        session_of(&renamed("copilot", "events.jsonl").1).unwrap(),
        "830b4479-048a-474d-b44f-6eda668564d2"
    );
}

#[test]
fn a_session_of_gemini_is_read() {
    insta::assert_snapshot!(seen(&recorded("gemini")).join("\n"), @r#"
    Typed("Please make the seed target work")
    model: I look at it.
    Bash echo out; ls
      Done
    "#);
    let (dir, _) = renamed("gemini", "x.jsonl");
    let chats = dir.path().join("chats");
    fs::create_dir(&chats).unwrap();
    fs::write(dir.path().join(".project_root"), "/home/dev/shop\n").unwrap();
    let path = chats.join("session-1.jsonl");
    fs::copy(recorded("gemini"), &path).unwrap();
    assert!(lines_of(&path)[0].contains(r#""cwd":"/home/dev/shop""#), "the folder stands beside the chats");
}

#[test]
fn a_session_of_qwen_is_read() {
    insta::assert_snapshot!(seen(&recorded("qwen")).join("\n"), @r#"
    Typed("Please make the seed target work")
    model: I look at it.
    Bash echo out; ls
      Done
    Bash echo before; echo frobnicate: not found >&2; exit 3
      Failed { code: Some(3), text: "before\nfrobnicate: not found\nCTX-FAIL" }
    Read /home/dev/shop/a.py
      Done
    "#);
}

#[test]
fn a_session_of_pi_is_read_and_our_texts_in_it_are_no_results() {
    insta::assert_snapshot!(seen(&recorded("pi")).join("\n"), @r#"
    Typed("MAIN PROMPT please")
    Bash git stash; echo RAN-STASH
    told at call_mock_0001_0
      Done
    Edit /home/dev/shop/a.py "print(\"hello\")" "print(\"bye\")"
    told at call_mock_0002_0
      Done
    Bash npm publish --dry-run; echo RAN-PUBLISH-1
    told at call_mock_0003_0
      Refused
    Bash npm publish --dry-run; echo RAN-PUBLISH-1
      Masked("npm error code ENOENT\nnpm error syscall open\nnpm error path /home/dev/shop/package.json\nnpm error errno -2\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/home/dev/shop/package.json'\nnpm error enoent This is related to npm not being able to find a file.…")
    Bash deploytool destroy staging; echo RAN-DESTROY
    told at call_mock_0005_0
      Refused
    "#);
}

#[test]
fn sessions_of_opencode_are_read_from_its_database() {
    let dir = tempfile::tempdir().unwrap();
    let database = dir.path().join(DATABASE);
    let parts =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/clients/opencode-parts.json"));
    let parts: Vec<Value> = serde_json::from_slice(&parts.unwrap()).unwrap();
    let open = rusqlite::Connection::open(&database).unwrap();
    open.execute_batch(
        "CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, time_created INTEGER, time_updated INTEGER);
         CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT, time_created INTEGER, time_updated INTEGER);
         CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT, time_created INTEGER, time_updated INTEGER);
         INSERT INTO session VALUES ('ses_1', '/home/dev/shop', 1, 2);
         INSERT INTO message VALUES ('msg_1', 'ses_1', '{\"role\":\"user\"}', 1, 1);
         INSERT INTO message VALUES ('msg_2', 'ses_1', '{\"role\":\"assistant\",\"modelID\":\"m\"}', 2, 2);",
    )
    .unwrap();
    for (number, part) in parts.iter().enumerate() {
        let message = if number == 0 { "msg_1" } else { "msg_2" };
        open.execute(
            "INSERT INTO part VALUES (?1, ?2, 'ses_1', ?3, ?4, ?4)",
            params![format!("prt_{number:03}"), message, part.to_string(), 1_795_703_870_000_i64],
        )
        .unwrap();
    }
    let sessions = in_database(&database).unwrap();
    assert_eq!(sessions, [database.join("ses_1.jsonl")]);
    assert_eq!(session_of(&sessions[0]).as_deref(), Some("ses_1"));
    insta::assert_snapshot!(seen(&sessions[0]).join("\n"), @r#"
    Typed("\"Please make the seed target work\"")
    model: I look at it.
    Bash echo out; ls
      Done
    Bash echo before; echo frobnicate: not found >&2; exit 3
      Failed { code: Some(3), text: "before\nfrobnicate: not found\n\n\n<lesson>CTX-POST</lesson>" }
    Read /home/dev/shop/a.py
      Done
    Edit /home/dev/shop/a.py "print(\"hello\")" "print(\"bye\")"
      Done
    Edit /home/dev/shop/a.py "absent" "print(\"bye\")"
      Failed { code: None, text: "Could not find oldString in the file. It must match exactly, including whitespace, indentation, and line endings." }
    Write /home/dev/shop/new.txt "x\n"
      Done
    Bash echo DENYME > denied.txt
      Failed { code: None, text: "DENY-REASON" }
    model: #lesson
    "#);
    assert!(
        lines_of(&sessions[0])[0].contains(r#""timestamp":"2026-11-26T14:37:50Z""#),
        "{}",
        lines_of(&sessions[0])[0]
    );

    let before = version(&sessions[0]).unwrap();
    open.execute("UPDATE part SET time_updated = time_updated + 1 WHERE id = 'prt_003'", []).unwrap();
    assert_ne!(version(&sessions[0]).unwrap(), before, "a row that changes is a change");
    assert!(version(&database.join("ses_2.jsonl")).is_err());
}

#[test]
fn a_session_that_goes_on_gives_the_same_lines_and_more() {
    for client in ["codex", "copilot", "copilot-gpt", "gemini", "qwen", "pi"] {
        let whole = lines_of(&recorded(client));
        let (_dir, path) = renamed(client, "part.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        for (at, _) in text.match_indices('\n') {
            fs::write(&path, &text[..=at]).unwrap();
            let part = lines_of(&path);
            assert_eq!(part, whole[..part.len()], "{client}, {at} bytes");
            fs::write(&path, &text[..at]).unwrap();
            let cut = lines_of(&path);
            assert!(cut.len() <= part.len(), "half a line is none");
        }
    }
}

#[test]
fn the_client_of_a_session_is_known_by_its_form() {
    for client in [Client::Codex, Client::Copilot, Client::Gemini, Client::Qwen, Client::Pi] {
        assert_eq!(client_of(&recorded(client.name())).unwrap(), client);
    }
    let dir = tempfile::tempdir().unwrap();
    let of_claude_code = dir.path().join("s.jsonl");
    fs::write(&of_claude_code, "{\"type\":\"user\",\"sessionId\":\"s\"}\n").unwrap();
    assert_eq!(client_of(&of_claude_code).unwrap(), Client::ClaudeCode);
    assert_eq!(client_of(&dir.path().join(DATABASE).join("s.jsonl")).unwrap(), Client::Opencode);
}

#[test]
fn a_form_that_nothing_here_reads_is_named() {
    for (client, form) in [("droid", "session_start"), ("kimi", "metadata")] {
        let refused = open(&recorded(client)).unwrap_err();
        assert_eq!(refused.to_string(), format!("not a transcript that I can read (form {form})"));
    }
}

#[test]
fn what_claude_code_writes_is_given_as_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    for text in [
        r#"{"type":"user","message":{"role":"user","content":"x"}}"#,
        "no JSON\n",
        "",
        r#"{"type":"progress","uuid":"1","sessionId":"s"}"#,
    ] {
        fs::write(&path, text).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            lines_of(&path).join("\n") + if text.ends_with('\n') { "\n" } else { "" }
        );
        assert_eq!(session_of(&path), None);
    }
}

#[test]
fn a_call_that_we_refused_is_no_failure_and_one_that_a_person_refused_is_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let end = |text: &str, code: &str| {
        let start = json!({"type": "session.start", "data": {"sessionId": "s"}});
        let call = json!({"type": "tool.execution_start", "data": {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "ls"}}});
        let done = json!({"type": "tool.execution_complete", "data": {"toolCallId": "c", "success": false, "error": {"message": text, "code": code}}});
        fs::write(&path, format!("{start}\n{call}\n{done}\n")).unwrap();
        seen(&path).split_off(1)
    };
    let ours = "Denied: <recorded-lessons>\nno.\n[lesson user/a]\n</recorded-lessons>\nBlocked by this note.";
    assert_eq!(end(ours, "denied"), ["told at c", "  Refused"]);
    assert_eq!(end("The user said no.", "rejected"), ["  RefusedByUser(None)"]);
    for printed in [
        format!("grep: x: No such file\nlog:1:{ours}"),
        format!("{ours}\nlog:9: and more"),
        "log: <recorded-lessons>\nno.\n</recorded-lessons>\nNotes only.".to_owned(),
        "log: <recorded-lessons>\nno.\n</recorded-lessons>".to_owned(),
    ] {
        let seen = end(&printed, "failed");
        assert!(!seen.iter().any(|line| line.contains("Refused")), "{printed}: {seen:?}");
    }
}

#[test]
fn a_session_that_goes_on_is_the_one_that_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("tmp/p");
    fs::create_dir_all(project.join("chats")).unwrap();
    fs::write(project.join(".project_root"), "/srv/app\n").unwrap();
    let gemini = |id: &str| json!({"projectHash": "h", "sessionId": id});
    let codex = |id: &str| json!({"type": "session_meta", "payload": {"id": id, "cwd": "/srv/app"}});
    let user = json!({"type": "user", "id": "m", "content": "Go on."});
    let item = json!({"type": "UserMessage", "id": "m", "content": [{"type": "text", "text": "Go on."}]});
    let item = json!({"type": "event_msg", "payload": {"type": "item_completed", "item": item}});
    let path = project.join("chats/session-1.jsonl");
    for lines in [[gemini("s1"), gemini("s2"), user], [codex("s1"), codex("s2"), item]] {
        fs::write(&path, lines.map(|line| format!("{line}\n")).concat()).unwrap();
        let written = lines_of(&path);
        let [line] = written.as_slice() else { panic!("{written:?}") };
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&line["sessionId"], &line["cwd"]), (&json!("s1"), &json!("/srv/app")), "{line}");
    }
}

#[test]
fn what_is_no_session_of_its_client_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let starts = [
        json!({"type": "session_meta", "payload": 7}),
        json!({"type": "session.start", "data": []}),
        json!({"projectHash": {}, "sessionId": null}),
        json!({"type": "user", "provenance": 1, "sessionId": "s", "message": {"parts": "x"}}),
        json!({"type": "session", "version": 3, "cwd": 1}),
    ];
    let odd = [
        json!({"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": "FileChange", "changes": {"a\u{202e}b": 1}}}}),
        json!({"type": "tool.execution_start", "data": {"toolName": "apply_patch", "arguments": {"patchText": "*** Add File: \u{1b}x\n+a"}}}),
        json!({"type": "message", "message": {"role": "assistant", "content": [7, {"type": "toolCall", "id": 3}]}}),
        json!({"type": "gemini", "id": 1, "toolCalls": [{"id": 2, "status": "success", "result": "x"}]}),
        json!({"type": "tool_result", "message": {"parts": [{"functionResponse": []}]}}),
    ];
    for start in &starts {
        let text: Vec<String> = std::iter::once(start).chain(&odd).map(Value::to_string).collect();
        fs::write(&path, text.join("\n")).unwrap();
        for line in lines_of(&path) {
            assert!(serde_json::from_str::<Value>(&line).unwrap().is_object());
        }
    }
}

/// A recorded session under another name.
fn renamed(client: &str, name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::copy(recorded(client), &path).unwrap();
    (dir, path)
}
