//! `lessons mcp`, asked by a client that is written from the specification alone: JSON-RPC, one message a line.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

/// A client of one server.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts a server in a project and begins as the specification says.
    fn of(env: &TestEnv, variables: &[(&str, &str)]) -> Self {
        let mut command = env.command("lessons");
        command.arg("mcp").envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("a server");
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().expect("its output"));
        let mut client = Self { server, input, output, next: 0 };
        let begun = client.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "lessons", "{begun}");
        assert!(begun["result"]["capabilities"]["tools"].is_object(), "{begun}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the server's input");
        writeln!(input, "{line}").expect("a message");
    }

    /// The answer to a request.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("an answer"), 0, "the server has ended");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// The text of a tool that succeeds.
    #[track_caller]
    fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.call(tool, arguments);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The text of a tool that fails.
    #[track_caller]
    fn error(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Closes the input, after which the server ends.
    fn end(mut self) {
        drop(self.input.take());
        assert!(self.server.wait().expect("the server ends").success());
    }
}

fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    fs::create_dir(env.project().join(".git")).expect("a repository");
    for (rule, pattern) in [("Frob with --safe.", "frob push"), ("Pull before you frob.", "frob pull")] {
        env.must(&[
            "add",
            "--rule",
            rule,
            "--mistake",
            "Frob overwrites others.",
            "--trigger",
            &format!("cmd={pattern}"),
        ]);
    }
    env
}

fn told_by_hook(env: &TestEnv, session: &str, command: &str) -> String {
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    });
    String::from_utf8(env.hook(&call).stdout).expect("text")
}

fn events(env: &TestEnv) -> String {
    let files = fs::read_dir(env.data().join("events")).into_iter().flatten().flatten();
    files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect()
}

#[test]
fn it_lists_three_tools_and_answers_a_question_in_words() {
    let env = machine();
    let mut client = Client::of(&env, &[]);
    let tools = client.ask("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools").clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["lessons_query", "lessons_explain", "lessons_note"]);
    assert!(tools.iter().all(|tool| tool["inputSchema"]["additionalProperties"] == false), "{tools:?}");
    let text = client.text("lessons_query", &json!({ "query": "frob push safe" }));
    assert!(text.contains("<recorded-lessons>") && text.contains("Frob with --safe."), "{text}");
    let one = client.text("lessons_query", &json!({ "query": "frob", "limit": 1 }));
    assert_eq!(one.matches("[user/").count(), 1, "{one}");
    let few = client.text("lessons_query", &json!({ "query": "frob", "max_tokens": 1 }));
    assert_eq!(few.matches("[user/").count(), 1, "the first one is always shown: {few}");
    assert!(client.text("lessons_query", &json!({ "query": "nothing of this" })).contains("(no matches)"));
    client.end();
}

#[test]
fn it_is_asked_about_the_work_ahead_as_the_command_is() {
    let env = machine();
    env.must(&["add", "--rule", "Two spaces.", "--trigger", "glob=src/gen/**"]);
    env.must(&["add", "--rule", "Announce a release.", "--trigger", "keyword=release"]);
    let mut client = Client::of(&env, &[]);
    for (asked, rule) in [
        (json!({ "command": "frob push" }), "Frob with --safe."),
        (json!({ "file": "src/gen/a.rs" }), "Two spaces."),
        (json!({ "keyword": "a release" }), "Announce a release."),
    ] {
        let text = client.text("lessons_query", &asked);
        assert!(text.contains(rule), "{asked}: {text}");
    }
    let both = client.error("lessons_query", &json!({ "query": "frob", "command": "frob push" }));
    assert!(both.contains("`query` alone"), "{both}");
    client.end();
}

#[test]
fn what_it_told_counts_as_told_in_a_session_that_is_known_and_in_the_events() {
    let env = machine();
    let mut client = Client::of(&env, &[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "known")]);
    client.text("lessons_query", &json!({ "query": "frob push safe" }));
    client.end();
    assert_eq!(told_by_hook(&env, "known", "frob push"), "", "it was told before");
    assert!(told_by_hook(&env, "other", "frob push").contains("Frob with --safe."));
    let mut client = Client::of(&env, &[]);
    client.text("lessons_query", &json!({ "query": "frob pull" }));
    client.end();
    let events = events(&env);
    let told: Vec<&str> = events.lines().filter(|line| line.contains(r#""agent":"mcp""#)).collect();
    assert_eq!(told.len(), 2, "{events}");
    assert!(told[0].contains(r#""session":""#) && !told[1].contains("session"), "{told:?}");
    assert!(told.iter().all(|line| line.contains(r#""outcome":"told""#)), "{told:?}");
}

#[test]
fn a_lesson_that_it_shows_counts_as_told_and_one_that_it_only_names_does_not() {
    let env = machine();
    let mut client = Client::of(&env, &[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "known")]);
    let explained = client.text("lessons_explain", &json!({ "command": "frob push" }));
    assert!(!explained.contains("Frob with --safe."), "{explained}");
    assert!(
        client.text("lessons_explain", &json!({ "id": "pull-before" })).contains("Pull before you frob.")
    );
    client.end();
    assert_eq!(told_by_hook(&env, "known", "frob pull"), "", "it was shown before");
    assert!(told_by_hook(&env, "known", "frob push").contains("Frob with --safe."), "it was only named");
    let events = events(&env);
    let told: Vec<&str> = events.lines().filter(|line| line.contains(r#""agent":"mcp""#)).collect();
    assert!(told.len() == 1 && told[0].contains("pull"), "{events}");
}

#[test]
fn it_explains_a_call_a_lesson_and_why_a_lesson_keeps_quiet() {
    let env = machine();
    let mut client = Client::of(&env, &[]);
    let call = client.text("lessons_explain", &json!({ "command": "frob push" }));
    assert!(call.contains("frob-with-safe: the model is told"), "{call}");
    let listed = env.lessons_json(&["query", "frob pull", "--ids"]);
    let id = listed["lessons"][0]["id"].as_str().expect("an id").to_owned();
    let shown = client.text("lessons_explain", &json!({ "id": id }));
    assert!(shown.contains("Pull before you frob."), "{shown}");
    let quiet = client.text("lessons_explain", &json!({ "id": id, "command": "frob push" }));
    assert!(quiet.contains("none of its triggers matches"), "{quiet}");
    let file =
        client.text("lessons_explain", &json!({ "file": env.project().join("src/a.ts"), "content": "x" }));
    for text in [call, shown, quiet, file] {
        assert!(!text.contains(env.home().to_str().expect("a path")), "{text}");
        assert!(!text.contains(env.project().to_str().expect("a path")), "{text}");
    }
    client.end();
}

#[test]
fn a_note_is_a_candidate_with_the_warnings_of_add_and_decides_nothing() {
    let env = machine();
    let mut client = Client::of(&env, &[]);
    let token = ["gh", "p_", &"c".repeat(36)].concat();
    let note = json!({
        "mistake": format!("frob wipe with {token} deletes what others keep"), "fix": "use frob wipe --dry-run first",
        "trigger": "frob wipe", "tags": ["tool:frob"],
    });
    let text = client.text("lessons_note", &note);
    assert!(
        text.contains("waits for a person") && text.contains("flagged: ") && text.contains("unchecked"),
        "{text}"
    );
    assert!(text.contains("does not say why it is worth keeping"), "{text}");
    assert!(!text.contains(&token));
    let again = client.text("lessons_note", &note);
    assert!(again.contains("was there already"), "{again}");
    let short =
        client.text("lessons_note", &json!({ "mistake": "it went wrong here", "fix": "Frob with --safe." }));
    assert!(short.contains("it could not be a lesson") || short.contains("warning: "), "{short}");
    client.end();
    let waiting = env.lessons_json(&["candidates"]);
    let wipe =
        waiting.as_array().expect("a list").iter().find(|it| it["fix"] == "use frob wipe --dry-run first");
    let id = wipe.expect("the note")["id"].as_str().expect("an id").to_owned();
    assert!(
        !fs::read(env.data().join("lessons.db"))
            .expect("a database")
            .windows(20)
            .any(|part| part == &token.as_bytes()[..20])
    );
    let shown = env.must(&["show", &id]);
    assert!(shown.contains("found by note") && shown.contains("lessons mcp"), "{shown}");
    assert_eq!(told_by_hook(&env, "s", "frob wipe"), "", "nothing is in force");
    let refused = env.lessons(&["promote", &id]);
    assert!(said(&refused).contains("--accept"), "{}", said(&refused));
    env.must(&["promote", &id, "--accept", "unchecked", "--accept", "had-secret", "--reason", "I know it"]);
    assert!(told_by_hook(&env, "s", "frob wipe").contains("--dry-run first"));
}

#[test]
fn notes_end_after_twenty_in_a_day() {
    let env = machine();
    let mut client = Client::of(&env, &[]);
    for number in 0..20 {
        client.text("lessons_note", &json!({ "mistake": format!("frob {number} goes wrong"), "fix": format!("use frob {number} --safe") }));
    }
    let refused =
        client.error("lessons_note", &json!({ "mistake": "frob x goes wrong", "fix": "use frob x --safe" }));
    assert!(refused.contains("20 notes were filed"), "{refused}");
    client.end();
}

#[test]
fn what_is_no_message_or_no_call_is_refused_and_the_next_is_answered() {
    let env = machine();
    let mut client = Client::of(&env, &[]);
    for wrong in [
        json!({}),
        json!({ "query": 7 }),
        json!({ "query": " " }),
        json!({ "query": "x".repeat(3_000) }),
        json!({ "query": "x", "path": "/etc/passwd" }),
        json!({ "query": "x", "limit": -1 }),
    ] {
        let text = client.error("lessons_query", &wrong);
        assert!(!text.is_empty() && text.len() < 500, "{wrong}: {text}");
    }
    for (number, most) in [("limit", 50), ("max_tokens", 16_000)] {
        let above = client.error("lessons_query", &json!({ "query": "x", number: most + 1 }));
        assert!(above.contains(&format!("`{number}` has to be from 1 to {most}")), "{above}");
    }
    assert!(client.error("lessons_explain", &json!({})).contains("which call"));
    assert!(client.error("lessons_explain", &json!({ "id": "no-such-lesson" })).contains("no lesson"));
    assert!(
        client.error("lessons_note", &json!({ "mistake": "x", "fix": "y".repeat(3_000) })).contains("`fix`")
    );
    assert!(
        client.error("lessons_note", &json!({ "mistake": "\u{202e}", "fix": "y" })).contains("`mistake`")
    );
    assert!(client.call("lessons_forget", &json!({}))["error"].is_object(), "there is no such tool");
    assert!(client.ask("no/such/method", &json!({}))["error"].is_object());
    client.send("no JSON");
    client.send(&"[".repeat(10_000));
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":77,"method":"{}"}}"#, "x".repeat(3 << 20)));
    let text = client.text("lessons_query", &json!({ "query": "frob push safe" }));
    assert!(text.contains("Frob with --safe."), "{text}");
    client.end();
}

#[test]
fn every_question_is_answered_that_came_before_the_end_of_input() {
    let env = machine();
    let mut client = Client::of(&env, &[]);
    let asked = 400;
    for id in 1000..1000 + asked {
        let call =
            json!({ "name": "lessons_explain", "arguments": { "command": format!("frob push {id}") } });
        client
            .send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }).to_string());
        // One that is taken back needs no answer, and keeps nobody waiting.
        if id % 100 == 0 {
            let taken_back = json!({ "requestId": id, "reason": "later" });
            let told = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": taken_back });
            client.send(&told.to_string());
        }
    }
    drop(client.input.take());
    let answered = client.output.by_ref().lines().map_while(Result::ok);
    let ids: std::collections::BTreeSet<i64> =
        answered.filter_map(|line| serde_json::from_str::<Value>(&line).ok()?["id"].as_i64()).collect();
    assert!((1001..1000 + asked).filter(|id| id % 100 != 0).all(|id| ids.contains(&id)), "{}", ids.len());
    assert!(client.server.wait().expect("its end").success());
}
