//! A home that the version before left, with its decisions in five files, is taken over once and whole.
//!
//! `fixtures/home-before` was made with its programs: five lessons were added, one of them a block and one a bump, and one
//! switched off; a lesson of the project, whose store is trusted with it; ana's lessons are taken at once and ben's are
//! candidates; two incidents were reported and one retired. Then, by hand: one lesson says the opposite. `lessons.sql` is the
//! database.

use std::fs;
use std::path::Path;

use lessons_home::files;
use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::journal::Difference;
use lessons_store::decisions::Decisions;
use lessons_tests::env::{TestEnv, said};
use lessons_tests::shared::with_remote;
use rusqlite::Connection;
use serde_json::{Value, json};

/// The files of decisions that went.
const GONE: [&str; 5] = ["accepted.json", "incidents.json", "peers.json", "received.json", "trust.json"];

fn home_before() -> TestEnv {
    let env = TestEnv::new();
    with_remote(&env);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/home-before");
    let here = |text: String| {
        let project = env.project();
        text.replace("@PROJECT@", project.to_str().expect("a path"))
            .replace("@HOME@", env.home().to_str().expect("a path"))
    };
    let copy = |from: &Path, to: &Path| {
        files::ensure_folder(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").flatten().filter(|it| it.path().is_file()) {
            let text = here(fs::read_to_string(entry.path()).expect("text"));
            fs::write(to.join(entry.file_name()), text).expect("a file");
        }
    };
    copy(&from, &env.data());
    copy(&from.join("trust"), &env.data().join("trust"));
    let sql = fs::read_to_string(env.data().join("lessons.sql")).expect("the database as text");
    fs::remove_file(env.data().join("lessons.sql")).expect("a file");
    Connection::open(env.data().join("lessons.db")).expect("a database").execute_batch(&sql).expect("rows");
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
fn everything_decided_is_in_force(env: &TestEnv, session: &str) {
    for (command, rule) in [
        ("frob wipe", "Never wipe the frob."),
        ("frob drop", "Look before you drop the frob."),
        ("frob plain", "Use the safe form of frob."),
        ("frob edited", "Ask before you frob."),
        ("frob root", "Frob the project from its root."),
        ("frob push", "Use `frob push --safe`"),
    ] {
        let answer = answer(env, command, session);
        assert!(answer.contains(rule), "{command}: {answer}");
    }
    assert_eq!(answer(env, "frob off", session), "", "it is switched off");
    assert!(answer(env, "frob wipe", session).contains("deny"));
}

#[test]
fn everything_that_was_decided_is_taken_over_with_a_row_for_each() {
    let env = home_before();
    let log = env.must(&["log"]);
    assert!(log.contains("  15  ") && !log.contains("  16  "), "nothing new is in the log: {log}");
    for file in GONE {
        assert!(!env.data().join(file).exists(), "{file}");
    }
    let home = Home::at(env.data());
    let decisions = Decisions::read(&home).expect("the decisions");
    assert_eq!(decisions.accepted.graph.lessons().len(), 5);
    assert!(decisions.accepted.settings.contains_key("off.user/frob-frob-in-the-morning-only"));
    assert_eq!((decisions.trusted.0.len(), decisions.peers.0.len()), (1, 2));
    assert_eq!((decisions.received.lessons().count(), decisions.incidents.entries.len()), (1, 2));
    let rows = Database::open(&home).expect("the database").change(0).expect("rows");
    assert_eq!(rows.len(), Difference::of_decisions(&Decisions::none(&home), &decisions).len());
    everything_decided_is_in_force(&env, "one");
    assert_eq!(env.lessons_json(&["candidates"]).as_array().map(Vec::len), Some(2));
    let retired = env.lessons_json(&["incidents", "--all"])["incidents"].clone();
    let active =
        retired.as_array().expect("incidents").iter().filter(|it| it["active"] == json!(true)).count();
    assert_eq!(active, 1);
    assert_eq!(
        env.lessons_json(&["status"])["notAccepted"]["lessons"],
        json!([["frob-ask-before-you-frob", "changed"]])
    );
}

/// Before, a bump or block about a file stopped whoever named the file; now it stops what writes it, unless it says otherwise.
#[test]
fn a_block_about_a_file_goes_on_stopping_those_who_read_it() {
    let env = home_before();
    for (file, graph) in [("lessons.json", ""), ("accepted.json", "/graph")] {
        let path = env.data().join(file);
        let mut whole: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        let graph = whole.pointer_mut(graph).expect("a graph");
        graph["triggers"]["t-glob-9f34a119"] = json!({"kind": "file_glob", "pattern": "**/.env"});
        graph["lessons"]["frob-never-wipe-the-frob"]["triggers"] =
            json!(["t-cmd-e9dc6528", "t-glob-9f34a119"]);
        fs::write(path, serde_json::to_vec_pretty(&whole).expect("JSON")).expect("a file");
    }
    // What an editor changed before waits to be accepted, so the build says so.
    env.lessons(&["build"]);
    let call = |tool: &str| {
        let payload = json!({
            "session_id": "one", "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": tool,
            "tool_input": { "file_path": env.project().join(".env") }, "tool_use_id": "toolu_1",
        });
        String::from_utf8(env.hook(&payload).stdout).expect("text")
    };
    for tool in ["Read", "Edit"] {
        assert!(call(tool).contains("deny"), "{tool}: {}", call(tool));
    }
    assert!(answer(&env, "frob wipe", "one").contains("deny"));
    let waits = env.lessons_json(&["status"])["notAccepted"]["lessons"].clone();
    assert!(!waits.to_string().contains("never-wipe"), "nobody has to accept it again: {waits}");
}

#[test]
fn what_was_decided_before_can_be_undone() {
    let env = home_before();
    // Retired the incident; received ana's lesson; switched a lesson off; added the block.
    for change in ["14", "10", "6", "2"] {
        env.must(&["undo", change]);
    }
    assert_eq!(answer(&env, "frob wipe", "one"), "");
    assert_eq!(answer(&env, "frob push", "one"), "");
    assert!(answer(&env, "frob off", "one").contains("Frob in the morning only."));
}

#[test]
fn a_lost_file_of_decisions_is_made_anew_from_the_rows() {
    let env = home_before();
    env.must(&["status"]);
    let file = env.data().join("decisions.json");
    let before: Value = serde_json::from_slice(&fs::read(&file).expect("decisions")).expect("JSON");
    fs::remove_file(&file).expect("decisions");
    env.must(&["status"]);
    let after: Value = serde_json::from_slice(&fs::read(&file).expect("decisions")).expect("JSON");
    for part in ["graph", "settings", "trusted", "peers", "incidents"] {
        assert_eq!(after[part], before[part], "{part}");
    }
    everything_decided_is_in_force(&env, "one");
}

#[test]
fn the_scan_in_the_background_takes_over_too() {
    let env = home_before();
    let scan = env.background("scan").output().expect("a scan");
    assert!(scan.status.success(), "{}", said(&scan));
    everything_decided_is_in_force(&env, "after a scan");
}

#[test]
fn on_a_machine_that_is_new_a_store_from_elsewhere_waits_for_a_person() {
    let env = TestEnv::new().without_seeds();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/home-before/lessons.json");
    fs::copy(from, env.data().join("lessons.json")).expect("a copy");
    let built = env.lessons(&["build"]);
    assert_eq!(built.status.code(), Some(1), "{}", said(&built));
    assert_eq!(answer(&env, "frob wipe", "before"), "");
    env.must(&["accept"]);
    assert!(answer(&env, "frob wipe", "after").contains("deny"));
}
