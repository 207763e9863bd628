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

/// The text for the model when a session starts.
fn model_is_told(env: &TestEnv, session: &str) -> String {
    let start = json!({
        "session_id": session, "hook_event_name": "SessionStart", "source": "startup", "cwd": env.project(),
    });
    let answer: Value = serde_json::from_slice(&env.session_start(&start).stdout).expect("an answer");
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn session_lessons_keep_to_their_setting_and_status_says_what_they_cost() {
    let env = TestEnv::new().without_seeds();
    let config = env.data().join("config.toml");
    let settings = std::fs::read_to_string(&config).expect("settings");
    for number in 0..20 {
        let rule = format!("Rule {number} of this house, {}", "which is worth some words. ".repeat(8));
        env.must(&["add", "--rule", rule.trim(), "--when", "session"]);
    }
    let given = |session: &str| {
        let told = model_is_told(&env, session);
        let lessons = told.split_once("\n[Lessons]").map_or(0, |(lessons, _)| lessons.len());
        (told.matches("[lesson user/").count(), lessons)
    };
    let mut counts = Vec::new();
    for (set, most) in [("", 1500), ("session.bytes = 4096\n", 4096), ("session.bytes = 0\n", 0)] {
        std::fs::write(&config, format!("{settings}{set}")).expect("settings");
        env.must(&["build"]);
        let (lessons, bytes) = given(&format!("s{most}"));
        assert!(bytes <= most, "{bytes} bytes");
        let status = env.lessons_json(&["status"])["atStart"].clone();
        assert_eq!((&status["lessons"], &status["allowed"]), (&json!(lessons), &json!(most)), "{status}");
        assert_eq!(status["leftOut"], json!(20 - lessons), "{status}");
        let shown = env.must(&["status"]);
        assert!(shown.contains(&format!(" of {most} bytes; with the protocol about ")), "{shown}");
        assert!(shown.contains("session lessons have no room: raise session.bytes"), "{shown}");
        counts.push(lessons);
    }
    assert!(counts[0] > 0 && counts[1] > counts[0] && counts[2] == 0, "{counts:?}");
    std::fs::write(&config, format!("{settings}session.bytes = 5000\n")).expect("settings");
    let doctor = env.lessons(&["doctor"]);
    assert!(
        String::from_utf8_lossy(&doctor.stdout).contains("`session.bytes` must be a number from 0 to 4096")
    );
}
