//! The hook, `lessons replay` and `lessons explain` say the same of every call of a history.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use lessons_tests::env::{TestEnv, as_the_client_writes};
use serde_json::{Value, json};

/// How many sessions the history has.
const SESSIONS: usize = 500;
/// How many calls each has. The hook is started for every one of them, which takes a few milliseconds where it is
/// built for tests; so this keeps the test below a minute.
const CALLS: usize = 6;
/// One call in so many is explained too: a process of the command line costs more than one of the hook.
const EXPLAINED: usize = 30;

/// Numbers that are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    pub(crate) fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.roll(of.len())]
    }
}

/// A call of a history, with the session and the place where it is made.
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) session: String,
    pub(crate) start: String,
    pub(crate) cwd: String,
    pub(crate) agent: Option<&'static str>,
    pub(crate) tool: String,
    pub(crate) input: Value,
}

const LESSONS: [(&str, &str); 13] = [
    (
        "push-first",
        r#"{"triggers": [["command_pattern", "\\bfrob\\s+push\\b"]], "unless": [["command_pattern", "--safe\\b"]], "priority": 9}"#,
    ),
    ("push-second", r#"{"triggers": [["command_pattern", "frob push"]], "priority": 8}"#),
    ("push-third", r#"{"triggers": [["keyword", "frob push"]], "priority": 3}"#),
    ("typed", r#"{"triggers": [["command_pattern", "^frob\\b"]], "subject": "command", "tools": ["Bash"]}"#),
    ("run", r#"{"triggers": [["command_pattern", "^frob\\s+pull"]], "subject": "executable"}"#),
    (
        "bumped",
        r#"{"triggers": [["command_pattern", "\\bfrob\\s+drop\\b"]], "mode": "bump", "examples": "frob drop x"}"#,
    ),
    (
        "blocked",
        r#"{"triggers": [["command_pattern", "\\bfrob\\s+wipe\\b"]], "mode": "block", "examples": "frob wipe x"}"#,
    ),
    ("both", r#"{"triggers": [["tool", "Bash"]], "also": [["command_pattern", "\\|\\s*sh\\b"]]}"#),
    ("sql", r#"{"triggers": [["file_glob", "src/**/*.sql"], ["path_pattern", "legacy/"]]}"#),
    ("any", r#"{"triggers": [["content_pattern", ":\\s*any\\b"]], "tools": ["Edit", "Write"]}"#),
    ("scoped", r#"{"triggers": [["keyword", "plan"]], "scope": "one"}"#),
    ("explorer", r#"{"triggers": [["tool", "Read"]], "agents": ["Explore"]}"#),
    ("helper", r#"{"triggers": [["tool", "Task"]]}"#),
];

/// Two projects, lessons of every kind, and room for two of them at a call.
fn machine() -> (TestEnv, [String; 2]) {
    let env = TestEnv::new().without_seeds();
    let config = env.data().join("config.toml");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str("budget.lessons = 2\nbudget.bytes = 1500\n");
    std::fs::write(&config, text).unwrap();
    let projects = ["one", "two"].map(|name| {
        let folder = env.project().join(name);
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        folder.canonicalize().unwrap().to_str().unwrap().to_owned()
    });
    for (id, wanted) in LESSONS {
        add(&env, id, &serde_json::from_str(wanted).unwrap(), Path::new(&projects[0]));
    }
    (env, projects)
}

fn add(env: &TestEnv, id: &str, wanted: &Value, one: &Path) {
    let triggers = |name: &str| -> Vec<Value> {
        let pair = |pair: &Value| json!({"kind": pair[0], "pattern": pair[1]});
        wanted[name].as_array().into_iter().flatten().map(pair).collect()
    };
    let mut lesson = json!({
        "id": id, "rule": format!("Mind {id}: do it the other way, as the plan of this project says."),
        "mistake": format!("{id} was done without a look"), "triggers": triggers("triggers"),
        "also": triggers("also"), "unless": triggers("unless"),
    });
    for name in ["mode", "priority", "subject", "tools"] {
        if !wanted[name].is_null() {
            lesson[name] = wanted[name].clone();
        }
    }
    if let Some(command) = wanted["examples"].as_str() {
        lesson["examples"] = json!({"fires": [{"tool": "Bash", "command": command}]});
    }
    if let Some(agents) = wanted["agents"].as_array() {
        lesson["scope"] = json!({"agents": agents});
    }
    let mut arguments = vec!["add", "--json-input", "-"];
    if wanted["mode"] == "block" {
        arguments.extend(["--force-block", "there is no past yet"]);
    }
    let scope = one.to_str().unwrap();
    if wanted["scope"] == "one" {
        arguments.extend(["--scope-project", scope]);
    }
    let added = env.lessons_given(&arguments, lesson.to_string().as_bytes());
    assert!(added.status.success(), "{id}: {}", lessons_tests::env::said(&added));
}

fn command(dice: &mut Dice) -> String {
    let verb = dice.one(&["push", "pull", "drop", "wipe", "plan"]);
    let option = dice.one(&["", " --safe", " -n 3", " --safely", " 'a b'", " \"$HOME\""]);
    let plain = format!("frob {verb}{option}");
    match dice.roll(10) {
        0 => format!("echo '{plain}'"),
        1 => format!("cd /tmp && {plain}"),
        2 => format!("bash -c '{}'", plain.replace('\'', "")),
        3 => format!("echo {plain} | sh"),
        4 => format!("cat <<EOF\n{plain}\nEOF"),
        5 => format!("sudo  {plain} # frob push"),
        6 => "lessons list".to_owned(),
        7 => "lessons promote 3f2a && frob push".to_owned(),
        _ => plain,
    }
}

pub(crate) fn input(dice: &mut Dice, project: &str) -> (String, Value) {
    let file =
        dice.one(&["src/a.sql", "src/deep/b.sql", "a.sql", "src/plan.ts", "legacy/x.rs", "../two/src/c.sql"]);
    let file = if dice.roll(2) == 0 { format!("{project}/{file}") } else { file.to_owned() };
    let content = dice.one(&["let a: any = 1;", "let a: string;", "any", "x:any"]);
    match dice.roll(9) {
        0 => ("Read".into(), json!({"file_path": file})),
        1 => ("Edit".into(), json!({"file_path": file, "old_string": "a", "new_string": content})),
        2 => ("Write".into(), json!({"content": content, "file_path": file})),
        3 => (
            "MultiEdit".into(),
            json!({"file_path": file, "edits": [{"new_string": content}, {"new_string": "b"}]}),
        ),
        4 => ("Task".into(), json!({"prompt": "frob push", "subagent_type": "Explore"})),
        5 => ("mcp__db__run".into(), json!({"command": "frob push", "path": file})),
        _ => ("Bash".into(), json!({"command": command(dice), "description": "a step"})),
    }
}

/// The history: sessions of both projects, which are left for another folder now and then, with sub-agents.
fn history(env: &TestEnv, projects: &[String; 2]) -> Vec<Made> {
    let mut dice = Dice(5);
    let mut made = Vec::new();
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for number in 0..SESSIONS * CALLS {
        let session = format!("s-{:03}", number % SESSIONS);
        let start = projects[number % SESSIONS % 3 % 2].clone();
        let agent = (dice.roll(4) == 0).then_some("Explore");
        let (tool, input) = input(&mut dice, &start);
        let file = match agent {
            Some(_) => format!("p/{session}/subagents/agent-a.jsonl"),
            None => format!("p/{session}.jsonl"),
        };
        // The first line says where the session was started, later ones may be elsewhere.
        let main = files.entry(format!("p/{session}.jsonl")).or_insert_with(|| {
            vec![json!({"type": "user", "cwd": start, "message": {"role": "user", "content": "go"}})]
        });
        let cwd = if main.len() > 2 && dice.roll(3) == 0 { "/tmp".to_owned() } else { start.clone() };
        let id = format!("toolu_{number}");
        let mut line = json!({
            "type": "assistant", "uuid": format!("u-{number}"), "sessionId": session, "cwd": cwd,
            "timestamp": "2026-11-20T10:00:00.000Z",
            "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]},
        });
        if let Some(agent) = agent {
            line["isSidechain"] = true.into();
            line["agentId"] = "a1".into();
            line["attributionAgent"] = agent.into();
        }
        files.entry(file).or_default().push(line);
        made.push(Made { id, session, start, cwd, agent, tool, input });
    }
    for (file, lines) in files {
        env.write_transcript(&file, &lines);
    }
    made
}

impl Made {
    /// What the client gives to the hook, in a session that begins with this call.
    pub(crate) fn payload(&self) -> Value {
        let mut payload = json!({
            "session_id": format!("fresh-{}-{}", self.session, self.id), "cwd": self.cwd,
            "hook_event_name": "PreToolUse", "tool_name": self.tool, "tool_input": self.input,
            "tool_use_id": self.id,
        });
        if let Some(agent) = self.agent {
            payload["agent_id"] = "a1".into();
            payload["agent_type"] = agent.into();
        }
        payload
    }

    pub(crate) fn run(&self, env: &TestEnv, program: &str, arguments: &[&str]) -> Output {
        let mut command = env.command(program);
        command.args(arguments).env("CLAUDE_PROJECT_DIR", &self.start);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(&as_the_client_writes(&self.payload())).unwrap();
        child.wait_with_output().unwrap()
    }
}

/// What the hook said, as `explain` calls it.
pub(crate) fn decision(output: &Output) -> (String, Option<String>) {
    assert!(output.status.success());
    if output.stdout.is_empty() {
        return ("silent".to_owned(), None);
    }
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = &said["hookSpecificOutput"];
    let text = |name: &str| said[name].as_str().map(str::to_owned);
    match said["permissionDecision"].as_str() {
        Some("deny") => ("deny".to_owned(), text("permissionDecisionReason")),
        Some(other) => (other.to_owned(), text("permissionDecisionReason")),
        None => ("advise".to_owned(), text("additionalContext")),
    }
}

/// The calls at which the hook told each lesson or refused with it, as it has written it down.
fn events(env: &TestEnv) -> BTreeMap<String, BTreeSet<(String, String)>> {
    let mut events: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for file in std::fs::read_dir(env.data().join("events")).unwrap() {
        for line in std::fs::read_to_string(file.unwrap().path()).unwrap().lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            for lesson in event["lessons"].as_array().into_iter().flatten() {
                let lesson = lesson.as_str().unwrap().to_owned();
                events.entry(lesson).or_default().insert((text("call"), text("outcome")));
            }
        }
    }
    events
}

#[test]
fn replay_and_explain_agree_with_the_hook_on_every_call_of_a_history() {
    let (env, projects) = machine();
    let made = history(&env, &projects);
    let mut decisions: BTreeMap<String, usize> = BTreeMap::new();
    for (number, call) in made.iter().enumerate() {
        let hook = decision(&call.run(&env, "lessons-pre-tool-use", &[]));
        *decisions.entry(hook.0.clone()).or_default() += 1;
        if number % EXPLAINED == 0 {
            // Its own claims would silence it: a session that is as fresh.
            let explained = explain(&env, call, &["--session", &call.session, "--tool-use", &call.id]);
            let decision = match explained["decision"].as_str().unwrap() {
                "refuse" => "deny",
                other => other,
            };
            let text = explained["text"].as_str().map(str::to_owned);
            assert_eq!((decision.to_owned(), text), hook, "{}: {explained:#}", call.payload());
        }
    }
    for decision in ["silent", "advise", "deny"] {
        assert!(decisions.get(decision).is_some_and(|calls| *calls > 10), "{decisions:?}");
    }
    let events = events(&env);
    assert_eq!(events.len(), LESSONS.len(), "each lesson was told somewhere: {:?}", events.keys());
    let none = BTreeSet::new();
    for (id, _) in LESSONS {
        let replay = env.lessons_json(&["replay", id]);
        let hit = |hit: &Value| {
            let text = |name: &str| hit[name].as_str().unwrap().to_owned();
            (text("toolUse"), text("fate"))
        };
        let replayed: BTreeSet<_> = replay["calls"].as_array().unwrap().iter().map(hit).collect();
        assert_eq!(&replayed, events.get(&format!("user/{id}")).unwrap_or(&none), "{id}");
        assert_eq!(replay["lookedAt"]["calls"], made.len());
    }
}

/// What `explain` says of a call: of its payload, or of what the arguments name, which is as if its session had just
/// begun.
pub(crate) fn explain(env: &TestEnv, call: &Made, arguments: &[&str]) -> Value {
    let output = call.run(env, "lessons", &[&["explain", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", lessons_tests::env::said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}
