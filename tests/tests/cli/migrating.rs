//! A home that the first version left, which kept no copies of what a person had accepted.
//!
//! `fixtures/first-version` was made with its programs: `plain`, `edited`, `removed` and the block
//! `frob-never-wipe-the-frob` were added, `retired` was added and deprecated, and the block `built` was written into the
//! store by hand and accepted with `lessons build`. Then, by hand: `edited` says the opposite, `removed` is gone, and
//! `slipped-in` is new. `lessons.sql` is the database.

use std::fs;
use std::path::Path;

use lessons_home::files;
use lessons_tests::env::{TestEnv, said};
use rusqlite::Connection;
use serde_json::{Value, json};

fn first_version() -> TestEnv {
    let env = TestEnv::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/first-version");
    files::ensure_folder(&env.data()).expect("a data folder");
    for name in ["lessons.json", "lesson-manifest.json", "config.toml"] {
        fs::copy(from.join(name), env.data().join(name)).expect("a copy");
    }
    let sql = fs::read_to_string(from.join("lessons.sql")).expect("the database as text");
    let database = Connection::open(env.data().join("lessons.db")).expect("a database");
    database.execute_batch(&sql).expect("the database");
    env
}

/// What a call gets in a session of its own.
fn answer(env: &TestEnv, command: &str, session: &str) -> String {
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    });
    String::from_utf8(env.hook(&call).stdout).expect("text")
}

#[track_caller]
fn what_was_accepted_is_in_force(env: &TestEnv, session: &str) {
    for (command, rule) in [
        ("frob wipe", "Never wipe the frob."),
        ("frob drop", "Never drop the frob."),
        ("frob plain", "Use the safe form of frob."),
        ("frob edited", "Ask before you frob."),
        ("frob removed", "Frob in the morning only."),
    ] {
        let answer = answer(env, command, session);
        assert!(answer.contains(rule), "{command}: {answer}");
        assert_eq!(answer.contains("deny"), rule.starts_with("Never"), "{command}: {answer}");
    }
    for command in ["frob slipped", "frob retired"] {
        assert_eq!(answer(env, command, session), "", "{command}");
    }
}

fn not_accepted(env: &TestEnv) -> Value {
    env.lessons_json(&["status"])["notAccepted"].clone()
}

#[test]
fn what_its_manifest_says_was_accepted_stays_in_force_and_nothing_else() {
    let env = first_version();
    env.must(&["status"]);
    assert!(env.data().join("accepted.json").exists(), "made at the first start");
    assert_eq!(
        not_accepted(&env),
        json!({ "lessons": [["edited", "changed"], ["removed", "removed"], ["slipped-in", "new"]], "settings": [] })
    );
    env.must(&["edit", "plain", "--priority", "6"]);
    what_was_accepted_is_in_force(&env, "after a command");
    env.must(&["accept"]);
    assert!(answer(&env, "frob slipped", "accepted").contains("Frob whatever you like."));
    assert!(answer(&env, "frob drop", "accepted").contains("deny"));
}

#[test]
fn the_scan_in_the_background_brings_the_same_into_force() {
    let env = first_version();
    let scan = env.background("scan").output().expect("a scan");
    assert!(scan.status.success(), "{}", said(&scan));
    what_was_accepted_is_in_force(&env, "after a scan");
}

#[test]
fn where_its_manifest_is_lost_no_refusal_is_and_nothing_is_slipped_in() {
    let env = first_version();
    fs::remove_file(env.data().join("lesson-manifest.json")).expect("the manifest");
    let built = env.lessons(&["build"]);
    assert_eq!(built.status.code(), Some(1), "{}", said(&built));
    what_was_accepted_is_in_force(&env, "without a manifest");
}

#[test]
fn where_its_store_is_corrupt_nothing_is_taken_for_accepted_until_it_is_fixed() {
    let env = first_version();
    let store = env.data().join("lessons.json");
    let text = fs::read(&store).expect("the store");
    fs::write(&store, "{ this is no store").expect("the store");
    assert!(!env.lessons(&["build"]).status.success());
    assert!(!env.data().join("accepted.json").exists());
    fs::write(&store, text).expect("the store");
    env.must(&["edit", "plain", "--priority", "6"]);
    what_was_accepted_is_in_force(&env, "after a fix");
}

#[test]
fn on_a_machine_that_is_new_a_store_from_elsewhere_waits_for_a_person() {
    let env = TestEnv::new().without_seeds();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/first-version/lessons.json");
    fs::copy(from, env.data().join("lessons.json")).expect("a copy");
    let built = env.lessons(&["build"]);
    assert_eq!(built.status.code(), Some(1), "{}", said(&built));
    assert_eq!(answer(&env, "frob wipe", "before"), "");
    env.must(&["accept"]);
    assert!(answer(&env, "frob wipe", "after").contains("deny"));
}
