//! Data folders in `LESSONS_HOME`: which of them counts, and what the user is told of the others.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use lessons_tests::env::{TestEnv, said};
use serde_json::json;

use crate::keeping::losing::codes;
use crate::scene::{add, advice, answer, is_blocked, machine, told_at_start};

/// A machine whose data folder is where `LESSONS_HOME` says, after `change` moved or made it.
fn elsewhere(folder: impl FnOnce(&TestEnv) -> PathBuf) -> TestEnv {
    let env = machine();
    let folder = folder(&env);
    env.with_variable("LESSONS_HOME", folder)
}

#[test]
fn a_data_folder_that_was_moved_is_named_and_taken_again_by_the_doctor() {
    let env = elsewhere(|env| {
        let moved = env.home().join("moved");
        fs::rename(env.data(), &moved).expect("a move");
        moved
    });
    assert_eq!(answer(&env, "frob wipe"), "");
    assert!(told_at_start(&env).contains("`lessons doctor --fix`"), "{}", told_at_start(&env));
    let agent = env.as_agent("one").lessons(&["doctor", "--fix"]);
    assert!(!agent.status.success(), "{}", said(&agent));
    assert!(codes(&env).contains(&"HOME_MOVED".to_owned()));
    drop(env.lessons(&["doctor", "--fix"]));
    assert!(is_blocked(&env) && !codes(&env).contains(&"HOME_MOVED".to_owned()));
    assert_eq!(told_at_start(&env).find("LESSONS_HOME"), None);
}

#[test]
fn the_machines_own_data_folder_may_have_moved_with_the_home_of_its_user() {
    let env = machine();
    fs::write(env.data().join("home"), "/home/before/.local/share/lessons\n").expect("a marker");
    assert!(is_blocked(&env) && !codes(&env).contains(&"HOME_MOVED".to_owned()));
}

#[test]
fn where_no_process_of_the_client_accepts_the_named_folder_the_own_one_counts_and_the_user_is_told() {
    type Folder = fn(&TestEnv) -> PathBuf;
    let table: [(&str, Folder); 5] = [
        ("points into the project", |env| env.project().join("brought")),
        ("points into the project", |env| {
            symlink(env.project(), env.home().join("way")).expect("a link");
            env.home().join("way/brought")
        }),
        ("points into the project", |_| PathBuf::from("/proc/self/cwd/brought")),
        ("no `lessons` of yours has set up there", |env| env.home().join("nowhere")),
        ("is not an absolute path", |_| PathBuf::from("data")),
    ];
    for (reason, folder) in table {
        let env = elsewhere(folder);
        bring_a_home(&env.project());
        let project = env.project();
        let env = env.with_variable("CLAUDE_PROJECT_DIR", project);
        assert!(is_blocked(&env), "{reason}");
        assert_eq!(answer(&env, "frob theirs"), "", "{reason}");
        let told = told_at_start(&env);
        assert!(told.contains(reason) && told.contains("Your own data folder is used"), "{reason}: {told}");
    }
}

#[test]
fn a_repository_brings_no_data_folder_to_a_session_below_its_root() {
    let env = machine();
    let package = env.project().join("packages/app");
    fs::create_dir_all(&package).expect("a folder");
    fs::create_dir_all(env.project().join(".git")).expect("a folder");
    bring_a_home(&env.project());
    let brought = env.project().join("brought");
    let (variables, call) = (
        [
            ("LESSONS_HOME", brought.to_str().expect("text")),
            ("CLAUDE_PROJECT_DIR", package.to_str().expect("text")),
        ],
        |command: &str| {
            json!({
                "session_id": command, "hook_event_name": "PreToolUse", "cwd": package, "tool_name": "Bash",
                "tool_input": { "command": command }, "tool_use_id": "toolu_1",
            })
        },
    );
    let said_to =
        |command| String::from_utf8(env.hook_with(&call(command), &variables).stdout).expect("text");
    assert!(said_to("frob wipe").contains("deny"));
    assert_eq!(said_to("frob theirs"), "");

    // The person has used it from a terminal, so it is theirs wherever it lies.
    let used = env.command("lessons").env("LESSONS_HOME", &brought).arg("status").output().expect("a run");
    assert!(used.status.success(), "{}", said(&used));
    assert!(said_to("frob theirs").contains("Frob as they do."));
}

#[test]
fn the_variable_of_background_work_stops_no_rebuild_and_no_question() {
    let env = machine();
    fs::remove_file(env.data().join("lesson-manifest.idx")).expect("an index");
    let env = env.with_variable("LESSONS_SCANNER_GUARD", "1");
    assert!(is_blocked(&env));
}

/// Puts a data folder with a lesson and without the block into a repository, as its author would have made it there.
fn bring_a_home(repository: &Path) {
    let theirs = TestEnv::new().without_seeds();
    add(&theirs, &advice("theirs", "Frob as they do.", "frob theirs"), &[]);
    let brought = repository.join("brought");
    fs::rename(theirs.data(), &brought).expect("a move");
    let canonical = brought.canonicalize().expect("a path");
    fs::write(brought.join("home"), format!("{}\n", canonical.display())).expect("a file");
}

#[test]
fn where_index_and_manifest_are_lost_a_session_start_names_who_decided() {
    let env = machine();
    for name in ["lesson-manifest.idx", "lesson-manifest.json"] {
        fs::remove_file(env.data().join(name)).expect("a file");
    }
    let told = told_at_start(&env);
    assert!(told.contains("(you, in a terminal)"), "{told}");
    assert!(!told.contains("background work"), "{told}");
}
