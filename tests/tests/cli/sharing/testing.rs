//! `lessons test`: the examples of lessons, for the CI of a store that several people share.

use std::fs;
use std::path::PathBuf;

use lessons_tests::env::TestEnv;
use serde_json::json;

use crate::said::said;

/// A store in the project here, with a lesson of which the example `fires` is this command.
fn store(env: &TestEnv, fires: &str) -> PathBuf {
    let store = json!({"version": 1, "topics": {"frob": {"summary": "Frob"}},
        "triggers": {"t-push": {"kind": "command_pattern", "pattern": r"\bfrob push\b"}},
        "lessons": {"ask-first": {"rule": "Use frob push --safe.", "topics": ["frob"], "triggers": ["t-push"],
            "evidence": [], "status": "active", "createdAt": "2026-01-01",
            "examples": {"fires": [{"tool": "Bash", "command": fires}]}}}});
    let path = env.project().join(".lessons/lessons.json");
    fs::create_dir_all(env.project().join(".git")).expect("a folder");
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, store.to_string()).expect("the store");
    path
}

#[test]
fn the_store_of_the_project_here_is_tried_on_a_machine_that_trusts_nothing() {
    let env = TestEnv::new();
    let lessons = || env.lessons_json(&["test"])["lessons"].as_u64().expect("a number");
    let shipped = lessons();
    store(&env, "frob push a");
    assert_eq!(lessons(), shipped + 1);
    store(&env, "frob pull a");
    let tried = said(&env, &env.lessons(&["test"]));
    assert!(tried.starts_with("exit 1\n"), "{tried}");
    assert!(tried.contains("ask-first: ") && tried.contains("frob pull a"), "{tried}");
}

#[test]
fn an_approved_store_is_tried_as_it_stands_now() {
    let env = TestEnv::new().without_seeds();
    store(&env, "frob push a");
    env.must(&["trust", "--yes"]);
    store(&env, "frob pull a");
    assert_eq!(env.lessons(&["test"]).status.code(), Some(1));
}

#[test]
fn a_store_that_is_named_is_tried_alone() {
    let env = TestEnv::new();
    let path = store(&env, "frob push a");
    let tried = said(&env, &env.lessons(&["test", path.to_str().expect("a path")]));
    assert!(tried.contains("1 example of 1 lesson tried, 0 failed"), "{tried}");
    assert!(!env.lessons(&["test", "none.json"]).status.success());
}

#[test]
fn what_keeps_a_lesson_of_a_named_store_from_being_tried_is_said() {
    let env = TestEnv::new();
    let path = store(&env, "frob push a");
    let undated = fs::read_to_string(&path).expect("the store").replace("\"createdAt\":\"2026-01-01\",", "");
    fs::write(&path, undated).expect("the store");
    let tried = said(&env, &env.lessons(&["test", path.to_str().expect("a path")]));
    assert!(
        tried.starts_with("exit 1\n") && tried.contains("ask-first") && tried.contains("createdAt"),
        "{tried}"
    );
}
