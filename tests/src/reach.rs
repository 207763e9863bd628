//! The calls of transcripts that went wrong, put to the hooks themselves, each in a session of its own: what the join says of
//! the reach of lessons has to agree with it.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use lessons_effect::join::calls::match_lessons;
use lessons_effect::join::lessons::MeasuredLessons;
use lessons_effect::join::session_files;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_replay::trial::TrialContext;
use serde_json::{Value, json};

use crate::env::TestEnv;

/// What both say.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// The calls that went wrong.
    pub calls: usize,
    /// Those at which a lesson in force fires, by the join.
    pub by_join: usize,
    /// The ids of all of them, each with whether a lesson fires there by the join.
    pub ids: Vec<(String, bool)>,
    /// The same by the hooks.
    pub by_hooks: usize,
    /// Where they differ, in a line each.
    pub differing: Vec<String>,
}

/// Compares the two over the transcripts below a folder, with the lessons that are in force on a machine.
///
/// # Panics
///
/// If there is no index, or a hook does not start.
pub fn compare(env: &TestEnv, transcripts: &Path) -> Compared {
    let bytes = fs::read(env.data().join("lesson-manifest.idx")).expect("an index");
    let index = LoadedIndex::parse(bytes.into()).expect("a sound index");
    let lessons = MeasuredLessons::of(index, &[], &|_| None).expect("a sound index");
    let (data, home) = (env.data(), env.home());
    let context = TrialContext {
        home: data.to_str().expect("a path of letters"),
        user_home: home.to_str(),
        now: u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0),
    };
    let wrong = wrong_calls(&[transcripts.to_owned()], &lessons, &context);
    let raw = raw_calls(transcripts);
    let mut compared = Compared::default();
    let mut seen = HashSet::new();
    // A fork copies calls of its session.
    for call in wrong.into_iter().filter(|call| seen.insert(call.call.clone())) {
        let Some(raw) = raw.get(&call.call) else { continue };
        let is_reached = is_reached(env, raw, compared.calls);
        compared.calls += 1;
        compared.by_join += usize::from(call.is_reached);
        compared.by_hooks += usize::from(is_reached);
        compared.ids.push((call.call.clone(), call.is_reached));
        if is_reached != call.is_reached {
            compared.differing.push(describe(&call, raw));
        }
    }
    compared
}

/// A call that failed for a reason that is not the answer of a test, or that the user refused.
struct WrongCall {
    session: String,
    /// The id of the call, as the transcript names it.
    call: String,
    /// Whether a lesson would be told or would refuse it, at the call or beside its error, in a session that has just begun.
    is_reached: bool,
}

/// The calls below some folders that went wrong. Corrections, which a scan finds, are not known here.
fn wrong_calls(roots: &[PathBuf], lessons: &MeasuredLessons, context: &TrialContext<'_>) -> Vec<WrongCall> {
    let mut wrong = Vec::new();
    for found in session_files::find(roots, &mut Vec::new()) {
        let mut read = found.read(lessons.contents(), &[]);
        match_lessons(&mut read.contexts, lessons, &read.session.place(), context).expect("a sound index");
        let calls = read.contexts.iter().flat_map(|context| &context.calls);
        wrong.extend(calls.filter(|call| call.went_wrong()).map(|call| WrongCall {
            session: found.id.clone(),
            call: call.recorded.id.to_string(),
            is_reached: call.is_reached,
        }));
    }
    wrong
}

/// A call as a transcript holds it.
#[derive(Debug, Default)]
struct RawCall {
    payload: Value,
    error: String,
}

/// Whether a hook says anything before the call or after its failure, in a session with this number.
fn is_reached(env: &TestEnv, raw: &RawCall, number: usize) -> bool {
    let mut payload = raw.payload.clone();
    payload["session_id"] = json!(format!("0000{number:04x}-0000-4000-8000-000000000000"));
    payload["hook_event_name"] = json!("PreToolUse");
    let says = |output: &Output| !output.stdout.is_empty();
    if says(&env.hook(&payload)) {
        return true;
    }
    payload["hook_event_name"] = json!("PostToolUseFailure");
    payload["error"] = json!(raw.error);
    is_raised(&payload, &raw.error) && says(&env.failure(&payload))
}

/// Whether the client raises an event for such a failure: none for what it refuses by itself.
fn is_raised(payload: &Value, error: &str) -> bool {
    let writes = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
    let refused =
        ["InputValidationError", "No such tool", "Unknown skill", "Unknown agent", "Sibling tool call"];
    !writes.iter().any(|tool| payload["tool_name"] == *tool)
        && !refused.iter().any(|text| error.contains(text))
}

fn describe(call: &WrongCall, raw: &RawCall) -> String {
    let says = if call.is_reached { "only the join" } else { "only the hooks" };
    let input: String = raw.payload["tool_input"].to_string().chars().take(200).collect();
    let error: String = raw.error.chars().take(200).collect();
    format!("{says}: {} {} {input} => {error:?}", call.session, call.call)
}

/// The calls of all transcripts below a folder by their ids, read on a way of their own.
fn raw_calls(folder: &Path) -> HashMap<String, RawCall> {
    let mut calls: HashMap<String, RawCall> = HashMap::new();
    for path in transcripts(folder) {
        let bytes = fs::read(&path).unwrap_or_default();
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
            for block in line["message"]["content"].as_array().into_iter().flatten() {
                let id = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
                match block["type"].as_str() {
                    Some("tool_use") => {
                        calls.entry(id("id")).or_default().payload = payload(&line, block);
                    }
                    Some("tool_result") => {
                        calls.entry(id("tool_use_id")).or_default().error = text(&block["content"]);
                    }
                    _ => {}
                }
            }
        }
    }
    calls
}

fn payload(line: &Value, call: &Value) -> Value {
    let mut payload = json!({
        "transcript_path": "/nowhere.jsonl", "cwd": line["cwd"], "permission_mode": "default", "tool_name": call["name"],
        "tool_input": call["input"], "tool_use_id": call["id"],
    });
    if line["isSidechain"] == true {
        payload["agent_id"] = json!("a1");
        payload["agent_type"] = json!("general-purpose");
    }
    payload
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn transcripts(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(transcripts(&path));
        } else if path.extension() == Some(OsStr::new("jsonl")) {
            found.push(path);
        }
    }
    found
}
