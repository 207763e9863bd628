//! The machines on which commands are killed.

use std::fs;

use lessons_manifest_builder::seeds;
use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use super::kept::WATCHED;

/// The lesson that refuses [`WATCHED`].
pub(super) const GUARD: &str = "guard";
/// What a lesson is made of, which the commands here change.
pub(super) const RULE: [&str; 4] = ["--rule", "Use `frob push --safe`.", "--trigger", "kw=frob push"];

/// A machine with programs that die where they are told to, and one lesson, which refuses a call.
pub(super) fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let guard = json!({
        "id": GUARD,
        "rule": "Never wipe with frob.",
        "mode": "block",
        "triggers": [{ "kind": "command_pattern", "pattern": r"\bfrob wipe\b" }],
        "examples": { "fires": [{ "tool": "Bash", "command": WATCHED }] },
    });
    add_with(&env, &guard, &["--force-block", "there is no past here"]);
    env
}

/// A machine without a data folder.
pub(super) fn new_machine() -> TestEnv {
    let seeds: Vec<String> = seeds::lessons().iter().map(|seed| seed.id.to_string()).collect();
    TestEnv::new().with_variable("LESSONS_SEEDS_OFF", Value::from(seeds).to_string())
}

pub(super) fn add(env: &TestEnv, lesson: &Value) {
    add_with(env, lesson, &[]);
}

fn add_with(env: &TestEnv, lesson: &Value, flags: &[&str]) {
    let arguments = [&["add", "--json-input", "-"], flags].concat();
    let added = env.lessons_given(&arguments, lesson.to_string().as_bytes());
    assert!(added.status.success(), "{}", said(&added));
}

/// Two sessions in which an agent has recorded two mistakes, one of them twice.
pub(super) fn write_sessions(env: &TestEnv) {
    let line = |session: &str, number: u32, command: &str| {
        let text = format!(
            "#lesson\ntool: Bash\ntrigger: frob {command}\nmistake: frob {command} overwrites what others pushed\n\
             fix: use frob {command} --safe, which asks first\n#/lesson"
        );
        json!({
            "type": "assistant",
            "uuid": format!("00000000-0000-4000-8000-{number:012}"),
            "sessionId": session,
            "timestamp": "2026-11-20T10:00:00.000Z",
            "cwd": env.project(),
            "message": { "role": "assistant", "model": "m", "content": [{ "type": "text", "text": text }] },
        })
    };
    env.write_transcript("app/one.jsonl", &[line("one", 1, "push"), line("one", 2, "pull")]);
    env.write_transcript("app/two.jsonl", &[line("two", 3, "push")]);
}

/// A machine with two candidates, and the id of one of them.
pub(super) fn with_a_candidate() -> (TestEnv, String) {
    let env = machine();
    write_sessions(&env);
    env.must(&["scan"]);
    let id = env.lessons_json(&["candidates"])[0]["id"].as_str().expect("a candidate").to_owned();
    (env, id)
}

/// A machine with a project that brings a lesson along.
pub(super) fn with_a_project() -> TestEnv {
    let env = machine();
    write_project_store(&env, "Frob with care.");
    env
}

pub(super) fn write_project_store(env: &TestEnv, rule: &str) {
    let store = json!({
        "version": 1,
        "lessons": { "theirs": {
            "rule": rule, "topics": ["frob"], "triggers": ["t-kw-1f4ae865"], "evidence": [], "status": "active",
            "createdAt": "2026-01-01",
        }},
        "topics": { "frob": { "summary": "Frob" } },
        "triggers": { "t-kw-1f4ae865": { "kind": "keyword", "pattern": "frob wipe" } },
    });
    let folder = env.project().join(".lessons");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("lessons.json"), store.to_string()).expect("a store");
}
