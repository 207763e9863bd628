//! A damaged, foreign or unreachable file is named, with what to do; what still works goes on working.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::keeping::losing::remove_database;
use crate::said::{said, with_a_lesson};
use crate::scene::{is_blocked, machine, told_at_start};

#[test]
fn a_damaged_store_is_named_once_and_status_still_answers() {
    let env = with_a_lesson();
    fs::write(env.data().join("lessons.json"), "{bad").expect("the store");
    assert_snapshot!(said(&env, &env.lessons(&["build"])), @r#"
    exit 1
    SEEDS + 1 lessons in force: 1 of your own, 0 from projects you trust, SEEDS built in.
    HOME/.local/share/lessons/lessons.json: line 1, column 2: key must be a string; `lessons restore --store` restores what you accepted
    What you accepted stays in force
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["status"])), @r#"
    exit 1
    Warning: HOME/.local/share/lessons/lessons.json: line 1, column 2: key must be a string; `lessons restore --store` restores what you accepted
    SEEDS + 1 lessons in force, 1 of them your own
    Today: 0 reminders, 0 blocked, 0 allowed on retry
    Newest: user/frob-use-frob-push-safe-which (Use `frob push --safe`, which asks first.), switched on by you, in a terminal
    Nothing waits for you. `lessons scan` looks for mistakes, `lessons add` records one
    "#);
}

/// What the hook before a tool call says to a call that the lesson is about.
fn advice(env: &TestEnv, session: &str) -> String {
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": "frob push" }, "tool_use_id": "toolu_1",
    });
    String::from_utf8(env.hook(&call).stdout).expect("text")
}

#[test]
fn switching_off_and_on_works_while_the_store_is_damaged() {
    let env = with_a_lesson();
    fs::write(env.data().join("lessons.json"), "{bad").expect("the store");
    assert!(advice(&env, "one").contains("frob push --safe"));
    for (step, id) in ["all", "user/frob-use-frob-push-safe-which"].into_iter().enumerate() {
        let answer = said(&env, &env.lessons(&["off", id, "--for", "2h"]));
        assert!(answer.starts_with("exit 0"), "{answer}");
        assert_eq!(advice(&env, &format!("off {step}")), "", "{id}");
        env.must(&["on", id]);
        assert!(advice(&env, &format!("on {step}")).contains("frob push --safe"), "{id}");
    }
    // Without an end it leaves the manifest, and only a build brings it back.
    env.must(&["off", "frob-use-frob-push-safe-which"]);
    assert_eq!(advice(&env, "off for ever"), "");
}

#[test]
fn switching_off_works_where_no_index_can_be_written() {
    let env = with_a_lesson();
    assert!(advice(&env, "before").contains("frob push --safe"));
    let index = env.data().join("lesson-manifest.idx");
    fs::remove_file(&index).expect("an index");
    fs::create_dir(&index).expect("a folder");
    let answer = said(&env, &env.lessons(&["off", "all"]));
    assert!(
        answer.starts_with("exit 1") && answer.contains("lesson-manifest.idx is not a regular file"),
        "{answer}"
    );
    assert_eq!(advice(&env, "after"), "");
    let left: Vec<_> =
        fs::read_dir(env.data()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".unfinished")), "{left:?}");
}

#[test]
fn a_corrupt_manifest_or_index_is_made_anew_by_the_next_command() {
    let env = with_a_lesson();
    for name in ["lesson-manifest.json", "lesson-manifest.idx"] {
        let path = env.data().join(name);
        let whole = fs::read(&path).expect("a file").len();
        fs::write(&path, "{").expect("a file");
        assert_eq!(env.lessons_json(&["status"])["own"], 1, "{name}");
        assert!(fs::read(&path).expect("a file").len() > whole / 2, "{name}");
    }
}

#[test]
fn a_build_in_the_background_replaces_a_manifest_it_cannot_read() {
    let env = with_a_lesson();
    let manifest = env.data().join("lesson-manifest.json");
    fs::write(&manifest, "{").expect("the manifest");
    let scan = env.background("scan").stdin(Stdio::null()).status().expect("a scan");
    assert!(scan.success());
    assert!(advice(&env, "after").contains("frob push --safe"), "what was accepted is known without it");
}

#[test]
fn a_manifest_of_another_version_is_rebuilt_from_what_a_person_had_accepted() {
    let env = with_a_lesson();
    let change = |file: &str, change: &dyn Fn(&mut Value)| {
        let path = env.data().join(file);
        let mut value: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        change(&mut value);
        fs::write(&path, value.to_string()).expect("a file");
    };
    change("lesson-manifest.json", &|manifest| {
        manifest["version"] = 0.into();
        manifest["settings"] = Value::Null;
    });
    change("lessons.json", &|store| {
        let mut lesson = store["lessons"]["frob-use-frob-push-safe-which"].clone();
        lesson["rule"] = "Nobody has accepted this.".into();
        store["lessons"]["by-hand"] = lesson;
    });
    assert!(advice(&env, "before").contains("frob push --safe"), "a hook does not look at it");
    let scan = env.background("scan").stdin(Stdio::null()).status().expect("a scan");
    assert!(scan.success());
    let told = advice(&env, "after");
    assert!(told.contains("frob push --safe") && !told.contains("Nobody"), "{told}");
    let status = env.lessons_json(&["status"]);
    assert_eq!(
        (&status["own"], &status["notAccepted"]["lessons"]),
        (&json!(1), &json!([["by-hand", "new"]]))
    );
    assert_eq!(status["news"].as_array().map(Vec::len), Some(1), "what was accepted before is not new again");
}

#[test]
fn a_store_that_is_a_link_is_refused_by_name() {
    let env = with_a_lesson();
    let store = env.data().join("lessons.json");
    fs::rename(&store, env.data().join("elsewhere.json")).expect("a move");
    symlink("elsewhere.json", &store).expect("a link");
    let answer = said(&env, &env.lessons(&["build"]));
    assert!(
        answer.starts_with("exit 1") && answer.contains("lessons.json") && answer.contains("link"),
        "{answer}"
    );
}

#[test]
fn a_folder_that_others_can_write_is_refused_with_the_command_that_mends_it() {
    let env = with_a_lesson();
    fs::set_permissions(env.data(), fs::Permissions::from_mode(0o777)).expect("a mode");
    let answer = said(&env, &env.lessons(&["list"]));
    assert!(answer.starts_with("exit 1") && answer.contains("chmod go-w"), "{answer}");
}

#[test]
fn a_damaged_database_leaves_the_lessons_in_force() {
    let env = with_a_lesson();
    fs::write(env.data().join("lessons.db"), vec![7; 4096]).expect("the database");
    let answer = said(&env, &env.lessons(&["candidates"]));
    assert!(answer.starts_with("exit 1") && answer.contains("lessons.db"), "{answer}");
    assert!(env.must(&["list", "frob"]).contains("user/frob-use"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let env = with_a_lesson();
    for argv in [&["list", "--all"][..], &["list", "--json"], &["--help"]] {
        let mut child = env
            .command("lessons")
            .args(argv)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("lessons starts");
        drop(child.stdout.take());
        let mut complaint = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut complaint).expect("text");
        assert!(child.wait().expect("an end").success(), "{argv:?}");
        assert_eq!(complaint, "", "{argv:?}");
    }
}

#[test]
fn nobody_is_told_to_remove_a_store_that_is_a_link() {
    let env = with_a_lesson();
    let store = env.data().join("lessons.json");
    let aside = store.with_extension("elsewhere");
    fs::rename(&store, &aside).expect("a move");
    symlink(&aside, &store).expect("a link");
    for words in [&["status"][..], &["build"], &["list", "--mine"], &["doctor"], &["add", "--rule", "Frob."]]
    {
        let text = said(&env, &env.lessons(words));
        assert!(!text.contains("`rm "), "{words:?}: {text}");
    }
    let text = said(&env, &env.lessons(&["build"]));
    assert!(text.contains("lessons.json.new && mv "), "{text}");
}

#[test]
fn a_corrupt_database_is_told_at_the_start_after_a_scan_has_met_it() {
    let env = machine();
    told_at_start(&env);
    remove_database(&env.data());
    fs::write(env.data().join("lessons.db"), "{ this is nothing").expect("a file");
    let scan = env.background("scan").output().expect("a scan");
    assert!(!scan.status.success(), "{scan:?}");
    let told = told_at_start(&env);
    assert!(told.contains("lessons.db is corrupt") && told.contains("lessons doctor --fix"), "{told}");
    assert!(is_blocked(&env), "what was accepted is in force all the same");
    env.must(&["doctor", "--fix"]);
    assert!(env.background("scan").output().expect("a scan").status.success());
    assert!(!told_at_start(&env).contains("corrupt"));
}
