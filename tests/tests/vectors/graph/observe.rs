//! Runs the command of a case.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;

use lessons_home::files::ensure_folder;
use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use super::log;
use super::words::{Ours, ours};
use crate::cases::Input;

/// What came of it.
#[derive(Debug)]
pub(super) struct Observed {
    pub(super) exit: i64,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// What stands on standard output, where it is JSON.
    pub(super) json: Value,
    /// The store before and after.
    pub(super) before: Value,
    pub(super) after: Value,
}

/// Puts a case in.
pub(super) fn observe(input: &Input) -> Observed {
    let env = machine(input);
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(|word| placed(word.as_str().unwrap(), &env)).collect()
    };
    let before = store(&env);
    for step in input.get("pre").as_array().into_iter().flatten() {
        if step.is_array() {
            let done = run(&env, &strings(step)[1..], input);
            assert!(done.status.success(), "{}: {}", input.id, said(&done));
        } else {
            ensure_folder(&env.data().join("log")).unwrap();
            fs::write(env.data().join("log/telemetry.jsonl"), log::ours(step["text"].as_str().unwrap()))
                .unwrap();
        }
    }
    let output = run(&env, &strings(input.get("argv"))[1..], input);
    Observed {
        exit: output.status.code().map_or(-1, i64::from),
        json: serde_json::from_slice(&output.stdout).unwrap_or_default(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        before,
        after: store(&env),
    }
}

fn run(env: &TestEnv, theirs: &[String], input: &Input) -> Output {
    match ours(theirs, input.get("files_in_tree").is_array()) {
        Ours::Lessons(words) => env.lessons(&words),
        Ours::Hook => {
            let built = env.lessons(&["build"]);
            assert!(matches!(built.status.code(), Some(0 | 1)), "{}: {}", input.id, said(&built));
            env.session_start(&json!({"session_id": "before", "source": "startup"}));
            env.hook_given(&as_the_client_says(input.get("stdin").as_str().unwrap(), env))
        }
    }
}

/// `/ABS` is where the project lies.
fn placed(text: &str, env: &TestEnv) -> String {
    text.replace("/ABS", &env.project().display().to_string())
}

/// A payload with what the client always says: the tool, and where it works.
fn as_the_client_says(stdin: &str, env: &TestEnv) -> Vec<u8> {
    let mut payload: Value = serde_json::from_str(stdin).unwrap();
    let tool = if payload["tool_input"]["command"].is_string() { "Bash" } else { "Edit" };
    if let Some(fields) = payload.as_object_mut() {
        fields.entry("tool_name").or_insert_with(|| tool.into());
        fields.insert("cwd".into(), env.project().to_string_lossy().into());
    }
    payload.to_string().into_bytes()
}

/// A machine with the case's graph, settings and files.
fn machine(input: &Input) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let project = env.project();
    fs::create_dir_all(project.join(".git")).unwrap();
    for file in input.get("files_in_tree").as_array().into_iter().flatten() {
        write(&project.join(file.as_str().unwrap()), b"");
    }
    let graph = match input.get("graph") {
        Value::Null => None,
        Value::String(raw) => Some(raw.clone().into_bytes()),
        graph => Some(graph.to_string().into_bytes()),
    };
    // A store to be checked is a project's, as only that is about the files beside it.
    let checked = project.join(".lessons/lessons.json");
    if let Some(bytes) = &graph {
        write(&checked, bytes);
        write(&env.data().join("lessons.json"), bytes);
        // The store of a case is one that a person has accepted, as far as it can be read.
        env.lessons(&["accept"]);
    }
    let config = env.data().join("config.toml");
    let mut text = fs::read_to_string(&config).unwrap();
    match input.get("config") {
        Value::Null => {}
        Value::Object(settings) => {
            settings
                .iter()
                .for_each(|(name, value)| writeln!(text, "{} = {value}", our_setting(name)).unwrap());
        }
        other => writeln!(text, "settings = {other}").unwrap(),
    }
    // That tool's hook tells five lessons at most; how many ours tells is a setting.
    text.push_str("budget.lessons = 5\n");
    fs::write(&config, text).unwrap();
    env
}

/// Our name for a setting of that tool.
fn our_setting(name: &str) -> &str {
    match name {
        "recallLimit" => "query.limit",
        "recallMaxTokens" => "query.tokens",
        other => other,
    }
}

fn write(file: &Path, bytes: &[u8]) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

fn store(env: &TestEnv) -> Value {
    let bytes = fs::read(env.data().join("lessons.json")).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
