//! The calls at which answers are recorded.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};

/// The root of every call that names no other. It is on no machine.
const ROOT: &str = "/p";

/// What a command stands in, `{}` being the command.
const AROUND: [&str; 48] = [
    "{}",
    "sudo {}",
    "sudo -u root {}",
    "env A=1 {}",
    "env -i {}",
    "A=1 {}",
    "timeout 5 {}",
    "timeout -k 1 5s {}",
    "nice -n 5 {}",
    "nohup {} &",
    "time {}",
    "command {}",
    "exec {}",
    "xargs {}",
    "ls | xargs -n 1 {}",
    "bash -c '{}'",
    "sh -c \"{}\"",
    "sudo env A=1 bash -lc '{}'",
    "bash -c 'sh -c \"{}\"'",
    "eval '{}'",
    "eval {}",
    "echo '{}'",
    "echo \"{}\"",
    "echo {}",
    "echo {} | sh",
    "git commit -m \"{}\"",
    "cat <<EOF\n{}\nEOF",
    "cat <<'EOF' > run.sh\n{}\nEOF",
    "bash <<EOF\n{}\nEOF",
    "bash <<-'EOF'\n\t{}\n\tEOF",
    "cat <<'EOF' | sh\n{}\nEOF",
    "cd /tmp && {}",
    "true || {}",
    "false; {}",
    "({})",
    "{ {}; }",
    "if true; then {}; fi",
    "for i in 1 2; do {}; done",
    "while {}; do sleep 1; done",
    "f() { {}; }; f",
    "echo $({})",
    "echo `{}`",
    "diff <({}) x",
    "! {}",
    "\\{}",
    "# {}",
    "{} > out.txt 2>&1",
    "ls # a comment\n{} | tail -3",
];

/// What stands in [`AROUND`]: more advice than there is room for, a refusal until it is repeated, a refusal, two at
/// once, advice for what is typed and for what would run, and nothing.
const WRAPPED: [&str; 6] =
    ["frob push", "frob drop x", "frob wipe x", "frob drop --all", "frob start", "ls -la"];

/// Keywords of cases that no store takes: they say nothing.
const REFUSED: [&str; 2] = ["the", "a"];

/// What makes a glob one that no store takes any more: an extended glob that braces cannot say, or a range.
const REFUSED_IN_GLOBS: [&str; 4] = ["!(", "+(", "*(", ".."];

/// A tool call, as `handmade.jsonl` has it: `tool` and `input`, and where they matter `session` and `cwd` (null:
/// there is none), `root`, `agent`, `agent_id` and `env`.
pub(super) struct Call {
    fields: Map<String, Value>,
}

impl Call {
    pub(super) fn new(tool: &str, input: Value) -> Self {
        let fields = [("tool", Value::from(tool)), ("input", input)];
        Self { fields: fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect() }
    }

    pub(super) fn bash(command: &str) -> Self {
        Self::new("Bash", json!({"command": command, "description": "a step"}))
    }

    /// The call that an example of a lesson describes.
    pub(super) fn of_sample(sample: &Value) -> Self {
        let tool = sample["tool"].as_str().unwrap();
        if let Some(command) = sample["command"].as_str() {
            return Self::bash(command);
        }
        let file = sample["file"].as_str().unwrap_or_default();
        let file = if file.starts_with('/') { file.to_owned() } else { format!("{ROOT}/{file}") };
        let content = &sample["content"];
        Self::new(
            tool,
            match tool {
                "Edit" => json!({"file_path": file, "old_string": "as it was", "new_string": content}),
                "MultiEdit" => {
                    json!({"file_path": file, "edits": [{"old_string": "as it was", "new_string": content}]})
                }
                "NotebookEdit" => json!({"notebook_path": file, "new_source": content}),
                "Write" => json!({"file_path": file, "content": content}),
                _ => json!({"file_path": file}),
            },
        )
    }

    /// What the client would give to the hook. A call that names no session is the first of its own.
    pub(super) fn payload(&self, record: &str, number: usize) -> Value {
        let mut payload = json!({
            "hook_event_name": "PreToolUse", "permission_mode": "default",
            "transcript_path": "/nonexistent/t.jsonl", "tool_name": self.fields["tool"],
            "tool_input": self.fields["input"], "tool_use_id": format!("toolu_{number}"),
        });
        let fresh = Value::from(format!("{record}-{number}"));
        for (field, name, otherwise) in [("session", "session_id", fresh), ("cwd", "cwd", ROOT.into())] {
            match self.fields.get(field) {
                Some(Value::Null) => {}
                Some(value) => payload[name] = value.clone(),
                None => payload[name] = otherwise,
            }
        }
        if let Some(agent) = self.fields.get("agent") {
            payload["agent_type"] = agent.clone();
            payload["agent_id"] = self.fields.get("agent_id").cloned().unwrap_or_else(|| "a1".into());
        }
        payload
    }

    /// The folder in which the client was started.
    pub(super) fn root(&self) -> Value {
        self.fields.get("root").cloned().unwrap_or_else(|| ROOT.into())
    }

    /// The variables that the client was started with besides.
    pub(super) fn environment(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.fields.get("env").and_then(Value::as_object).into_iter().flatten()
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sorted: BTreeMap<_, _> = self.fields.iter().collect();
        write!(f, "{}", json!(sorted))
    }
}

/// A line each, a call as [`Call`] has it; `{p}` is the root.
pub(super) fn as_written(lines: &str) -> Vec<Call> {
    let call = |line: &str| Call { fields: serde_json::from_str(&line.replace("{p}", ROOT)).unwrap() };
    lines.lines().map(call).collect()
}

/// A line each, a call as an example of a lesson has it.
pub(super) fn samples(lines: &str) -> Vec<Call> {
    lines.lines().map(|line| Call::of_sample(&serde_json::from_str(line).unwrap())).collect()
}

/// The calls of all examples, those on which a lesson fires and those on which it keeps quiet.
pub(super) fn examples(graph: &Value) -> Vec<Call> {
    let lessons = graph["lessons"].as_object().unwrap().values();
    let samples = lessons.flat_map(|lesson| {
        ["fires", "quiet"].map(|name| lesson["examples"][name].as_array().into_iter().flatten())
    });
    samples.flatten().map(Call::of_sample).collect()
}

/// Commands in everything that a command can stand in, and texts that are too long for a file of material.
pub(super) fn wrapped() -> Vec<Call> {
    let around = |inner: &'static str| AROUND.iter().map(move |around| around.replacen("{}", inner, 1));
    let mut commands: Vec<String> = WRAPPED.iter().flat_map(|inner| around(inner)).collect();
    for command in ["frob push", "frob drop x", "frob wipe x"] {
        commands.extend([
            format!("cat <<'EOF' > notes.md\n{}EOF\n{command}", "One line of many.\n".repeat(600)),
            format!("cat <<'EOF' > notes.md\n{}{command}\nEOF", "One line of many.\n".repeat(600)),
            format!("{}{command}", "echo a; ".repeat(2000)),
            format!("{}'{command}'", "echo 'größer' && ".repeat(500)),
            format!("{}{command}{}", "(".repeat(300), ")".repeat(300)),
            format!("{command} {}", "a".repeat(70_000)),
            format!("{}{command}{}", "bash -c '".repeat(6), "'".repeat(6)),
        ]);
    }
    let mut calls: Vec<Call> = commands.iter().map(|command| Call::bash(command)).collect();
    for content in ["let a: any = 1;", "DELETE FROM users;", "console.log(1)", "🚀"] {
        let long =
            format!("{}{content}\n{}", "const text = 'größer';\n".repeat(2000), "// end\n".repeat(2000));
        for file in ["/p/src/a.ts", "/p/q/a.sql"] {
            calls.push(Call::new("Write", json!({"file_path": file, "content": long})));
        }
    }
    calls
}

/// Whether a trigger is an extended glob: one with `!` in front, or with `!(`, `+(`, `@(`, `?(` or `*(`.
pub(super) fn is_extended_glob(trigger: &Value) -> bool {
    let pattern = trigger["pattern"].as_str().unwrap_or_default();
    trigger["kind"] == "file_glob"
        && (pattern.starts_with('!')
            || ["!(", "+(", "@(", "?(", "*("].iter().any(|mark| pattern.contains(mark)))
}

/// Whether no store takes a trigger.
fn is_refused(trigger: &Value) -> bool {
    let pattern = trigger["pattern"].as_str().unwrap_or_default();
    let is_refused_glob =
        pattern.starts_with('!') || REFUSED_IN_GLOBS.iter().any(|mark| pattern.contains(mark));
    REFUSED.contains(&pattern) || (trigger["kind"] == "file_glob" && is_refused_glob)
}

/// Lessons and calls that belong together.
pub(super) struct Cases {
    pub(super) graph: Value,
    pub(super) calls: Vec<Call>,
}

/// Behaviour cases about matching: the lessons of those with a pattern that `wanted` takes, and each case's
/// question as a call.
pub(super) fn cases(wanted: impl Fn(&Value) -> bool) -> Cases {
    let text = include_str!("../../../fixtures/graph.json");
    let all: Vec<Value> = serde_json::from_str(text).unwrap();
    let (mut lessons, mut triggers, mut calls) = (Map::new(), Map::new(), Vec::new());
    for case in all {
        let area = case["area"].as_str().unwrap();
        let argv: Vec<&str> =
            case["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let trigger = &case["graph"]["triggers"]["t1"];
        let is_about_matching = ["glob", "regex", "keyword", "path-normalise"].contains(&area);
        let Some(question) = question(&argv).filter(|_| is_about_matching && wanted(trigger)) else {
            continue;
        };
        calls.push(question);
        // Cases share patterns, a store has each once.
        if is_refused(trigger) || triggers.values().any(|known| known == trigger) {
            continue;
        }
        let id = case["id"].as_str().unwrap();
        lessons.insert(
            id.to_owned(),
            json!({
                "rule": format!("Mind the case {id}."), "topics": ["t"], "triggers": [id], "evidence": [],
                "status": "active", "createdAt": "2026-01-01",
            }),
        );
        triggers.insert(id.to_owned(), trigger.clone());
    }
    let graph = json!({
        "version": 1, "lessons": lessons, "triggers": triggers, "topics": {"t": {"summary": "Cases"}},
    });
    Cases { graph, calls }
}

/// The call that a question for lessons is about.
fn question(argv: &[&str]) -> Option<Call> {
    let of = |name: &str| argv.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
    if let Some(command) = of("--cmd").or(of("--keyword")) {
        return Some(Call::bash(command));
    }
    let file = of("--file")?.replace("/ABS", ROOT);
    Some(Call::new(
        "Edit",
        json!({"file_path": if file.starts_with('/') { file } else { format!("{ROOT}/{file}") }}),
    ))
}
