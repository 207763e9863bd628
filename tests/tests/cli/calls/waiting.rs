//! The line at a session start about candidates that wait.

use std::fs;
use std::time::{Duration, SystemTime};

use lessons_tests::env::TestEnv;

use crate::decisions::reviewing::with_three;
use crate::scene;
use crate::seeing::reading::with_candidates;

/// The line about candidates that a session start shows; empty without one.
fn told_at_start(env: &TestEnv) -> String {
    let told = scene::told_at_start(env);
    told.lines().find(|line| line.contains("candidate")).unwrap_or_default().to_owned()
}

/// Lets the last line be as old as this.
fn let_pass(env: &TestEnv, time: Duration) {
    let file = fs::File::options().write(true).open(env.data().join("log/waiting-told")).expect("a record");
    file.set_modified(SystemTime::now() - time).expect("a time");
}

const DAY: Duration = Duration::from_hours(24);

#[test]
fn waiting_candidates_are_named_once_a_day() {
    let (env, [first, second, third]) = with_three();
    env.must(&["build"]);
    assert_eq!(told_at_start(&env), "Lessons: 3 candidates wait: /lessons:review");
    assert_eq!(told_at_start(&env), "");
    let_pass(&env, Duration::from_hours(23));
    assert_eq!(told_at_start(&env), "", "within a day");
    env.must(&["reject", &first]);
    env.must(&["reject", &second]);
    let_pass(&env, DAY);
    assert_eq!(told_at_start(&env), "Lessons: 1 candidate waits: /lessons:review");
    let_pass(&env, DAY);
    env.must(&["reject", &third]);
    assert_eq!(told_at_start(&env), "", "none waits");
    env.must(&["undo"]);
    assert_eq!(
        told_at_start(&env),
        "Lessons: 1 candidate waits: /lessons:review",
        "the scan is not the only source"
    );
}

#[test]
fn flagged_candidates_are_named_where_no_other_waits() {
    let (env, [plain, _]) = with_candidates();
    env.must(&["build"]);
    assert_eq!(told_at_start(&env), "Lessons: 1 candidate waits: /lessons:review");
    env.must(&["reject", &plain]);
    let_pass(&env, DAY);
    assert_eq!(told_at_start(&env), "Lessons: 1 flagged candidate waits: run `lessons review` in a terminal");
}

#[test]
fn a_damaged_count_says_nothing_and_the_next_scan_repairs_it() {
    let (env, _) = with_three();
    env.must(&["build"]);
    fs::write(env.data().join("log/waiting"), "{ no count").expect("a file");
    assert_eq!(told_at_start(&env), "");
    env.must(&["scan"]);
    assert_eq!(told_at_start(&env), "Lessons: 3 candidates wait: /lessons:review");
}
