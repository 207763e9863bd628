//! Finding lessons: `lessons list` with and without words, a screen at a time, and `lessons query` with words.

use std::fs;

use lessons_tests::env::TestEnv;
use lessons_tests::terminal::Terminal;
use serde_json::{Value, json};

use crate::said::said;
use crate::scene::{add, advice};

fn ids(listed: &Value) -> Vec<&str> {
    listed.as_array().expect("a list").iter().filter_map(|entry| entry["id"].as_str()).collect()
}

/// A machine with a lesson that says what npm breaks, and another one.
fn machine() -> TestEnv {
    let env = TestEnv::new();
    let mut full = advice("lockfile", "Take the package manager of the lock file.", "frobnicate");
    full["mistake"] = "zebrapm rewrote the lock file".into();
    full["tags"] = json!(["tool:zebrapm"]);
    add(&env, &full, &[]);
    add(&env, &advice("other", "Ask before you frob.", "frob mine"), &[]);
    env
}

#[test]
fn own_lessons_come_first_and_words_are_searched_in_every_text() {
    let env = machine();
    let listed = env.lessons_json(&["list"]);
    assert_eq!(ids(&listed)[..2], ["user/lockfile", "user/other"]);
    assert!(ids(&listed)[2].starts_with("seed/"));
    for words in [&["zebrapm"][..], &["zebrapm", "lock"], &["frobnicate"], &["FROBNICATE"]] {
        assert_eq!(ids(&env.lessons_json(&[&["list"], words].concat())), ["user/lockfile"], "{words:?}");
    }
    assert_eq!(ids(&env.lessons_json(&["list", "--mine"])), ["user/lockfile", "user/other"]);
    let built_in = env.lessons_json(&["list", "stash"]);
    assert!(ids(&built_in).iter().any(|id| id.starts_with("seed/")), "{built_in}");
    insta::assert_snapshot!(said(&env, &env.lessons(&["query", "lock", "zebrapm", "--ids"])), @r"
    exit 0
    [user/lockfile] Take the package manager of the lock file.
    ");
    let text = said(&env, &env.lessons(&["query", "stash", "--top", "1"]));
    assert!(text.contains("more matched"), "{text}");
}

#[test]
fn the_start_of_an_id_names_the_persons_own_lesson_before_built_in_ones() {
    let env = machine();
    add(&env, &advice("git-stash-first", "Ask before you stash.", "frob stash"), &[]);
    let named =
        |text: &str| said(&env, &env.lessons(&["show", text])).lines().nth(1).unwrap_or_default().to_owned();
    assert_eq!(named("git-st"), "user/git-stash-first");
    assert_eq!(named("git-stash-u"), "seed/git-stash-untracked");
    assert_eq!(named("git-stash-untracked"), "seed/git-stash-untracked");
    assert_eq!(named("seed/git-stash-u"), "seed/git-stash-untracked");
    assert_eq!(named("user/o"), "user/other");
    // The name of a layer is the start of none of its ids.
    add(&env, &advice("use-frob", "Use frob.", "frob use"), &[]);
    assert_eq!(named("us"), "user/use-frob");
    add(&env, &advice("git-stash-later", "Ask after you stash.", "frob later"), &[]);
    let several = said(&env, &env.lessons(&["show", "git-st"]));
    assert!(several.contains("`git-st` could be") && several.contains("user/git-stash-first"), "{several}");
}

#[test]
fn lessons_of_this_project_are_those_that_are_limited_to_it() {
    let env = machine();
    fs::create_dir_all(env.project().join(".git")).expect("a folder");
    env.must(&["edit", "other", "--scope-project", "."]);
    assert_eq!(ids(&env.lessons_json(&["list", "--project"])), ["user/other"]);
    let elsewhere = env.lessons_in(&env.home(), &["list", "--project", "--json"]);
    assert_eq!(said(&env, &elsewhere), "exit 0\n[]");
    // A project without a remote has a hash for a key, and a folder for a person.
    let shown = said(&env, &env.lessons(&["show", "other"]));
    let folder = env.project().file_name().expect("a name").to_string_lossy().into_owned();
    assert!(shown.contains(&format!("projects  {folder} (")) && !shown.contains("root-"), "{shown}");
    let key = env.lessons_json(&["show", "other"])["lesson"]["scope"]["projects"][0].clone();
    assert!(key.as_str().is_some_and(|key| key.starts_with("root-")), "{key}");
    let agent = env.as_agent("s");
    let asked = agent.asks("lessons edit lockfile --scope-project .").to_string();
    assert!(asked.contains(&format!("{folder} (")) && !asked.contains("root-"), "{asked}");
}

#[test]
fn a_long_list_is_shown_a_screen_at_a_time() {
    let env = machine();
    for (columns, rows, first) in [(60, 20, 8), (120, 40, 18)] {
        let mut command = env.command("lessons");
        command.args(["list"]);
        let mut terminal = Terminal::start(&command, columns, rows);
        assert!(terminal.ends().success());
        terminal.sees("Next: lessons show ID");
        let shown = terminal.look(vt100::Screen::contents);
        let lines = shown.lines().filter(|line| line.contains("user/") || line.contains("seed/")).count();
        assert_eq!(lines, first, "{shown}");
        assert!(
            shown.contains("user/lockfile") && shown.contains("more: `lessons list --page 2`"),
            "{shown}"
        );
    }
    let mut command = env.command("lessons");
    command.args(["list", "--page", "2"]);
    let mut terminal = Terminal::start(&command, 60, 20);
    assert!(terminal.ends().success());
    terminal.sees("Next: lessons show ID");
    let shown = terminal.look(vt100::Screen::contents);
    assert!(!shown.contains("user/") && shown.contains("--page 3`"), "{shown}");
    assert!(env.must(&["list"]).lines().count() > 100, "a program reads everything");
}

#[test]
fn lessons_are_listed_before_the_first_build() {
    let env = TestEnv::new();
    let shown = env.must(&["list"]);
    assert!(
        shown.starts_with("Nothing is compiled yet, so the hooks do nothing. Run `lessons build`"),
        "{shown}"
    );
    assert!(shown.contains("off     seed/"), "{shown}");
    env.must(&["build"]);
    assert!(env.must(&["list"]).contains("advise  seed/"));
}

#[test]
fn a_list_is_sorted_by_date_or_rank_on_request() {
    let env = TestEnv::new().without_seeds();
    let lesson = |id: &str, created: &str, priority: u8| {
        json!({ "id": id, "rule": format!("Mind {id} when you frob."), "createdAt": created, "priority": priority,
                "triggers": [{ "kind": "command_pattern", "pattern": format!("frob {id}") }] })
    };
    for lesson in [
        lesson("b", "2026-03-01", 5),
        lesson("a", "2026-01-05T10:00:00Z", 9),
        lesson("c", "2026-03-01T08:00:00Z", 1),
    ] {
        let added = env.lessons_given(&["add", "--json-input", "-"], lesson.to_string().as_bytes());
        assert!(added.status.success(), "{}", lessons_tests::env::said(&added));
    }
    let ids = |words: &[&str]| -> Vec<String> {
        let list = env.lessons_json(words);
        let rows = list.as_array().expect("a list");
        rows.iter()
            .map(|row| row["id"].as_str().expect("an id").trim_start_matches("user/").to_owned())
            .collect()
    };
    assert_eq!(ids(&["list"]), ["a", "b", "c"]);
    assert_eq!(ids(&["list", "--sort", "created"]), ["c", "b", "a"]);
    assert_eq!(ids(&["list", "--sort", "priority"]), ["a", "b", "c"]);
    env.must(&["edit", "a", "--mistake", "It frobs."]);
    assert_eq!(ids(&["list", "--sort", "updated"])[0], "a");
}
