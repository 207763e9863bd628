//! Only what a person has accepted is in force, whatever somebody writes into the files themselves.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::scene::{
    add, advice, answer, by_hand, is_blocked, machine, only_what_was_accepted_is_in_force, rewrite_the_store,
    told_at_start, what_was_written_by_hand_is_in_force,
};
use crate::seeing::reading::tag;

fn not_accepted(env: &TestEnv) -> Value {
    env.lessons_json(&["status"])["notAccepted"].clone()
}

#[test]
fn what_was_written_by_hand_is_not_in_force_after_an_unrelated_command() {
    let env = machine();
    rewrite_the_store(&env);
    env.must(&["off", "all", "--for", "1h"]);
    env.must(&["on", "all"]);
    add(&env, &advice("other", "Frob twice.", "frob other"), &[]);
    only_what_was_accepted_is_in_force(&env);
    assert!(answer(&env, "frob other").contains("Frob twice."), "what the command itself did");
    let built = env.lessons(&["build"]);
    assert_eq!(built.status.code(), Some(1), "{}", said(&built));
    only_what_was_accepted_is_in_force(&env);
    assert_eq!(
        not_accepted(&env)["lessons"],
        json!([["guard", "removed"], ["mine", "changed"], ["slipped-in", "new"]])
    );
}

#[test]
fn status_names_each_difference_and_session_start_says_it_once() {
    let env = machine();
    told_at_start(&env);
    assert_eq!(told_at_start(&env), "");
    rewrite_the_store(&env);
    let status = env.must(&["status"]);
    let line = status.lines().find(|line| line.starts_with("Changed outside of `lessons`")).expect("a line");
    assert!(line.contains("user/guard (removed), user/mine (changed), user/slipped-in (new)"), "{line}");
    let told = told_at_start(&env);
    assert!(
        told.contains("lessons.json was changed outside of `lessons`") && told.contains("`lessons accept`"),
        "{told}"
    );
    assert_eq!(told_at_start(&env), "", "once for each difference");
    rewrite_the_store_again(&env);
    env.must(&["list"]);
    assert!(told_at_start(&env).contains("lessons.json"), "another difference");
    env.must(&["accept"]);
    assert!(!told_at_start(&env).contains("lessons.json changed"));
    assert_eq!(not_accepted(&env), json!({ "lessons": [], "settings": [] }));
}

fn rewrite_the_store_again(env: &TestEnv) {
    by_hand(env, "lessons.json", |store| store["lessons"]["mine"]["rule"] = "Frob at noon.".into());
}

#[test]
fn accept_shows_what_differs_takes_it_and_can_be_undone() {
    let env = machine();
    rewrite_the_store(&env);
    let shown = env.must(&["accept", "--dry-run"]);
    for text in [
        "removed  user/guard",
        "changed  user/mine",
        "- Ask before",
        "+ Never ask",
        "new      user/slipped-in",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    only_what_was_accepted_is_in_force(&env);
    let accepted = env.lessons_json(&["accept"]);
    assert_eq!(
        accepted["lessons"][0],
        json!({
            "id": "user/guard", "change": "removed", "after": null,
            "before": "Never wipe with frob. (block, active; trigger cmd=frob wipe)",
        }),
        "{accepted}"
    );
    what_was_written_by_hand_is_in_force(&env);
    assert!(env.must(&["accept"]).contains("Nothing differs"));
    env.must(&["undo", &accepted["change"].to_string()]);
    only_what_was_accepted_is_in_force(&env);
    assert_eq!(not_accepted(&env)["lessons"].as_array().map(Vec::len), Some(3), "the store is as it was");
}

#[test]
fn restore_puts_the_store_back_and_can_be_undone() {
    let env = machine();
    let graph = || -> Value {
        serde_json::from_slice(&fs::read(env.data().join("lessons.json")).expect("the store")).expect("JSON")
    };
    let before = graph();
    rewrite_the_store(&env);
    let by_hand = graph();
    env.must(&["restore", "--store"]);
    assert_eq!(graph(), before);
    assert_eq!(not_accepted(&env)["lessons"], json!([]));
    only_what_was_accepted_is_in_force(&env);
    env.must(&["undo"]);
    assert_eq!(graph()["lessons"], by_hand["lessons"]);
    only_what_was_accepted_is_in_force(&env);
    assert!(env.must(&["restore", "--store"]).contains("lessons.json is restored"));
    assert!(env.must(&["restore", "--store"]).contains("already"));
}

#[test]
fn restore_puts_back_a_store_that_is_corrupt_or_gone() {
    let env = machine();
    let store = env.data().join("lessons.json");
    let before = fs::read(&store).expect("the store");
    fs::write(&store, "{ this is no store").expect("the store");
    let build = env.lessons(&["build"]);
    let text = said(&build);
    assert!(!build.status.success() && text.contains("lessons restore --store"), "{text}");
    only_what_was_accepted_is_in_force(&env);
    env.must(&["restore", "--store"]);
    assert_eq!(fs::read(&store).expect("the store"), before);
    assert!(
        fs::read_dir(env.data().join("backups")).expect("a folder").count() >= 1,
        "the corrupt one is kept"
    );
    fs::remove_file(&store).expect("the store");
    env.must(&["restore", "--store"]);
    assert_eq!(fs::read(&store).expect("the store"), before);
}

#[test]
fn a_setting_that_was_changed_by_hand_is_not_in_force_until_it_is_accepted() {
    let env = machine();
    let settings = env.data().join("config.toml");
    let text = fs::read_to_string(&settings).expect("the settings");
    fs::write(&settings, format!("enabled = false\n{text}\n[off]\n\"user/guard\" = \"\"\n"))
        .expect("the settings");
    add(&env, &advice("other", "Frob twice.", "frob other"), &[]);
    only_what_was_accepted_is_in_force(&env);
    assert_eq!(not_accepted(&env)["settings"], json!(["enabled", "off.user/guard"]));
    assert!(env.must(&["accept"]).contains("setting  enabled: not set -> false"));
    assert!(!is_blocked(&env));
    env.must(&["undo"]);
    only_what_was_accepted_is_in_force(&env);
}

#[test]
fn settings_that_were_there_before_the_first_decision_are_in_force_whatever_a_scan_found_before() {
    let env = TestEnv::new().without_seeds();
    env.write_transcript(
        "app/session.jsonl",
        &[tag(
            1,
            "#lesson\ntool: Bash\ntrigger: frob\nmistake: it frobs too much\nfix: frob less often\n#/lesson",
        )],
    );
    env.must(&["scan"]);
    env.must(&["add", "--rule", "Frob with care.", "--trigger", "kw=frob anchor"]);
    let in_force = env.lessons_json(&["list"]);
    let layers = in_force.as_array().expect("a list").iter().map(|lesson| lesson["id"].as_str());
    assert!(layers.flatten().all(|id| id.starts_with("user/")), "{in_force}");
}

#[test]
fn a_command_accepts_what_it_changed_and_nothing_besides() {
    let env = machine();
    rewrite_the_store(&env);
    let edited = env.lessons(&["edit", "mine", "--mistake", "It breaks the frob."]);
    assert_eq!(edited.status.code(), Some(1), "{}", said(&edited));
    assert!(said(&edited).contains("is not accepted yet"), "{}", said(&edited));
    let mine = answer(&env, "frob mine");
    assert!(mine.contains("It breaks the frob.") && mine.contains("Ask before you frob."), "{mine}");
    only_what_was_accepted_is_in_force(&env);
    env.must(&["deprecate", "mine"]);
    assert_eq!(answer(&env, "frob mine"), "");
    env.must(&["undo"]);
    only_what_was_accepted_is_in_force(&env);
}

#[test]
fn a_block_is_still_there_after_manifest_and_index_were_lost() {
    let env = machine();
    rewrite_the_store(&env);
    for file in ["lesson-manifest.json", "lesson-manifest.idx"] {
        fs::remove_file(env.data().join(file)).expect("a file");
    }
    // The first call has both made anew from the accepted copies, and gets its answer from them.
    only_what_was_accepted_is_in_force(&env);
    assert!(env.data().join("lesson-manifest.json").exists());
}

#[test]
fn a_scan_makes_manifest_and_index_anew_too() {
    let env = machine();
    rewrite_the_store(&env);
    for file in ["lesson-manifest.json", "lesson-manifest.idx"] {
        fs::remove_file(env.data().join(file)).expect("a file");
    }
    let scan = env.background("scan").output().expect("a scan");
    assert!(scan.status.success(), "{}", said(&scan));
    assert!(env.data().join("lesson-manifest.idx").exists(), "before any hook has looked");
    only_what_was_accepted_is_in_force(&env);
}

#[test]
fn a_block_is_still_there_after_the_accepted_copies_were_lost_too() {
    let env = machine();
    rewrite_the_store(&env);
    for file in ["lesson-manifest.json", "lesson-manifest.idx", "decisions.json"] {
        fs::remove_file(env.data().join(file)).expect("a file");
    }
    env.must(&["list"]);
    env.lessons(&["build"]);
    // The journal knows them.
    only_what_was_accepted_is_in_force(&env);
}

#[test]
fn corrupt_accepted_copies_that_nothing_else_tells_of_are_named_with_the_way_out_and_no_block_ends() {
    let env = machine();
    let accepted = env.data().join("decisions.json");
    fs::write(&accepted, "{ this is nothing").expect("the copies");
    // Neither the journal nor the manifest can tell what was accepted.
    for file in ["lessons.db", "lessons.db-wal", "lessons.db-shm", "lesson-manifest.json"] {
        drop(fs::remove_file(env.data().join(file)));
    }
    for words in
        [&["status"][..], &["build"], &["edit", "mine", "--rule", "Frob at noon."], &["doctor"], &["nightly"]]
    {
        let output = env.lessons(words);
        let text = said(&output);
        assert!(!output.status.success(), "{words:?}: {text}");
        assert!(text.contains("decisions.json") && text.contains("lessons accept"), "{words:?}: {text}");
        only_what_was_accepted_is_in_force(&env);
    }
    // A block that the store does not have any more is named before it goes.
    rewrite_the_store(&env);
    let shown = env.must(&["accept"]);
    assert!(shown.contains("removed  user/guard"), "{shown}");
    what_was_written_by_hand_is_in_force(&env);
    let kept = fs::read_dir(env.data().join("backups")).expect("a folder").flatten();
    let mut kept = kept.map(|entry| fs::read(entry.path()).expect("a file"));
    assert!(kept.any(|bytes| bytes == b"{ this is nothing"), "the corrupt file is kept");
}

#[test]
fn a_text_that_is_forgotten_is_gone_from_the_accepted_copies() {
    let env = machine();
    add(&env, &advice("secret", "Never log in as zebra-account 9 there.", "frob login"), &[]);
    // The store has it no longer, the accepted copy does.
    by_hand(&env, "lessons.json", |store| {
        store["lessons"].as_object_mut().expect("lessons").remove("secret");
    });
    let accepted = || fs::read_to_string(env.data().join("decisions.json")).expect("the copies");
    assert!(accepted().contains("zebra-account 9"));
    let forgotten = env.lessons_given(&["forget"], b"zebra-account 9\n");
    assert!(forgotten.status.success(), "{}", said(&forgotten));
    assert!(!accepted().contains("zebra"), "{}", accepted());
    only_what_was_accepted_is_in_force(&env);
}

#[test]
fn only_a_person_accepts_or_restores() {
    let env = machine();
    rewrite_the_store(&env);
    let agent = env.as_agent("s");
    for words in [&["accept"][..], &["restore", "--store"]] {
        let refused = agent.lessons(words);
        assert!(
            !refused.status.success() && said(&refused).contains("only a person decides"),
            "{}",
            said(&refused)
        );
    }
    assert!(agent.lessons(&["accept", "--dry-run"]).status.success());
    only_what_was_accepted_is_in_force(&env);
    assert_eq!(fs::metadata(env.data().join("decisions.json")).expect("the copies").mode() & 0o777, 0o600);
}
