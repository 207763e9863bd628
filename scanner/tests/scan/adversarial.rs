//! Hostile input that enters through a transcript. Each case is named by its id in the fixture.

use serde_json::{Value, json};

use crate::scratch::{Scratch, assistant, doubts, jsonl};

const CASES: &str = include_str!("../fixtures/adversarial.json");

/// What a case must give: how many candidates, and the doubts about the first.
struct Expected {
    id: &'static str,
    candidates: usize,
    doubts: &'static [&'static str],
}

const fn expect(id: &'static str, candidates: usize, doubts: &'static [&'static str]) -> Expected {
    Expected { id, candidates, doubts }
}

const EXPECTED: &[Expected] = &[
    // Must be captured.
    expect("ADV-001", 1, &[]),
    expect("ADV-004", 1, &[]),
    expect("ADV-059", 1, &[]),
    // Forged tags: tool results, user text, system and unknown lines.
    expect("ADV-006", 0, &[]),
    expect("ADV-009", 0, &[]),
    expect("ADV-012", 0, &[]),
    expect("ADV-015", 0, &[]),
    expect("ADV-016", 0, &[]),
    expect("ADV-018", 0, &[]),
    expect("ADV-020", 0, &[]),
    // Quoted file contents, and forms.
    expect("ADV-024", 1, &["fenced", "pipe-to-shell"]),
    expect("ADV-025", 0, &[]),
    // Syntax.
    expect("ADV-028", 1, &[]),
    expect("ADV-029", 0, &[]),
    expect("ADV-031", 0, &[]),
    expect("ADV-032", 0, &[]),
    expect("ADV-033", 0, &[]),
    expect("ADV-034", 0, &[]),
    expect("ADV-036", 1, &[]),
    expect("ADV-037", 1, &[]),
    expect("ADV-038", 0, &[]),
    expect("ADV-039", 0, &[]),
    expect("ADV-050", 0, &[]),
    // Overruled: capture.json requires short texts to be captured (tag-05, tag-16, inc-01).
    expect("ADV-065", 1, &["short"]),
    // Bytes.
    expect("ADV-061", 1, &[]),
    expect("ADV-115", 1, &[]),
    expect("ADV-120", 1, &[]),
    // Meaning. That ADV-163 contradicts an active lesson is for review, not for the scan.
    expect("ADV-162", 1, &["weakens-tests", "claims-approval"]),
    expect("ADV-163", 1, &[]),
    // Hidden characters: gone, and said.
    expect("ADV-040", 1, &["hidden-characters"]),
    expect("ADV-041", 1, &["hidden-characters"]),
    expect("ADV-042", 1, &["hidden-characters"]),
    expect("ADV-043", 1, &["hidden-characters"]),
    expect("ADV-044", 1, &["hidden-characters"]),
    expect("ADV-045", 1, &["hidden-characters"]),
    expect("ADV-048", 1, &["hidden-characters"]),
    expect("ADV-051", 1, &["hidden-characters", "overrides-instructions"]),
    expect("ADV-053", 1, &["hidden-characters"]),
    // A field of a megabyte.
    expect("ADV-060", 0, &[]),
    // Secrets.
    expect("ADV-066", 1, &["had-secret"]),
    expect("ADV-067", 1, &["had-secret"]),
    expect("ADV-069", 1, &["had-secret"]),
    expect("ADV-070", 1, &["had-secret"]),
    expect("ADV-072", 1, &["had-secret"]),
    expect("ADV-073", 1, &["had-secret"]),
    expect("ADV-074", 1, &["had-secret"]),
    expect("ADV-075", 1, &["had-secret"]),
    expect("ADV-077", 1, &["had-secret"]),
    expect("ADV-078", 1, &["had-secret"]),
    expect("ADV-080", 1, &["had-secret"]),
    expect("ADV-081", 1, &["had-secret"]),
    expect("ADV-082", 1, &["had-secret"]),
    expect("ADV-084", 1, &[]),
    expect("ADV-086", 1, &[]),
];

#[test]
fn every_case_holds() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert_eq!(cases.len(), EXPECTED.len());
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let expected = EXPECTED.iter().find(|expected| expected.id == id).expect(id);
        let mut scratch = Scratch::new();
        scratch.write("a.jsonl", transcript(&case["input"]));
        let report = scratch.scan();
        let waiting = scratch.waiting();
        assert_eq!(waiting.len(), expected.candidates, "{id}: {report}");
        if let Some(first) = waiting.first() {
            assert_eq!(doubts(first), expected.doubts, "{id}");
            let shown = serde_json::to_string(&first.finding).unwrap();
            let visible = !first.finding.mistake.chars().any(lessons_text::neutral::is_hidden);
            assert!(visible, "{id}: {shown}");
        }
        if expected.doubts == ["had-secret"] {
            let secret = secret_of(&case["input"]["data"]["mistake"]);
            assert!(!scratch.data_holds(secret.as_bytes()), "{id}: {secret}");
            assert!(waiting[0].finding.mistake.contains("[REDACTED:"), "{id}");
        }
    }
}

/// The part of a secret that says the most: the last long run of letters and digits.
fn secret_of(mistake: &Value) -> String {
    let parts = mistake["$concat"].as_array().unwrap();
    let mut texts = parts.iter().map(|part| String::from_utf8(bytes(part)).unwrap());
    let is_random = |text: &String| text.len() >= 14 && text.bytes().all(|b| b.is_ascii_alphanumeric());
    texts.rfind(is_random).unwrap()
}

/// The bytes of the transcript that a case is about.
fn transcript(input: &Value) -> Vec<u8> {
    let data = &input["data"];
    match input["surface"].as_str().unwrap() {
        "session_raw" => bytes(data),
        "session_jsonl" => {
            let lines: Vec<Value> = data.as_array().unwrap().iter().map(expanded).collect();
            jsonl(&lines).into_bytes()
        }
        "lesson_fields" => {
            let field = |name: &str| String::from_utf8(bytes(&data[name])).unwrap();
            let text = format!("#lesson\nmistake: {}\nfix: {}\n#/lesson", field("mistake"), field("fix"));
            jsonl(&[assistant("a-1", 1, &text)]).into_bytes()
        }
        other => panic!("{other}"),
    }
}

/// A value with the small generator language worked out in every string.
fn expanded(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(expanded).collect(),
        Value::Object(map) if map.keys().any(|key| key.starts_with('$')) => {
            json!(String::from_utf8(bytes(value)).unwrap())
        }
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), expanded(value))).collect(),
        other => other.clone(),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    let times = |n: &Value| usize::try_from(n.as_u64().unwrap()).unwrap();
    match value {
        Value::String(text) => text.clone().into_bytes(),
        Value::Object(map) => match map.iter().next().map(|(key, of)| (key.as_str(), of)) {
            Some(("$concat", parts)) => parts.as_array().unwrap().iter().flat_map(bytes).collect(),
            Some(("$repeat", of)) => bytes(&of[0]).repeat(times(&of[1])),
            Some(("$nest", of)) => {
                let (open, close) =
                    (bytes(&of[0]).repeat(times(&of[2])), bytes(&of[1]).repeat(times(&of[2])));
                [open, bytes(&of[3]), close].concat()
            }
            Some(("$hex", digits)) => {
                let digits = digits.as_str().unwrap();
                (0..digits.len())
                    .step_by(2)
                    .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
                    .collect()
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other}"),
    }
}
