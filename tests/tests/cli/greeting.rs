//! The first session: what the user is told, and what is in force.

use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::scene::answer;

/// What the user is told when a session starts.
fn told_at_startup(env: &TestEnv) -> String {
    let start = json!({
        "session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": env.project(),
    });
    let answer: Value = serde_json::from_slice(&env.session_start(&start).stdout).expect("an answer");
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_first_session_says_in_one_line_that_lessons_is_on_and_the_next_says_nothing() {
    let env = TestEnv::new();
    let told = told_at_startup(&env);
    let count = told.strip_prefix("Lessons is on, with ").and_then(|rest| rest.split(' ').next());
    assert!(count.and_then(|count| count.parse::<u32>().ok()).is_some_and(|count| count > 50), "{told}");
    assert!(told.contains(" built-in lessons") && told.contains("/lessons:help"), "{told}");
    assert_eq!(told.lines().count(), 1);
    assert_eq!(told_at_startup(&env), "");
}

#[test]
fn with_the_plugin_alone_the_built_in_lessons_are_in_force_in_the_first_session() {
    let env = TestEnv::new();
    assert!(!env.data().exists());
    let _ = told_at_startup(&env);
    assert!(answer(&env, "git stash").contains("seed/git-stash-untracked"));
}

#[test]
fn where_every_built_in_lesson_is_off_none_is_counted() {
    let env = TestEnv::new().without_seeds();
    env.must(&["build"]);
    assert!(told_at_startup(&env).starts_with("Lessons is on. "));
}
