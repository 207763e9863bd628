//! What happens to the store while nobody looks: a build takes only what a person has accepted, whoever started it.

use std::fs;

use lessons_tests::env::{TestEnv, said};
use serde_json::Value;

use crate::together::call;

const MINE: &str = "user/mine";
const EDITED: &str = "user/edited";
const SLIPPED_IN: &str = "user/slipped-in";

/// A machine with two lessons in force. Then somebody writes into the store by hand: one of the two now says
/// something else, and there is a third.
fn with_an_edited_store() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    for (id, rule) in [("mine", "Use the safe form of frob."), ("edited", "Ask before you frob.")] {
        let lesson = serde_json::json!({
            "id": id, "rule": rule, "triggers": [{ "kind": "command_pattern", "pattern": format!("frob {id}") }],
        });
        let added = env.lessons_given(&["add", "--json-input", "-"], lesson.to_string().as_bytes());
        assert!(added.status.success(), "{}", said(&added));
    }
    let store = env.data().join("lessons.json");
    let mut graph: Value = serde_json::from_slice(&fs::read(&store).expect("the store")).expect("JSON");
    let mut slipped_in = graph["lessons"]["edited"].clone();
    slipped_in["rule"] = "Frob whatever you like.".into();
    graph["lessons"]["slipped-in"] = slipped_in;
    graph["lessons"]["edited"]["rule"] = "Never ask before you frob.".into();
    fs::write(&store, graph.to_string()).expect("the store");
    env
}

/// Lets the scan in the background find a manifest of another version, which it builds anew.
fn rebuild_in_the_background(env: &TestEnv) {
    let path = env.data().join("lesson-manifest.json");
    let made_by = |manifest: &Value| manifest["made_by"].as_str().expect("a version").to_owned();
    let read = || -> Value { serde_json::from_slice(&fs::read(&path).expect("a manifest")).expect("JSON") };
    let mut manifest = read();
    let ours = made_by(&manifest);
    manifest["made_by"] = "0.0.1".into();
    fs::write(&path, manifest.to_string()).expect("the manifest");
    let scan = env.background("scan").output().expect("a scan");
    assert!(scan.status.success(), "{}", said(&scan));
    assert_eq!(made_by(&read()), ours, "it was not built anew");
}

/// The text that a call gets in a session of its own.
fn told(env: &TestEnv, session: &str, command: &str) -> String {
    String::from_utf8(env.hook(&call(env, session, command)).stdout).expect("text")
}

/// Which lessons differ from what a person has accepted.
fn not_accepted(env: &TestEnv) -> Vec<String> {
    let status = env.lessons_json(&["status"]);
    let lessons = status["notAccepted"]["lessons"].as_array().expect("a list").iter();
    lessons.map(|lesson| format!("user/{}", lesson[0].as_str().expect("an id"))).collect()
}

#[test]
fn what_was_written_by_hand_is_not_taken_up_without_a_person() {
    let env = with_an_edited_store();
    rebuild_in_the_background(&env);
    assert!(told(&env, "s", "frob mine").contains("Use the safe form of frob."));
    let edited = told(&env, "s", "frob edited");
    assert!(edited.contains("Ask before you frob.") && !edited.contains("whatever you like"), "{edited}");
}

#[test]
fn what_was_held_back_is_listed() {
    let env = with_an_edited_store();
    assert_eq!(not_accepted(&env), [EDITED, SLIPPED_IN], "before anything is built");
    rebuild_in_the_background(&env);
    assert_eq!(not_accepted(&env), [EDITED, SLIPPED_IN]);
    let status = env.must(&["status"]);
    let line = status.lines().find(|line| line.starts_with("Changed outside of `lessons`")).expect("a list");
    assert!(line.contains(EDITED) && line.contains(SLIPPED_IN) && !line.contains(MINE), "{line}");
    assert!(env.must(&["show", SLIPPED_IN]).contains("not in force"));
}

#[test]
fn what_a_person_has_accepted_stays_accepted_in_the_background() {
    let env = with_an_edited_store();
    env.must(&["accept"]);
    rebuild_in_the_background(&env);
    assert_eq!(not_accepted(&env), [""; 0]);
    let both = told(&env, "s", "frob edited");
    assert!(
        both.contains("Never ask before you frob.") && both.contains("Frob whatever you like."),
        "{both}"
    );
}
