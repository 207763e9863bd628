//! Every road by which a store can change without a command: what was accepted stays in force, and a difference is said
//! once.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::scene::{
    answer, by_hand, is_blocked, machine, only_what_was_accepted_is_in_force, rewrite_the_store,
    told_at_start,
};

/// A store that somebody else's machine has, where `mine` says the opposite and `guard` does not exist.
fn of_another_machine(env: &TestEnv) -> Vec<u8> {
    let before = fs::read(env.data().join("lessons.json")).expect("the store");
    rewrite_the_store(env);
    let other = fs::read(env.data().join("lessons.json")).expect("the store");
    fs::write(env.data().join("lessons.json"), before).expect("the store");
    env.lessons(&["build"]);
    told_at_start(env);
    other
}

fn git(folder: &Path, words: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .output()
        .expect("git");
    assert!(output.status.success(), "git {words:?}: {}", said(&output));
}

/// The store is under git, as DESIGN wants it to be: a branch has `other`, and is checked out.
fn by_git(env: &TestEnv, other: &[u8]) {
    let data = env.data();
    git(&data, &["init", "-q"]);
    git(&data, &["add", "lessons.json"]);
    git(&data, &["commit", "-q", "-m", "mine"]);
    git(&data, &["switch", "-q", "-c", "other"]);
    fs::write(data.join("lessons.json"), other).expect("the store");
    git(&data, &["commit", "-q", "-am", "theirs"]);
    git(&data, &["switch", "-q", "main"]);
    told_at_start(env);
    git(&data, &["checkout", "-q", "other", "--", "lessons.json"]);
}

/// A program replaces the store by a rename, and gives it the time that it has on another machine: long ago.
fn by_a_sync(env: &TestEnv, other: &[u8]) {
    let beside = env.data().join("lessons.json.sync");
    fs::write(&beside, other).expect("a file");
    let past = SystemTime::now() - Duration::from_hours(24 * 30);
    fs::File::options().write(true).open(&beside).expect("a file").set_modified(past).expect("a time");
    fs::rename(&beside, env.data().join("lessons.json")).expect("a move");
}

fn by_an_editor(env: &TestEnv, other: &[u8]) {
    fs::write(env.data().join("lessons.json"), other).expect("the store");
}

/// A backup of the whole folder is put back, in which the store was not as it had been accepted.
fn by_a_backup(env: &TestEnv, other: &[u8]) {
    let (data, aside) = (env.data(), env.data().with_extension("old"));
    fs::rename(&data, &aside).expect("a move");
    let copied = Command::new("cp").arg("-Rp").args([&aside, &data]).status().expect("cp");
    assert!(copied.success());
    fs::write(data.join("lessons.json"), other).expect("the store");
}

#[test]
fn by_whatever_road_a_store_changes_what_was_accepted_is_in_force_and_the_difference_is_said_once() {
    type Road = fn(&TestEnv, &[u8]);
    let roads: [(&str, Road); 4] =
        [("git", by_git), ("a sync", by_a_sync), ("an editor", by_an_editor), ("a backup", by_a_backup)];
    for (road, take) in roads {
        let env = machine();
        let other = of_another_machine(&env);
        take(&env, &other);
        let told = told_at_start(&env);
        assert!(told.contains("lessons.json was changed outside of `lessons`"), "{road}: {told}");
        for way_on in ["`lessons accept --dry-run`", "`lessons accept`", "`lessons restore --store`"] {
            assert!(told.contains(way_on), "{road}: {told}");
        }
        assert_eq!(told_at_start(&env), "", "{road}: once");
        env.lessons(&["build"]);
        only_what_was_accepted_is_in_force(&env);
        assert_eq!(told_at_start(&env), "", "{road}: also after a build");
        let status = env.must(&["status"]);
        assert!(
            status.contains("user/guard (removed), user/mine (changed), user/slipped-in (new)"),
            "{status}"
        );
        assert!(env.must(&["accept", "--dry-run"]).contains("removed  user/guard"), "{road}");
        env.must(&["restore", "--store"]);
        only_what_was_accepted_is_in_force(&env);
        assert!(env.must(&["accept", "--dry-run"]).contains("Nothing differs"), "{road}");
    }
}

#[test]
fn a_store_that_is_written_again_as_it_was_is_no_difference() {
    let env = machine();
    told_at_start(&env);
    let store = env.data().join("lessons.json");
    let (bytes, settings) = (fs::read(&store).expect("the store"), env.data().join("config.toml"));
    fs::write(&store, &bytes).expect("the store");
    fs::write(&settings, fs::read(&settings).expect("the settings")).expect("the settings");
    assert_eq!(told_at_start(&env), "");
    // The same length, and another content.
    let changed =
        String::from_utf8(bytes).expect("text").replace("Ask before you frob.", "Ask before you frog.");
    fs::write(&store, changed).expect("the store");
    assert!(told_at_start(&env).contains("lessons.json was changed"));
}

#[test]
fn a_store_that_is_gone_is_said_once_and_again_when_it_comes_back_in_another_form() {
    let env = machine();
    told_at_start(&env);
    let store = env.data().join("lessons.json");
    let bytes = fs::read(&store).expect("the store");
    fs::remove_file(&store).expect("the store");
    assert!(told_at_start(&env).contains("lessons.json is gone"));
    assert_eq!(told_at_start(&env), "");
    assert!(is_blocked(&env));
    fs::write(&store, &bytes).expect("the store");
    assert_eq!(told_at_start(&env), "", "it holds what was accepted");
    by_hand(&env, "lessons.json", |store| store["lessons"]["mine"]["rule"] = "Frob at noon.".into());
    assert!(told_at_start(&env).contains("lessons.json was changed"));
}

#[test]
fn on_a_second_machine_a_store_waits_for_the_person_there() {
    let one = machine();
    let two = TestEnv::new().without_seeds();
    fs::copy(one.data().join("lessons.json"), two.data().join("lessons.json")).expect("a copy");
    let told = told_at_start(&two);
    assert!(told.contains("lessons.json") && told.contains("`lessons accept`"), "{told}");
    assert_eq!(told_at_start(&two), "", "once");
    assert!(!is_blocked(&two) && answer(&two, "frob mine").is_empty());
    let status: Value = two.lessons_json(&["status"]);
    assert_eq!(status["notAccepted"]["lessons"], json!([["guard", "new"], ["mine", "new"]]));
    two.must(&["accept"]);
    only_what_was_accepted_is_in_force(&two);
}
