//! What a scan proposes of the labelled sessions of the scanner, as lessons.

use std::fs;

use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::{render, script};

const SAMPLES: [&str; 4] = [
    include_str!("../../../../scanner/tests/labelled/tune/mistakes.txt"),
    include_str!("../../../../scanner/tests/labelled/tune/work.txt"),
    include_str!("../../../../scanner/tests/labelled/held/mistakes.txt"),
    include_str!("../../../../scanner/tests/labelled/hard/near.txt"),
];

/// The candidates of all samples, scanned until nothing is left to propose.
fn proposed(env: &TestEnv) -> Vec<Value> {
    let parts = SAMPLES.iter().enumerate();
    let sessions: Vec<_> =
        parts.flat_map(|(number, text)| script::parse(&format!("part{number}"), text)).collect();
    render::render(&sessions, &env.transcripts());
    // So many sessions are worth all of their proposals.
    for number in 0..300 {
        let line =
            json!({"type": "user", "sessionId": format!("s{number}"), "message": {"content": "hello"}});
        env.write_transcript(&format!("idle/{number}.jsonl"), &[line]);
    }
    fs::create_dir_all(env.data()).expect("the data folder");
    let settings = env.data().join("config.toml");
    let before = fs::read_to_string(&settings).unwrap_or_default();
    fs::write(&settings, format!("{before}scan.proposals = 100\n")).expect("settings");
    while env.lessons_json(&["scan"])["proposed"] != 0 {}
    env.lessons_json(&["candidates"]).as_array().expect("a list").clone()
}

#[test]
fn nothing_that_a_scan_proposes_is_refused_by_promote() {
    let env = TestEnv::new().without_seeds();
    let candidates = proposed(&env);
    assert!(candidates.len() > 60, "only {} candidates", candidates.len());
    let promote = |candidate: &Value| {
        let mut decision = json!({"do": "promote", "candidate": candidate["id"]});
        let flags: Vec<&Value> =
            candidate["flags"].as_array().into_iter().flatten().map(|flag| &flag["name"]).collect();
        if !flags.is_empty() {
            decision["accept"] = json!({"flags": flags, "reason": "it is a sample"});
        }
        decision
    };
    let decisions: Vec<Value> = candidates.iter().map(promote).collect();
    let file = env.project().join("decisions.json");
    fs::write(&file, json!({ "decisions": decisions }).to_string()).expect("a file");
    let done = env.lessons(&["review", "--apply", file.to_str().expect("a path")]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(env.lessons_json(&["candidates"]), json!([]));
}
