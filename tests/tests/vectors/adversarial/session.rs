//! Transcripts: what becomes a candidate, and with which doubts.

use std::path::Path;
use std::process::Command;

use lessons_home::home::Home;
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_store::graph::{Graph, Origin};
use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use super::facts::Facts;
use crate::cases::Input;
use crate::generate;

/// The transcript of a case.
const FILE: &str = "-home-u-proj/s.jsonl";
/// Data memory for a scan, in KiB: less than the longest line of a case.
const MEMORY: u32 = 48 << 10;

pub(super) fn observe(input: &Input) -> Facts {
    let mut facts = Facts::default();
    let transcript = transcript(input);
    let env = TestEnv::new();
    let file = env.write_raw_transcript(FILE, &transcript);
    let report = scan(&env, &mut facts);
    let found = candidates(&env, CandidateStatus::New);
    facts.note("no candidate", found.is_empty());
    facts.note("one candidate", found.len() == 1);
    facts.note(
        "as written",
        !found.is_empty() && found.iter().all(|candidate| is_as_written(candidate, &transcript)),
    );
    facts.note(
        "doubted",
        !found.is_empty() && found.iter().all(|candidate| !candidate.finding.flags.is_empty()),
    );
    facts
        .note("anything but an inner block", found.iter().any(|candidate| !is_inner(candidate, &transcript)));
    facts.note(
        "reported what it left out",
        report["excess"].as_u64() > Some(0) || report["long_lines"].as_u64() > Some(0),
    );
    facts.note("taken in to the end", cursor(&env, &file) == Some(transcript.len() as u64));
    facts.note("in force", lessons(&env) > 0);
    facts.note("cancelled others", cancels_others(&transcript));
    if let [candidate] = found.as_slice() {
        promote(&env, candidate, &mut facts);
    }
    if !transcript.ends_with(b"\n") {
        env.write_raw_transcript(FILE, &[transcript.as_slice(), REST.as_bytes(), b"\n"].concat());
        scan(&env, &mut facts);
        facts.note("one candidate when the line is whole", candidates(&env, CandidateStatus::New).len() == 1);
    }
    facts.detail(format!("{found:?}\n  {report}"));
    facts
}

/// What completes the half line of a case.
const REST: &str = r##"ontent": [{"type": "text", "text": "#lesson\nmistake: written in two pieces by the client\nfix: wait for the end of the line\n#/lesson"}]}}"##;

/// The bytes of a case's transcript.
fn transcript(input: &Input) -> Vec<u8> {
    let data = &input.get("input")["data"];
    match data {
        Value::Array(lines) => {
            lines.iter().flat_map(|line| format!("{}\n", generate::json(line)).into_bytes()).collect()
        }
        raw => generate::bytes(raw),
    }
}

/// Scans as a person would, with little memory. The report as JSON.
fn scan(env: &TestEnv, facts: &mut Facts) -> Value {
    let mut limited = Command::new("/bin/sh");
    let lessons = env.command("lessons");
    limited.args(["-c", &format!("ulimit -d {MEMORY}; exec \"$0\" scan --json")]).arg(lessons.get_program());
    limited.env_clear().current_dir(env.project());
    limited.envs(lessons.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.output().unwrap();
    facts.detail(said(&output));
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

fn database(env: &TestEnv) -> Database {
    Database::open(&Home::at(env.data())).unwrap()
}

pub(super) fn candidates(env: &TestEnv, standing: CandidateStatus) -> Vec<Candidate> {
    database(env).candidates(&[standing]).unwrap()
}

fn cursor(env: &TestEnv, file: &Path) -> Option<u64> {
    let file = file.canonicalize().unwrap();
    Some(database(env).cursor(file.to_str()?).unwrap()?.offset)
}

/// How many lessons the store has.
fn lessons(env: &TestEnv) -> usize {
    store(env).lessons().len()
}

/// The user's store.
pub(super) fn store(env: &TestEnv) -> Graph {
    let file = env.data().join("lessons.json");
    match std::fs::read(&file) {
        Ok(bytes) => Graph::parse(file, &bytes, Origin::Own).unwrap(),
        Err(_) => Graph::empty(file),
    }
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a transcript with the escapes of JSON read.
fn readable(transcript: &[u8]) -> String {
    String::from_utf8_lossy(transcript).replace("\\n", "\n").replace("\\\"", "\"")
}

/// Whether the fields of a candidate stand in the transcript, each behind its name.
fn is_as_written(candidate: &Candidate, transcript: &[u8]) -> bool {
    let text = collapsed(&readable(transcript));
    let found = &candidate.finding;
    let is_there = |name: &str, value: &str| text.contains(&format!("{name}: {}", collapsed(value)));
    let tools = found.tools.iter().all(|tool| is_there("tool", tool));
    let trigger = found.trigger.as_deref().is_some_and(|trigger| is_there("trigger", trigger));
    is_there("mistake", &found.mistake) && is_there("fix", &found.fix) && tools && trigger
}

/// Whether a candidate is the innermost of nested blocks.
fn is_inner(candidate: &Candidate, transcript: &[u8]) -> bool {
    let text = readable(transcript);
    let Some((before, _)) = text.split_once("#/lesson\n") else { return false };
    let mut starts = before.rsplit("#lesson\n");
    let inner = starts.next().unwrap_or_default();
    let is_nested = starts.nth(1).is_some();
    is_nested && inner.contains(&candidate.finding.mistake) && inner.contains(&candidate.finding.fix)
}

/// Whether the transcript takes back what the same session had said before.
fn cancels_others(transcript: &[u8]) -> bool {
    let block = "#lesson\ntool: Bash\ntrigger: git stash\nmistake: git stash silently leaves untracked files behind\n\
                 fix: use git stash -u when they matter\n#/lesson";
    let line = |role: &str, text: &str| {
        json!({"type": role, "uuid": "before", "sessionId": "11111111-1111-4111-8111-111111111111",
               "timestamp": "2026-01-01T00:00:00Z", "cwd": "/home/u/proj",
               "message": {"role": role, "id": "before", "content": [{"type": "text", "text": text}]}})
    };
    let env = TestEnv::new();
    let before = format!("{}\n", line("assistant", block)).into_bytes();
    env.write_raw_transcript(FILE, &[before.as_slice(), transcript].concat());
    env.scan();
    !candidates(&env, CandidateStatus::Cancelled).is_empty()
}

/// Promotes a candidate as somebody would who does not look.
fn promote(env: &TestEnv, candidate: &Candidate, facts: &mut Facts) {
    let output = env.lessons(&["promote", &candidate.id, "--trigger", "cmd=some-command"]);
    facts.note("promoted without a word", output.status.success());
    let graph = store(env);
    let promoted = graph.lessons().next();
    let defaults = promoted.is_some_and(|lesson| {
        let new = lessons_lesson::lesson::Lesson::new(lesson.id.clone(), "", lesson.topics[0].clone(), "");
        (lesson.mode, lesson.when, lesson.priority, lesson.status)
            == (new.mode, new.when, new.priority, new.status)
            && lesson.scope == new.scope
            && (lesson.confidence, lesson.severity, lesson.quality)
                == (new.confidence, new.severity, new.quality)
    });
    facts.note("defaults after promotion", defaults);
    facts.detail(said(&output));
}
