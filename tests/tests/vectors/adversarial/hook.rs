//! What a hook is given on standard input, and manifests that were made elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};

use lessons_tests::env::{TestEnv, as_the_client_writes, said};
use serde_json::{Value, json};

use super::facts::Facts;
use super::fields::files;
use crate::cases::Input;
use crate::generate;

/// The client kills a hook after this time.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn observe(input: &Input) -> Facts {
    let case = input.get("input");
    let data = &case["data"];
    match case["surface"].as_str() {
        Some("hook_stdin") => stdin(&as_the_client_writes(&generate::json(data))),
        Some("hook_stdin_raw") => stdin(&generate::bytes(data)),
        Some("manifest") => manifest(&generate::json(data), case["hook_command"].as_str()),
        Some("manifest_raw") => raw_manifest(&generate::bytes(data)),
        other => panic!("{}: no hook for {other:?}", input.id),
    }
}

/// What the lesson of [`machine`] says, with placeholders that nothing may fill in.
const RULE: &str = "Use git stash -u, never {command} or $& or %s.";

/// A machine on which `git stash` gets a lesson.
fn machine() -> TestEnv {
    let env = TestEnv::new();
    env.must(&["add", "--rule", RULE, "--trigger", r"cmd=\bgit stash\b"]);
    env
}

/// Bytes on standard input.
fn stdin(payload: &[u8]) -> Facts {
    let env = machine();
    let mut facts = Facts::default();
    let before = all_files(&env);
    let output = timed(&mut facts, || env.hook_given(payload));
    facts.note("told", told(&output));
    let new: Vec<PathBuf> = all_files(&env).difference(&before).cloned().collect();
    facts.note("wrote elsewhere", new.iter().any(|file| !file.starts_with(env.data())));
    facts.note("names from outside", new.iter().any(|file| !is_our_name(file, &env)));
    let mut noted = String::new();
    files(&env.data().join("events"), &mut |_, bytes| noted.push_str(&String::from_utf8_lossy(bytes)));
    let text = text_for_the_model(&output);
    let hidden = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
    facts.note("control characters", hidden(&noted) || hidden(&text));
    facts.note("placeholder worked out", told(&output) && !text.contains(RULE));
    facts.note("noted where it must be", payload.len() < 8 << 20 || noted.contains("overflow"));
    facts.detail(format!("{new:?} {noted}"));
    facts
}

/// Runs a hook and notes how it ended.
fn timed(facts: &mut Facts, run: impl FnOnce() -> Output) -> Output {
    let started = Instant::now();
    let output = run();
    facts.note("in time", started.elapsed() < TIMEOUT);
    facts.note("exit 0", output.status.code() == Some(0));
    facts.note("silent", output.stdout.is_empty() && output.stderr.is_empty());
    facts.detail(said(&output));
    output
}

fn told(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stdout).contains("[lesson user/")
}

/// The text that the model would be given.
fn text_for_the_model(output: &Output) -> String {
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let hook = &printed["hookSpecificOutput"];
    let texts = ["additionalContext", "permissionDecisionReason"].map(|field| hook[field].as_str());
    texts.into_iter().flatten().collect()
}

/// Everything in the scratch folders, and what is new beside them under predictable names.
fn all_files(env: &TestEnv) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for folder in [env.home(), env.project(), env.home().with_file_name("tmp")] {
        files(&folder, &mut |file, _| {
            found.insert(file.to_owned());
        });
    }
    found.extend(["/tmp/pwn", "/etc/cron.d/x"].iter().map(PathBuf::from).filter(|path| path.exists()));
    found
}

/// Whether the name of a new file is made by us alone: hashes, kinds and dates.
fn is_our_name(file: &std::path::Path, env: &TestEnv) -> bool {
    let Ok(name) = file.strip_prefix(env.data()) else { return false };
    let mut parts = name.iter().filter_map(|part| part.to_str());
    let is_plain = |part: &str| part.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-' || b == b't');
    match parts.next() {
        Some("sessions") => parts.all(is_plain),
        Some("events") => parts.all(|part| part.strip_suffix(".jsonl").is_some_and(is_plain)),
        _ => false,
    }
}

/// A manifest of lessons made elsewhere, imported.
fn manifest(data: &Value, command: Option<&str>) -> Facts {
    let env = TestEnv::new();
    let mut facts = Facts::default();
    let file = env.home().join("manifest.json");
    fs::write(&file, imported_form(data).to_string()).unwrap();
    let force = ["--force-block", "there is no past here"];
    let arguments = [&["import", "--format", "lessons-learned", file.to_str().unwrap()][..], &force].concat();
    let imported = env.lessons(&arguments);
    facts.note("imported", imported.status.success());
    facts.detail(said(&imported));
    let command = command.map_or_else(|| format!("{}!", "x".repeat(30_000)), str::to_owned);
    let payload = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}});
    let output = timed(&mut facts, || env.hook(&payload));
    let text = text_for_the_model(&output);
    facts.note("told", told(&output));
    // Texts have no placeholders, so an imported one says what stood for it.
    let mut messages = messages(data).into_iter().filter(|message| message.contains("{command}"));
    let is_worked_out = |message: String| !text.contains(&message.replace("{command}", "this command"));
    facts.note("placeholder worked out", messages.any(is_worked_out));
    facts.note("control characters", text.chars().any(|c| c.is_control() && c != '\n'));
    facts
}

/// The messages of the lessons of a manifest.
fn messages(data: &Value) -> Vec<String> {
    let message = |lesson: &Value| lesson["message"].as_str().map(str::to_owned);
    match &data["lessons"] {
        Value::Array(list) => list.iter().filter_map(message).collect(),
        Value::Object(map) => map.values().filter_map(message).collect(),
        _ => Vec::new(),
    }
}

/// The lessons in the words that the other tool writes to its own manifest.
fn imported_form(data: &Value) -> Value {
    let lesson = |given: &Value| {
        let patterns = given["commandPatterns"].as_array().into_iter().flatten();
        let text = |name: &str| given.get(name).cloned().unwrap_or(Value::Null);
        json!({
            "slug": given["slug"], "type": if given["block"] == true { "guard" } else { "hint" },
            "message": text("message"), "summary": text("summary"), "problem": text("mistake"),
            "solution": text("fix"), "toolNames": given["tools"],
            "commandRegexSources": patterns.map(|source| json!({"source": source, "flags": ""})).collect::<Vec<_>>(),
        })
    };
    let lessons: serde_json::Map<String, Value> = match &data["lessons"] {
        Value::Array(list) => {
            list.iter().enumerate().map(|(n, given)| (format!("L{n}"), lesson(given))).collect()
        }
        Value::Object(map) => map.iter().map(|(id, given)| (id.clone(), lesson(given))).collect(),
        other => panic!("no lessons: {other}"),
    };
    json!({"type": "lessons-learned-manifest", "version": 1, "lessons": lessons})
}

/// Bytes in the place of our manifest, and in a file to import.
fn raw_manifest(bytes: &[u8]) -> Facts {
    use std::os::unix::fs::PermissionsExt as _;

    let env = machine();
    let mut facts = Facts::default();
    let file = env.home().join("manifest.json");
    fs::write(&file, bytes).unwrap();
    let imported = env.lessons(&["import", "--format", "lessons-learned", file.to_str().unwrap()]);
    facts.note("imported", imported.status.success());
    facts.detail(said(&imported));
    let manifest = env.data().join("lesson-manifest.json");
    fs::remove_file(&manifest).unwrap();
    fs::write(&manifest, bytes).unwrap();
    fs::set_permissions(&manifest, fs::Permissions::from_mode(0o600)).unwrap();
    let payload = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "git stash"}});
    let output = timed(&mut facts, || env.hook(&payload));
    facts.note("told", told(&output));
    // The next command but this one writes the manifest anew.
    let doctor = said(&env.lessons(&["doctor"]));
    facts.note("noted where it must be", doctor.contains("is not the manifest of the index"));
    facts.detail(doctor);
    facts
}
