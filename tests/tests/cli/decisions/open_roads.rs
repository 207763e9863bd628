//! The roads that stay open to a hostile process of the same user, as docs/deciding.md names them: what each does, and what the
//! person sees afterwards.

use std::fs;
use std::time::{Duration, Instant};

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::keeping::losing::{of_another_home, remove_database};
use crate::scene::{add, advice, answer, is_blocked, machine, told_at_start};

const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";
/// How long a process that was let go of may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs a line as the agent until the block of the machine is off; whether it is, after `tries`.
fn ends_the_block(env: &TestEnv, line: &str, tries: u32) -> bool {
    let clear = "env -i PATH=\"$PATH\" HOME=\"$HOME\"";
    let until = Instant::now() + PATIENCE;
    for _ in 0..tries {
        drop(env.as_agent(SESSION).runs(&line.replace("CLEAR", clear)));
        let mut looks = 0;
        while is_blocked(env) && looks < 20 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(100));
            looks += 1;
        }
        if !is_blocked(env) {
            return true;
        }
    }
    false
}

#[test]
fn who_leaves_the_client_or_hides_it_and_opens_a_terminal_is_named_by_the_log_and_the_next_start() {
    let roads = [
        ("CLEAR setsid -f script -qec 'lessons off guard' /dev/null </dev/null >/dev/null 2>&1", 20),
        // Where the system lets nobody make a namespace, this road is closed.
        ("CLEAR unshare -rpf --mount-proc script -qec 'lessons off guard' /dev/null </dev/null", 1),
    ];
    for (line, tries) in roads {
        let env = machine();
        told_at_start(&env);
        if !ends_the_block(&env, line, tries) {
            assert_eq!(tries, 1, "{line}");
            continue;
        }
        assert!(env.must(&["log"]).contains("you, in a terminal"), "{line}");
        let told = told_at_start(&env);
        assert!(told.contains("stops calls no more: user/guard"), "{line}: {told}");
    }
}

#[test]
fn a_script_that_outlives_the_client_is_named_by_the_log_and_the_next_start() {
    let env = machine();
    let config = env.data().join("config.toml");
    let text = fs::read_to_string(&config).expect("settings");
    fs::write(&config, format!("{text}\n[gate]\nscripts = true\n")).expect("settings");
    env.must(&["accept"]);
    told_at_start(&env);
    // Another test may run something by the name of the client meanwhile.
    assert!(ends_the_block(&env, "CLEAR setsid -f lessons off guard >/dev/null 2>&1", 20));
    assert!(env.must(&["log"]).contains("by a script of yours"));
    let told = told_at_start(&env);
    assert!(told.contains("stops calls no more: user/guard"), "{told}");
    assert!(told.contains("by a script of yours") && !told.contains("in a terminal"), "{told}");
}

/// The first start of a session, as it is told to the user.
fn first_start(env: &TestEnv) -> String {
    let start = json!({ "session_id": "new", "hook_event_name": "SessionStart", "source": "startup", "cwd": env.project() });
    let reply: Value = serde_json::from_slice(&env.session_start(&start).stdout).unwrap_or_default();
    reply["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// What a road does, and what the person sees afterwards.
type Road = fn(&TestEnv) -> String;

#[test]
fn what_no_call_shows_is_seen_at_the_next_start() {
    let variable = |env: &TestEnv| format!("X={}; rm -rf $X", env.data().display());
    let script = |env: &TestEnv| {
        fs::write(env.project().join("clean.sh"), "rm -rf ~/.local/share/lessons\n").expect("a script");
        "sh clean.sh".to_owned()
    };
    let list = |env: &TestEnv| {
        let _ = env;
        "ls -d ~/.local/share/less* | xargs rm -r".to_owned()
    };
    let roads: [(Road, &str); 3] =
        [(variable, "Lessons is on"), (script, "Lessons is on"), (list, "Lessons is on")];
    for (road, seen) in roads {
        let env = machine();
        first_start(&env);
        assert!(!first_start(&env).contains(seen));
        let line = road(&env);
        assert_eq!(answer(&env, &line), "", "{line}: not asked about");
        // A scan in the background may still write there.
        while !env.as_agent(SESSION).runs(&line).status.success() {}
        let mut told = first_start(&env);
        // And have the lock of the folder that it made again.
        while told.contains("another `lessons` has been changing") {
            told = first_start(&env);
        }
        assert!(told.contains(seen), "{line}: {told}");
        assert!(is_blocked(&env) || seen == "Lessons is on", "{line}");
    }
}

#[test]
fn a_log_and_decisions_of_somebody_else_are_seen_in_the_list_and_at_the_next_start() {
    let env = machine();
    told_at_start(&env);
    remove_database(&env.data());
    of_another_home(&env.data(), &["decisions.json", "lessons.db"]);
    let told = told_at_start(&env);
    assert!(told.contains("new since you last looked") && told.contains("theirs"), "{told}");
    let listed = env.must(&["list", "--all"]);
    assert!(listed.contains("theirs") && listed.contains("only in lessons.json, not accepted"), "{listed}");
}

#[test]
fn an_index_of_somebody_else_says_nothing_in_the_list_and_ends_with_the_next_command() {
    let env = machine();
    of_another_home(&env.data(), &["lesson-manifest.idx", "lesson-manifest.json"]);
    assert!(!is_blocked(&env) && !answer(&env, "frob theirs").is_empty());
    let listed = env.must(&["list"]);
    assert!(listed.contains("user/guard") && !listed.contains("theirs"), "{listed}");
    env.must(&["build"]);
    assert!(is_blocked(&env) && answer(&env, "frob theirs").is_empty());
}

#[test]
fn a_folder_that_somebody_lists_as_used_is_named_by_the_status() {
    let theirs = TestEnv::new().without_seeds();
    add(&theirs, &advice("theirs", "Frob as they do.", "frob theirs"), &[]);
    let env = machine();
    let brought = env.project().canonicalize().expect("a path").join("brought");
    fs::rename(theirs.data(), &brought).expect("a move");
    fs::write(env.data().join("homes"), format!("{}\n", brought.display())).expect("a list");
    let env = env.with_variable("LESSONS_HOME", &brought);
    assert!(answer(&env, "frob theirs").contains("Frob as they do."));
    let status = env.as_agent(SESSION).lessons(&["status"]);
    assert!(said(&status).contains(&brought.display().to_string()), "{}", said(&status));
}
