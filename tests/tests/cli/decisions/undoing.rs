//! `lessons undo` and `lessons log`: every change can be taken back, and that can be, too.

use std::fs;

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::json;

use crate::said::{said, with_a_lesson};
use crate::seeing::reading::with_candidates;

const ID: &str = "frob-use-frob-push-safe-which";

/// The text without the times at which changes were made.
fn without_times(text: &str) -> String {
    let line = |line: &str| match line.split_once(" UTC  ") {
        Some((start, rest)) if start.len() > 16 => {
            format!("{}TIME  {rest}", &start[..start.len() - 16])
        }
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn log(env: &TestEnv, words: &[&str]) -> String {
    without_times(&said(env, &env.lessons(&[&["log"][..], words].concat())))
}

#[test]
fn what_was_done_is_told_newest_first_and_taken_back() {
    let env = with_a_lesson();
    env.must(&["edit", ID, "--mistake", "It overwrites.", "--priority", "7"]);
    env.must(&["off", ID]);
    assert_snapshot!(log(&env, &[]), @r"
    exit 0
        3  TIME  off user/frob-use-frob-push-safe-which, by you, in a terminal
        2  TIME  changed user/frob-use-frob-push-safe-which (mistake, priority), by you, in a terminal
        1  TIME  added user/frob-use-frob-push-safe-which, by you, in a terminal
    Next: lessons undo 3
    ");
    assert_snapshot!(said(&env, &env.lessons(&["undo"])), @r"
    exit 0
    change 3 is undone: off user/frob-use-frob-push-safe-which
    Next: lessons undo 4, to undo that
    ");
    assert_eq!(env.lessons_json(&["show", ID])["lesson"]["mistake"], "It overwrites.");
    assert_snapshot!(said(&env, &env.lessons(&["undo"])), @r"
    exit 0
    change 2 is undone: changed user/frob-use-frob-push-safe-which (mistake, priority)
    Next: lessons undo 5, to undo that
    ");
    assert_snapshot!(said(&env, &env.lessons(&["undo", "5"])), @r"
    exit 0
    change 5 is undone: undid 2: user/frob-use-frob-push-safe-which
    Next: lessons undo 6, to undo that
    ");
    assert_snapshot!(log(&env, &["--limit", "3"]), @r"
    exit 0
        6  TIME  undid 5: user/frob-use-frob-push-safe-which, by you, in a terminal
        5  TIME  undid 2: user/frob-use-frob-push-safe-which, by you, in a terminal (undone by 6)
        4  TIME  undid 3: user/frob-use-frob-push-safe-which, by you, in a terminal
    Next: lessons undo 6
    ");
    assert_snapshot!(log(&env, &["frob-use"]), @r"
    exit 0
        6  TIME  undid 5: user/frob-use-frob-push-safe-which, by you, in a terminal
        5  TIME  undid 2: user/frob-use-frob-push-safe-which, by you, in a terminal (undone by 6)
        4  TIME  undid 3: user/frob-use-frob-push-safe-which, by you, in a terminal
        3  TIME  off user/frob-use-frob-push-safe-which, by you, in a terminal (undone by 4)
        2  TIME  changed user/frob-use-frob-push-safe-which (mistake, priority), by you, in a terminal
        1  TIME  added user/frob-use-frob-push-safe-which, by you, in a terminal
    Next: lessons undo 6
    ");
}

#[test]
fn undo_brings_back_what_the_hooks_do() {
    let env = with_a_lesson();
    let in_force = |env: &TestEnv| env.lessons_json(&["status"])["own"].clone();
    env.must(&["deprecate", ID]);
    assert_eq!(in_force(&env), 0);
    env.must(&["undo"]);
    assert_eq!(in_force(&env), 1);
    let answer = env.lessons_json(&["undo", "2"]);
    assert_eq!((&answer["done"], &answer["id"]), (&json!("unchanged"), &json!("2")));
}

#[test]
fn what_cannot_be_undone_says_why() {
    let env = with_a_lesson();
    env.must(&["edit", ID, "--priority", "7"]);
    assert_snapshot!(said(&env, &env.lessons(&["undo", "1"])), @r"
    exit 1
    --- stderr
    lessons: change 1 cannot be undone: user/frob-use-frob-push-safe-which was changed since, by change 2 (changed, by you, in a terminal). Undo that one first: lessons undo 2
    ");
    assert_snapshot!(said(&env, &env.lessons(&["undo", "77"])), @r"
    exit 2
    --- stderr
    lessons: there is no change 77; `lessons log` shows them
    ");
    assert_snapshot!(said(&env, &env.lessons(&["undo", "last"])), @r"
    exit 2
    --- stderr
    error: invalid value 'last' for '[NUMBER]': invalid digit found in string

    For more information, try '--help'.
    ");
    assert_snapshot!(said(&env, &TestEnv::new().lessons(&["undo"])), @r"
    exit 2
    --- stderr
    lessons: you have changed nothing that could be undone; `lessons log` shows every change
    ");
    assert_snapshot!(said(&env, &TestEnv::new().lessons(&["log"])), @r"
    exit 0
    Nothing can be undone
    Next: lessons
    ");
    assert_snapshot!(said(&env, &env.lessons(&["log", "nothing-like-it"])), @r"
    exit 2
    --- stderr
    lessons: nothing of `nothing-like-it` was ever changed; `lessons log` shows every change
    ");
    let forgotten = env.lessons_given(&["forget"], b"which asks first");
    assert!(forgotten.status.success(), "{}", said(&env, &forgotten));
    assert_snapshot!(said(&env, &env.lessons(&["undo"])), @r"
    exit 1
    --- stderr
    lessons: change 4 erased a text from all stored data, so it cannot be undone
    ");
    let answer = env.lessons(&["undo", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    assert_eq!(answer["code"], "CANNOT_BE_UNDONE");
}

#[test]
fn a_scan_and_a_decision_about_what_it_found_are_changes() {
    let (env, [plain, _]) = with_candidates();
    env.must(&["reject", &plain, "--reason", "too narrow"]);
    let changes = env.lessons_json(&["log"]);
    let told: Vec<_> =
        changes.as_array().expect("a list").iter().map(|it| (&it["action"], &it["by"])).collect();
    assert_eq!(
        told,
        [(&json!("rejected"), &json!("you, in a terminal")), (&json!("found"), &json!("the scanner")),]
    );
    env.must(&["undo"]);
    assert_eq!(env.lessons_json(&["candidates"])[0]["id"].as_str(), Some(plain.as_str()));
    let nothing = env.lessons(&["undo"]);
    assert_eq!(nothing.status.code(), Some(2), "what a scan found is undone by its number only");
    env.must(&["undo", "1"]);
    assert_eq!(env.lessons_json(&["candidates"]), json!([]));
    assert_eq!(env.lessons_json(&["log", &plain[..6]]).as_array().map(Vec::len), Some(4));
}

#[test]
fn a_lesson_that_was_promoted_is_a_candidate_again() {
    let (env, [plain, _]) = with_candidates();
    env.must(&["promote", &plain]);
    assert_eq!(env.lessons_json(&["show", &plain])["promoted"], true);
    env.must(&["undo"]);
    assert_eq!(env.lessons_json(&["candidates"])[0]["id"].as_str(), Some(plain.as_str()));
    assert_eq!(
        env.lessons_json(&["list"])
            .as_array()
            .map(|all| all.iter().filter(|it| it["layer"] == "user").count()),
        Some(0)
    );
}

#[test]
fn trust_is_taken_back_and_had_back() {
    let env = with_a_lesson();
    let folder = env.project().join(".lessons");
    fs::create_dir_all(&folder).expect("a folder");
    fs::copy(env.data().join("lessons.json"), folder.join("lessons.json")).expect("a copy");
    env.must(&["trust", "--yes"]);
    env.must(&["untrust"]);
    let of_projects = |env: &TestEnv| env.must(&["list"]).matches("project-").count();
    assert_eq!(of_projects(&env), 0);
    assert_snapshot!(said(&env, &env.lessons(&["undo"])), @r"
    exit 0
    change 3 is undone: untrusted PROJECT
    Next: lessons undo 4, to undo that
    ");
    assert!(of_projects(&env) > 0);
    assert_snapshot!(log(&env, &["--limit", "2"]).replace("PROJECT/project", "PROJECT"), @r"
    exit 0
        4  TIME  undid 3: PROJECT, by you, in a terminal
        3  TIME  untrusted PROJECT, by you, in a terminal (undone by 4)
    Next: lessons undo 4
    ");
}

#[test]
fn no_changes_at_all_are_no_question() {
    let env = TestEnv::new().without_seeds();
    let refused = env.lessons(&["log", "--limit", "0"]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&env, &refused));
    assert!(said(&env, &refused).contains("--limit"), "{}", said(&env, &refused));
}
