//! Where a lesson holds: what only a project gives meaning holds in that project, and a person is told.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::bash;

/// A repository beside the others of the machine.
fn repository(env: &TestEnv, name: &str) -> PathBuf {
    let root = env.project().join(name);
    fs::create_dir_all(root.join(".git/refs/heads")).expect("a repository");
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a repository");
    fs::write(root.join(".git/refs/heads/main"), "0\n").expect("a branch");
    root
}

/// Writes a session in this folder.
fn session(env: &TestEnv, name: &str, folder: &Path, branch: Option<&str>, lines: Vec<Value>) {
    let placed = lines.into_iter().map(|mut line| {
        (line["cwd"], line["sessionId"]) = (json!(folder), json!(name));
        line["gitBranch"] = json!(branch);
        line
    });
    env.write_transcript(&format!("{name}/{name}.jsonl"), &placed.collect::<Vec<_>>());
}

/// What went wrong twice and then went well: `zipper build`.
fn zipper(first: u32) -> Vec<Value> {
    let failed = Some("Exit code 2\nzipper: error: missing --target");
    let once = |number, app: &str| {
        [
            bash(number, &format!("zipper build {app}"), failed),
            bash(number + 1, &format!("zipper build {app} --target web"), None),
        ]
        .concat()
    };
    [once(first, "one"), once(first + 2, "two")].concat()
}

/// A lesson that the agent wrote down.
fn tag(number: u32, trigger: &str, mistake: &str, tags: &str) -> Value {
    let text = format!(
        "#lesson\ntool: Bash\ntrigger: {trigger}\nmistake: {mistake}\nfix: Ask before anything is deleted\n\
         tags: {tags}\n#/lesson"
    );
    json!({
        "type": "assistant", "uuid": format!("00000000-0000-4000-8000-{number:012}"),
        "timestamp": "2026-11-20T10:00:00.000Z",
        "message": { "role": "assistant", "model": "m", "content": [{ "type": "text", "text": text }] },
    })
}

/// The one candidate that waits.
#[track_caller]
fn candidate(env: &TestEnv) -> String {
    env.must(&["scan"]);
    let listed = env.lessons_json(&["candidates"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed:#}");
    listed[0]["id"].as_str().expect("an id").to_owned()
}

/// The projects of the lesson of a candidate that is promoted.
#[track_caller]
fn promoted(env: &TestEnv, id: &str) -> Vec<Value> {
    env.must(&["promote", id]);
    let own = env.lessons_json(&["list", "--mine"]);
    let shown = env.lessons_json(&["show", own[0]["id"].as_str().expect("an id")]);
    shown["lesson"]["scope"]["projects"].as_array().cloned().unwrap_or_default()
}

/// The key of a project, which a lesson with a typed scope has.
fn key(env: &TestEnv, root: &Path) -> Value {
    let typed = root.to_string_lossy().into_owned();
    env.must(&[
        "add",
        "--rule",
        "Look twice here.",
        "--trigger",
        "kw=other words",
        "--scope-project",
        &typed,
    ]);
    let shown = env.lessons_json(&["show", "look-twice-here"]);
    shown["lesson"]["scope"]["projects"][0].clone()
}

/// Whether the hook blocks a command in a folder.
fn is_blocked(env: &TestEnv, folder: &Path, command: &str) -> bool {
    let payload = json!({
        "session_id": format!("{}{command}", folder.display()), "hook_event_name": "PreToolUse", "cwd": folder,
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    });
    String::from_utf8_lossy(&env.hook(&payload).stdout).contains("\"deny\"")
}

#[test]
fn a_bump_of_a_project_stays_in_force_where_the_database_is_lost() {
    let env = TestEnv::new().without_seeds();
    let root = repository(&env, "app");
    let bump = ["add", "--rule", "Ask first", "--trigger", "kw=frob", "--fires", "frob it", "--mode", "bump"];
    env.must(&[&bump[..], &["--scope-project", &root.to_string_lossy()]].concat());
    let command = "frob it";
    assert!(is_blocked(&env, &root, command));
    let forget = |names: &[&str]| {
        for name in names {
            drop(fs::remove_file(env.data().join(name)));
        }
        env.must(&["status"])
    };
    let database = ["lessons.db", "lessons.db-wal", "lessons.db-shm"];
    let told = forget(&database);
    assert!(!told.contains("blocks nothing"), "{told}");
    env.must(&["build"]);
    fs::write(env.data().join("lessons.db"), [7; 4096]).expect("a damaged database");
    env.must(&["doctor", "--fix"]);
    env.must(&["status"]);
    let again = |more: &str| is_blocked(&env, &root, &format!("{command} {more}"));
    assert!(again("once"));
    // Where the build before is lost besides, the project itself makes it known.
    forget(&[&database[..], &["lesson-manifest.idx", "lesson-manifest.json"]].concat());
    assert!(!again("twice"));
    assert!(env.lessons_in(&root, &["build"]).status.success());
    assert!(again("thrice"));
}

#[test]
fn the_line_below_a_candidate_makes_the_bump_that_is_proposed() {
    let env = TestEnv::new().without_seeds();
    let root = repository(&env, "app");
    session(
        &env,
        "main",
        &root,
        Some("main"),
        vec![tag(1, "frob wipe", "It wiped all", "severity:data-loss")],
    );
    let id = candidate(&env);
    let shown = env.must(&["review", "--next"]);
    let promote = format!("lessons promote {id} --accept short --reason TEXT");
    assert!(shown.contains("propose   mode bump"), "{shown}");
    assert!(
        shown.contains(&format!("Next: {promote} --mode bump (or a reminder, without --mode)")),
        "{shown}"
    );
    // The list names the same acceptance, without which the command is refused.
    assert!(env.must(&["candidates"]).contains(&format!("{promote} or lessons reject {id}")));
}

#[test]
fn a_removed_work_tree_beside_the_repository_is_no_second_project() {
    let env = TestEnv::new().without_seeds();
    let root = repository(&env, "app");
    session(&env, "main", &root, Some("main"), zipper(1));
    session(&env, "tree", &env.project().join("zurich-v1"), Some("zurich-v1"), zipper(11));
    let id = candidate(&env);
    let projects = promoted(&env, &id);
    assert_eq!(projects, [key(&env, &root)]);
}

#[test]
fn what_was_seen_in_a_removed_work_tree_alone_is_for_its_project() {
    type Trace = fn(&TestEnv, &Path, &Path);
    let gone = |env: &TestEnv| env.project().join("trees/zurich-v1");
    let traces: [(&str, Option<&str>, Trace); 3] = [
        ("a branch", Some("zurich-v1"), |_, root, _| {
            fs::write(root.join(".git/packed-refs"), "0123 refs/heads/zurich-v1\n").expect("a branch");
        }),
        ("a registration", None, |_, root, gone| {
            fs::create_dir_all(root.join(".git/worktrees/zurich")).expect("a registration");
            let file = format!("{}/.git\n", gone.display());
            fs::write(root.join(".git/worktrees/zurich/gitdir"), file).expect("a registration");
        }),
        ("a line of the client", None, |env, root, gone| {
            let made = json!({
                "type": "worktree-state", "sessionId": "state",
                "worktreeSession": { "originalCwd": root, "worktreePath": gone, "worktreeName": "zurich-v1" },
            });
            env.write_transcript("state/state.jsonl", &[made]);
        }),
    ];
    for (what, branch, trace) in traces {
        let env = TestEnv::new().without_seeds();
        let root = repository(&env, "app");
        repository(&env, "other");
        session(&env, "main", &root, Some("main"), bash(31, "ls", None).to_vec());
        session(&env, "other", &env.project().join("other"), Some("main"), bash(32, "ls", None).to_vec());
        session(&env, "tree", &gone(&env), branch, zipper(1));
        trace(&env, &root, &gone(&env));
        let id = candidate(&env);
        assert_eq!(promoted(&env, &id), [key(&env, &root)], "{what}");
    }
}

#[test]
fn a_branch_that_two_repositories_have_says_nothing() {
    let env = TestEnv::new().without_seeds();
    for name in ["app", "other"] {
        let root = repository(&env, name);
        fs::write(root.join(".git/refs/heads/next"), "0\n").expect("a branch");
        session(&env, name, &root, Some("main"), bash(31, "ls", None).to_vec());
    }
    session(&env, "tree", &env.project().join("gone"), Some("next"), zipper(1));
    let id = candidate(&env);
    assert!(promoted(&env, &id).is_empty());
}

#[test]
fn a_target_of_one_project_is_not_blocked_in_another() {
    let env = TestEnv::new().without_seeds();
    let (shop, other) = (repository(&env, "shop"), repository(&env, "other"));
    let line = tag(1, "make seed", "It deletes the shared rows of everyone.", "severity:data-loss");
    session(&env, "shop", &shop, Some("main"), vec![line]);
    session(&env, "other", &other, Some("main"), bash(31, "make seed", None).to_vec());
    let id = candidate(&env);
    let told = env.must(&["promote", &id, "--mode", "bump"]);
    assert_snapshot!(told.replace(&*env.project().to_string_lossy(), "PROJECTS"), @r"
    user/ask-before-anything-is-deleted promoted; it is in force from the next call on, only in shop (PROJECTS/shop)
      on cmd=\bmake\s+seed(?:[^\w:./-]|$), tools Bash
    For every project: lessons edit ask-before-anything-is-deleted --scope-project ''
    Next: lessons show user/ask-before-anything-is-deleted
    ");
    assert!(is_blocked(&env, &shop, "make seed"));
    assert!(!is_blocked(&env, &other, "make seed"));
    let listed = env.must(&["list"]);
    assert_snapshot!(listed.replace(&*env.project().to_string_lossy(), "PROJECTS"), @r"
    bump    user/ask-before-anything-is-deleted  only in shop (PROJECTS/shop)
            Ask before anything is deleted
    Next: lessons show ID
    ");
    env.must(&["edit", "ask-before-anything-is-deleted", "--scope-project", ""]);
    assert!(is_blocked(&env, &other, "make seed"));
    assert!(env.must(&["list"]).contains("  everywhere\n"));
}

#[test]
fn a_public_tool_is_not_limited_to_the_project_of_a_tag() {
    let env = TestEnv::new().without_seeds();
    let shop = repository(&env, "shop");
    let line = tag(1, "git push --force", "It deletes what others have pushed.", "tool:git");
    session(&env, "shop", &shop, Some("main"), vec![line]);
    let id = candidate(&env);
    assert!(env.must(&["promote", &id]).contains("in force from the next call on, everywhere\n"));
}

#[test]
fn the_same_target_in_two_projects_is_for_both() {
    let env = TestEnv::new().without_seeds();
    for (number, name) in [(1, "shop"), (2, "other")] {
        let root = repository(&env, name);
        let line = tag(number, "make seed", "It deletes the shared rows of everyone.", "tool:make");
        session(&env, name, &root, Some("main"), vec![line]);
    }
    let id = candidate(&env);
    assert_eq!(promoted(&env, &id).len(), 2);
}

#[test]
fn what_is_added_in_a_project_is_for_it_where_it_alone_gives_it_meaning() {
    let env = TestEnv::new().without_seeds();
    let shop = repository(&env, "shop");
    fs::create_dir_all(shop.join("src/gen")).expect("a folder");
    let adds = |rule: &str, trigger: &str, more: &[&str]| {
        let arguments = [&["add", "--rule", rule, "--trigger", trigger], more].concat();
        let output = env.lessons_in(&shop, &arguments);
        assert!(output.status.success(), "{}", said(&env, &output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().and_then(|line| line.split("next call on, ").nth(1)).expect("a place").to_owned()
    };
    let only = format!("only in shop ({})", shop.display());
    assert_eq!(adds("Name the database.", r"cmd=\bmake\s+seed\b", &[]), only);
    assert_eq!(adds("Run the generator.", "glob=src/gen/**", &[]), only);
    assert_eq!(adds("Sign off commits in this repo.", r"cmd=\bgit\s+commit\b", &[]), only);
    assert_eq!(adds("Look at the log first.", r"cmd=\bgit\s+reset\b", &[]), "everywhere");
    assert_eq!(
        adds("Stop the server first.", r"cmd=\bmake\s+reset\b", &["--scope-project", ""]),
        "everywhere"
    );
}

#[test]
fn the_question_to_the_person_says_where_a_lesson_will_hold() {
    let env = TestEnv::new().without_seeds();
    fs::create_dir_all(env.project().join(".git")).expect("a repository");
    env.must(&["build"]);
    let agent = env.as_agent("00000000-0000-4000-8000-0000000000aa");
    let asked = |trigger: &str| {
        let reply = agent.asks(&format!("lessons add --rule 'Look at it twice.' --trigger '{trigger}'"));
        reply["permissionDecisionReason"].as_str().expect("a question").to_owned()
    };
    assert!(asked(r"cmd=\bmake\s+seed\b").contains(", only in"), "{}", asked(r"cmd=\bmake\s+seed\b"));
    assert!(asked(r"cmd=\bgit\s+reset\b").contains(", everywhere"));
}
