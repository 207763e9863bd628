//! capture.json: from transcripts to candidates, and what `lessons add` takes.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use lessons_home::home::Home;
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_lesson::lesson::{Mode, Status};
use lessons_pattern::trigger::TriggerKind;
use lessons_store::graph::{Graph, Origin};
use lessons_tests::env::{TestEnv, said};
use serde_json::{Map, Value, json};

use crate::cases::{Case, Input, each, is_overruled, none_failed, to_run};

/// What came of a case.
#[derive(Debug)]
enum Observed {
    Scanned {
        candidates: Vec<Candidate>,
        /// Whether every transcript was taken in to its end.
        to_the_end: bool,
    },
    Added {
        exit: Option<i32>,
        complaint: String,
        /// The last lesson that was added, in the words of the case.
        stored: Value,
    },
}

fn observe(input: &Input) -> Observed {
    match input.get("runner").as_str() {
        Some("scan") => scan(input),
        Some("add") => add(input),
        other => panic!("{}: no runner {other:?}", input.id),
    }
}

/// Writes the transcripts, scans, and scans again after each change of them.
fn scan(input: &Input) -> Observed {
    let env = TestEnv::new();
    let folder = "-home-dev-project";
    let write = |sessions: &Value| {
        for (name, lines) in sessions.as_object().into_iter().flatten() {
            env.write_transcript(&format!("{folder}/{name}"), lines.as_array().unwrap());
        }
    };
    write(input.get("sessions"));
    env.scan();
    if input.get("append").is_object() || input.get("replace").is_object() {
        write(input.get("replace"));
        for (name, lines) in input.get("append").as_object().into_iter().flatten() {
            let file = env.transcripts().join(folder).join(name);
            let mut text = fs::read_to_string(&file).unwrap();
            lines
                .as_array()
                .unwrap()
                .iter()
                .for_each(|line| text.extend([line.to_string(), "\n".to_owned()]));
            fs::write(&file, text).unwrap();
        }
        env.scan();
    }
    let database = Database::open(&Home::at(env.data())).unwrap();
    let to_the_end = fs::read_dir(env.transcripts().join(folder)).unwrap().all(|file| {
        let file = file.unwrap();
        let cursor = database.cursor(file.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        cursor.is_some_and(|cursor| cursor.offset == file.metadata().unwrap().len())
    });
    Observed::Scanned { candidates: database.candidates(&[CandidateStatus::New]).unwrap(), to_the_end }
}

/// Adds the lessons of `pre`, then the one in `input`.
fn add(input: &Input) -> Observed {
    let env = TestEnv::new();
    for before in input.get("pre").as_array().into_iter().flatten() {
        env.must(&arguments(before));
    }
    let known = ids(&env.data());
    let output = env.lessons(&arguments(input.get("input")));
    let graph = graph(&env.data());
    let stored = ids(&env.data()).into_iter().find(|id| !known.contains(id));
    let stored = stored.and_then(|id| graph.lessons().find(|lesson| lesson.id.as_str() == id));
    let stored = stored.map_or(Value::Null, |lesson| {
        let commands: Vec<_> = lesson
            .triggers
            .iter()
            .filter(|trigger| trigger.kind == TriggerKind::CommandPattern)
            .map(|trigger| trigger.pattern.clone())
            .collect();
        json!({
            "status": if lesson.status == Status::Active { "active" } else { "reviewed" },
            "type": if lesson.mode == Mode::Advise { "hint" } else { "guard" },
            "priority": lesson.priority.get(),
            "confidence": lesson.confidence.get(),
            "toolNames": lesson.tools,
            "commandPatterns": commands,
        })
    });
    Observed::Added { exit: output.status.code(), complaint: said(&output), stored }
}

fn graph(data: &Path) -> Graph {
    let file = data.join("lessons.json");
    match fs::read(&file) {
        Ok(bytes) => Graph::parse(file, &bytes, Origin::Own).unwrap(),
        Err(_) => Graph::empty(file),
    }
}

fn ids(data: &Path) -> Vec<String> {
    graph(data).lessons().map(|lesson| lesson.id.to_string()).collect()
}

/// The fields of a manual add as flags of `lessons add`.
fn arguments(fields: &Value) -> Vec<String> {
    let mut arguments = vec!["add".to_owned()];
    let mut flag = |name: &str, value: String| arguments.extend([format!("--{name}"), value]);
    for (name, value) in fields.as_object().unwrap() {
        let text = || value.as_str().unwrap().to_owned();
        let texts = || value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned());
        match name.as_str() {
            "summary" => flag("summary", text()),
            "problem" => flag("mistake", text()),
            "solution" => flag("rule", text()),
            "tool" => flag("tool", text()),
            "priority" | "confidence" => flag(name, value.to_string()),
            "tags" => texts().for_each(|tag| flag("tag", tag)),
            "commandPatterns" => texts().for_each(|pattern| flag("trigger", format!("cmd={pattern}"))),
            "trigger" => flag("trigger", text()),
            "type" if value == "directive" => flag("when", "session".to_owned()),
            other => panic!("no flag for {other}"),
        }
    }
    arguments
}

/// What is wrong with an outcome.
fn wrong(case: &Case, observed: &Observed) -> Vec<String> {
    let expected = case.expected.first().and_then(Value::as_object).unwrap();
    let problems = match observed {
        Observed::Scanned { candidates, to_the_end } => wrong_scan(case, expected, candidates, *to_the_end),
        Observed::Added { exit, complaint, stored } => wrong_add(case, expected, *exit, complaint, stored),
    };
    problems.into_iter().map(|problem| format!("{}: {problem}\n  {observed:?}", case.input.id)).collect()
}

fn wrong_scan(
    case: &Case,
    expected: &Map<String, Value>,
    found: &[Candidate],
    to_the_end: bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let wanted = expected["candidates"].as_array().unwrap();
    for candidate in wanted {
        let found: Vec<Value> = found.iter().map(in_their_words).collect();
        let matches = |found: &&Value| {
            candidate.as_object().unwrap().iter().all(|(field, value)| {
                is_overruled(&case.input.id, field) || is_same(field, value, &found[field])
            })
        };
        if found.iter().find(matches).is_none() {
            wrong.push(format!("nothing like {candidate}"));
        }
    }
    if expected.get("exact_count") == Some(&json!(true)) && found.len() != wanted.len() {
        wrong.push(format!("{} candidates, not {}", found.len(), wanted.len()));
    }
    if expected.get("offsets_equal_size").is_some_and(|wanted| *wanted != to_the_end) {
        wrong.push("a transcript was not taken in to its end".to_owned());
    }
    wrong
}

/// A candidate of ours in the words of the case.
fn in_their_words(candidate: &Candidate) -> Value {
    let found = &candidate.finding;
    let patterns: Vec<_> = found.proposal.triggers.iter().map(|trigger| trigger.pattern.clone()).collect();
    json!({
        "problem": found.mistake,
        "solution": found.fix,
        "toolNames": found.tools,
        "commandPatterns": patterns,
        "tags": found.tags,
        "source": if found.source == "tag" { "structured" } else { "heuristic" },
        "status": if candidate.status == CandidateStatus::New { "candidate" } else { "other" },
        // No candidate does anything before a person promotes it, and then it advises.
        "type": "hint",
    })
}

/// Compares one field; texts without the white space around them.
fn is_same(field: &str, wanted: &Value, found: &Value) -> bool {
    match (wanted.as_str(), found.as_str()) {
        (Some(wanted), Some(found)) => wanted.trim() == found.trim(),
        _ => wanted == found || (field == "tags" && wanted.is_null()),
    }
}

fn wrong_add(
    case: &Case,
    expected: &Map<String, Value>,
    exit: Option<i32>,
    complaint: &str,
    stored: &Value,
) -> Vec<String> {
    let mut wrong = Vec::new();
    if expected.get("exit_zero").is_some_and(|wanted| *wanted != (exit == Some(0))) {
        wrong.push(format!("exit {exit:?}"));
    }
    for mention in expected.get("stderr_contains").and_then(Value::as_array).into_iter().flatten() {
        let ours = OUR_WORDS.iter().find(|(theirs, _)| mention == theirs).map(|(_, ours)| *ours);
        let ours = ours.or(mention.as_str()).unwrap();
        if !is_overruled(&case.input.id, "stderr_contains") && !complaint.contains(ours) {
            wrong.push(format!("it does not mention `{ours}`"));
        }
    }
    for (field, value) in expected.get("stored").and_then(Value::as_object).into_iter().flatten() {
        if !is_overruled(&case.input.id, field) && stored[field] != *value {
            wrong.push(format!("{field} is {}, not {value}", stored[field]));
        }
    }
    wrong
}

/// What an error has to mention, and our word for it.
const OUR_WORDS: [(&str, &str); 3] = [
    ("duplicate content hash", "duplicate"),
    ("fuzzy duplicate", "duplicate"),
    ("looks like prose", "KIND=PATTERN"),
];

/// Every case that is run, with what came of it. Worked out once for all tests.
fn outcomes() -> &'static [(Case, Observed)] {
    static OUTCOMES: OnceLock<Vec<(Case, Observed)>> = OnceLock::new();
    OUTCOMES.get_or_init(|| each(to_run("capture.json"), |case| observe(&case.input)))
}

#[test]
fn every_case_comes_out_as_expected() {
    let failures: Vec<String> =
        outcomes().iter().flat_map(|(case, observed)| wrong(case, observed)).collect();
    none_failed(&failures);
}

#[test]
fn a_case_that_expects_something_else_fails() {
    let mut changed = 0;
    for (case, observed) in outcomes() {
        for other in otherwise(case) {
            let case = Case { expected: vec![other], ..case.clone() };
            assert!(!wrong(&case, observed).is_empty(), "{} takes {:?}", case.input.id, case.expected);
            changed += 1;
        }
    }
    assert!(changed > 60, "{changed}");
}

/// Expected outcomes that are wrong: each differs in one place.
fn otherwise(case: &Case) -> Vec<Value> {
    let right = case.expected.first().unwrap();
    let with = |pointer: &str, value: Value| {
        let mut other = right.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        other
    };
    let mut others = Vec::new();
    if let Some(candidates) = right["candidates"].as_array() {
        let mut more = candidates.clone();
        more.push(json!({"problem": "something that is not there"}));
        others.push(with("/candidates", json!(more)));
        if !candidates.is_empty() {
            others.push(with("/candidates", more.iter().skip(1).cloned().collect()));
        }
        let fields = candidates.first().and_then(Value::as_object).into_iter().flatten();
        let compared = fields.filter(|(field, _)| !is_overruled(&case.input.id, field));
        others.extend(compared.map(|(field, _)| with(&format!("/candidates/0/{field}"), json!("other"))));
    }
    if let Some(zero) = right["exit_zero"].as_bool() {
        others.push(with("/exit_zero", json!(!zero)));
    }
    if right["stderr_contains"].is_array() && !is_overruled(&case.input.id, "stderr_contains") {
        others.push(with("/stderr_contains", json!(["something else"])));
    }
    for (field, _) in right["stored"].as_object().into_iter().flatten() {
        if !is_overruled(&case.input.id, field) {
            others.push(with(&format!("/stored/{field}"), json!("other")));
        }
    }
    others
}
