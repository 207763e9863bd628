//! Lessons that several people or tools have: export, import, and what git merges.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use lessons_tests::env::{TestEnv, said};
use lessons_tests::terminal::Terminal;
use lessons_text::neutral::is_hidden;
use serde_json::{Value, json};

fn lesson(rule: &str) -> Value {
    json!({ "rule": rule, "topics": ["frob"], "triggers": ["k"], "evidence": [], "status": "active",
            "createdAt": "2026-01-01" })
}

fn graph(lessons: &Value) -> String {
    let graph = json!({ "version": 1, "lessons": lessons, "topics": { "frob": { "summary": "Frob" } },
                        "triggers": { "k": { "kind": "keyword", "pattern": "frob push" } } });
    format!("{graph:#}\n")
}

#[test]
fn what_is_exported_is_imported_again_and_what_is_lost_is_named() {
    let env = TestEnv::new().without_seeds();
    env.must(&[
        "add",
        "--rule",
        "Frob with care, always.",
        "--mistake",
        "It breaks.",
        "--trigger",
        "cmd=frob push",
    ]);
    env.must(&[
        "add",
        "--rule",
        "Never frob on a Friday.",
        "--trigger",
        "cmd=frob",
        "--unless",
        "cmd=--dry-run",
    ]);
    let export = ["export", "--format", "lessons-graph"];
    let exported = env.lessons(&export);
    assert_eq!(exported.status.code(), Some(0));
    let told = String::from_utf8_lossy(&exported.stderr).into_owned();
    assert!(told.contains("left out of user/frob-with-care-always: mistake"), "{told}");
    assert!(told.contains("left out user/never-frob-on-a-friday: without its unless"), "{told}");
    assert_eq!(env.lessons(&[&export[..], &["--strict"]].concat()).status.code(), Some(1));

    let other = TestEnv::new().without_seeds();
    let file = other.home().join("theirs.json");
    fs::write(&file, &exported.stdout).unwrap();
    let import = ["import", "--format", "lessons-graph", file.to_str().unwrap()];
    let imported = other.lessons_json(&import);
    assert_eq!(imported["imported"][0]["id"], "user/frob-with-care-always");
    assert_eq!(other.lessons_json(&import)["imported"], json!([]), "the same again brings nothing");
}

#[test]
fn what_is_exported_is_exact_in_a_file_and_has_no_hidden_character_on_a_terminal() {
    let env = TestEnv::new().without_seeds();
    let rule = "Frob \u{202e}with\u{202c} care\u{9b}2J\u{200b} always\u{1b}[31m.";
    fs::create_dir_all(env.data()).unwrap();
    fs::write(env.data().join("lessons.json"), graph(&json!({ "a": lesson(rule) }))).unwrap();
    env.must(&["accept"]);
    let export = ["export", "--format", "lessons-graph"];
    let exported: Value = serde_json::from_slice(&env.lessons(&export).stdout).unwrap();
    assert_eq!(exported["lessons"]["a"]["rule"], rule);
    assert!(String::from_utf8_lossy(&env.lessons(&export).stdout).contains('\u{202e}'));

    let mut command = env.command("lessons");
    command.args(export);
    let mut terminal = Terminal::start(&command, 200, 50);
    assert!(terminal.ends().success());
    terminal.sees("always");
    let shown = String::from_utf8(terminal.bytes()).unwrap();
    assert!(shown.contains("\\u202ewith\\u202c care\\u009b2J\\u200b always\\u001b[31m."), "{shown}");
    assert!(!shown.chars().any(|c| !matches!(c, '\n' | '\r') && is_hidden(c)), "{shown:?}");
}

#[test]
fn a_text_that_is_too_long_is_said_with_the_name_of_its_lesson() {
    let env = TestEnv::new().without_seeds();
    let store = env.project().join(".lessons");
    fs::create_dir_all(&store).unwrap();
    let lessons = json!({ "fine": lesson("Frob with care."), "endless": lesson(&"frob ".repeat(15_000)) });
    fs::write(store.join("lessons.json"), graph(&lessons)).unwrap();
    let wrong = "lesson `endless`: `rule` has 75000 characters; shorten it to 2000";
    let validated = said(&env.lessons(&["validate", store.join("lessons.json").to_str().unwrap()]));
    assert!(validated.contains(wrong), "{validated}");
    let trusted = env.must(&["trust", "--yes"]);
    assert!(trusted.contains(wrong) && !trusted.contains("`fine`"), "{trusted}");
    let doctor = said(&env.lessons(&["doctor"]));
    let left_out = "/endless is not in force: `rule` has 75000 characters; shorten it to 2000";
    assert!(doctor.contains(left_out), "{doctor}");
}

#[test]
fn a_broken_lesson_of_a_graph_is_left_out_by_name_and_the_others_come_in() {
    let env = TestEnv::new().without_seeds();
    let mut broken = lesson("Two.");
    broken["triggers"] = json!(["nowhere"]);
    let file = env.home().join("theirs.json");
    fs::write(&file, graph(&json!({ "a": lesson("One."), "b": broken }))).unwrap();
    let imported = env.lessons(&["import", "--format", "lessons-graph", file.to_str().unwrap()]);
    let text = said(&imported);
    assert_eq!(imported.status.code(), Some(1), "{text}");
    assert!(
        text.contains("1 lesson imported") && text.contains("left out b: ") && text.contains("nowhere"),
        "{text}"
    );
    assert_eq!(env.lessons_json(&["list", "--mine"]).as_array().map(Vec::len), Some(1));
}

/// What a command of git says in a project whose driver is the `lessons` under test.
fn git(env: &TestEnv, words: &[&str]) -> String {
    said(&git_output(env, words))
}

fn git_output(env: &TestEnv, words: &[&str]) -> Output {
    let lessons = env.command("lessons");
    let programs = Path::new(lessons.get_program()).parent().unwrap().display().to_string();
    Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(env.project())
        .env_clear()
        .env("HOME", env.home())
        .env("PATH", format!("{programs}:/usr/local/bin:/usr/bin:/bin"))
        .output()
        .unwrap()
}

/// A team's repository with one lesson; then what each of two branches makes of it is committed. Standing on the first.
fn two_branches(env: &TestEnv, ours: &Value, theirs: &Value) {
    git(env, &["init", "-q"]);
    env.must(&["init", "--team"]);
    let commit = |lessons: &Value, name: &str| {
        fs::write(env.project().join(STORE), graph(lessons)).unwrap();
        git(env, &["add", "-A"]);
        git(env, &["commit", "-q", "-m", name])
    };
    commit(&json!({ "a": lesson("One.") }), "base");
    git(env, &["switch", "-q", "-c", "other"]);
    commit(theirs, "theirs");
    git(env, &["switch", "-q", "main"]);
    commit(ours, "ours");
}

/// The lessons of a project, from its root.
const STORE: &str = ".lessons/lessons.json";

#[test]
fn git_merges_what_two_branches_added() {
    let env = TestEnv::new().without_seeds();
    two_branches(
        &env,
        &json!({ "a": lesson("One."), "c": lesson("Ours.") }),
        &json!({ "a": lesson("One."), "b": lesson("Theirs.") }),
    );
    let merged = git_output(&env, &["merge", "-q", "-m", "both", "other"]);
    assert_eq!(merged.status.code(), Some(0), "{}", said(&merged));
    let value: Value = serde_json::from_slice(&fs::read(env.project().join(STORE)).unwrap()).unwrap();
    let ids: Vec<&String> = value["lessons"].as_object().unwrap().keys().collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert!(git_output(&env, &["status", "--porcelain"]).stdout.is_empty());
}

#[test]
fn where_the_merge_driver_is_missing_both_versions_stay() {
    let env = TestEnv::new().without_seeds();
    two_branches(
        &env,
        &json!({ "a": lesson("One."), "c": lesson("Ours.") }),
        &json!({ "a": lesson("One."), "b": lesson("Theirs.") }),
    );
    let driver = git_output(&env, &["config", "merge.lessons.driver"]).stdout;
    let driver = String::from_utf8(driver).unwrap();
    let program = env.command("lessons").get_program().to_string_lossy().into_owned();
    assert!(driver.contains(&program), "it is named by its path: {driver}");
    let missing = driver.trim().replace(&program, "/nowhere/lessons");
    git(&env, &["config", "merge.lessons.driver", &missing]);
    let merged = git_output(&env, &["merge", "-m", "both", "other"]);
    assert_eq!(merged.status.code(), Some(1), "{}", said(&merged));
    let left = fs::read_to_string(env.project().join(STORE)).unwrap();
    assert!(["Ours.", "Theirs.", "<<<<<<<"].iter().all(|part| left.contains(part)), "{left}");
}

#[test]
fn what_both_branches_changed_is_a_conflict_to_git_and_stands_there_in_both_versions() {
    let env = TestEnv::new().without_seeds();
    two_branches(
        &env,
        &json!({ "a": lesson("One, we say."), "c": lesson("Ours.") }),
        &json!({ "a": lesson("One, they say."), "b": lesson("Theirs.") }),
    );
    let merged = git_output(&env, &["merge", "-m", "both", "other"]);
    assert_eq!(merged.status.code(), Some(1));
    let told = said(&merged);
    assert!(told.contains("both branches changed lessons.a; keep one of the two"), "{told}");
    assert!(told.contains(&format!("CONFLICT (content): Merge conflict in {STORE}")), "{told}");
    assert!(git(&env, &["status", "--porcelain"]).contains(&format!("UU {STORE}")));

    // Until somebody decides, it is no graph, and whoever reads it says what to do.
    let store = env.project().join(STORE);
    let validated = env.lessons_in(&env.project(), &["validate", STORE]);
    assert_eq!(validated.status.code(), Some(1));
    insta::assert_snapshot!(said(&validated), @r"
    exit status: 1
    error: .lessons/lessons.json: line 3: two branches changed the same, and git has left both versions here; keep one of them, take out the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`, then tell git with `git add`
    0 lessons: 1 error, 0 warnings
    Next: fix it, then lessons validate .lessons/lessons.json
    ");
    let found = env.lessons_in(&env.project(), &["validate", STORE, "--json"]);
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(found["findings"][0]["code"], "CORRUPT_GRAPH");
    let trusted = env.lessons_in(&env.project(), &["trust"]);
    assert_eq!(trusted.status.code(), Some(1));
    assert!(said(&trusted).contains("two branches changed the same"), "{}", said(&trusted));

    // Somebody keeps theirs, and all else is merged already.
    let text = fs::read_to_string(&store).unwrap();
    let (before, rest) = text.split_once("<<<<<<< this branch\n").unwrap();
    let (_, rest) = rest.split_once("=======\n").unwrap();
    let (kept, after) = rest.split_once(">>>>>>> the other branch\n").unwrap();
    fs::write(&store, [before, kept, after].concat()).unwrap();
    let validated = env.lessons_in(&env.project(), &["validate", STORE]);
    assert!(said(&validated).contains("3 lessons: 0 errors"), "{}", said(&validated));
    git(&env, &["add", STORE]);
    let done = git_output(&env, &["commit", "-q", "--no-edit"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(fs::read_to_string(&store).unwrap().contains("One, they say."));
}

/// A folder as lessons graphs had it before they were one file.
fn older(env: &TestEnv, present: &str) -> std::path::PathBuf {
    let folder = env.project().join(".agentsmesh/lessons");
    fs::create_dir_all(folder.join("topics")).unwrap();
    let index = "version: 1\nclusters:\n- topic: present\n  file: .agentsmesh/lessons/topics/present.md\n  summary: Present.\n  \
                 triggers:\n    file_globs: ['src/**']\n    command_patterns: ['\\bfrob push\\b']\n    keywords: []\n";
    fs::write(folder.join("index.yaml"), index).unwrap();
    fs::write(folder.join("topics/present.md"), present).unwrap();
    fs::write(folder.join("journal.md"), "L1 we frobbed\n").unwrap();
    folder
}

#[test]
fn an_older_folder_comes_in_whole_or_not_at_all() {
    let env = TestEnv::new().without_seeds();
    let folder = older(
        &env,
        "## Rules\n\n1. Frob with care. (Evidence L1)\n2. Ask before you push.\n\n## Ideas\n\n- later\n",
    );
    let import = ["import", "--format", "lessons-folder", folder.to_str().unwrap()];
    let refused = env.lessons(&import);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        said(&refused).contains("topics/present.md: line 8: a list outside of `## Rules`"),
        "{}",
        said(&refused)
    );
    assert!(!env.data().join("lessons.json").exists(), "nothing came in");

    older(&env, "## Rules\n\n1. Frob with care. (Evidence L1)\n2. Ask before you push.\n");
    let imported = env.lessons_json(&import);
    assert_eq!(imported["imported"][1]["id"], "user/present-rule-2");
    let lesson = env.lessons_json(&["show", "present-rule-1"])["lesson"].clone();
    assert_eq!(
        lesson["evidence"],
        json!(["legacy:.agentsmesh/lessons/topics/present.md#rule-1", "legacy:L1"])
    );
    let found = env.lessons_json(&["query", "--cmd", "frob push"]);
    assert_eq!(found["totalMatches"], 2, "{found}");
    assert_eq!(env.lessons_json(&import)["imported"], json!([]), "the same again brings nothing");
}

#[test]
fn a_topic_that_is_a_link_is_not_followed() {
    let env = TestEnv::new().without_seeds();
    let folder = older(&env, "## Rules\n1. One.\n");
    let secret = env.home().join("secret");
    fs::write(&secret, "## Rules\n1. The password is xyzzy.\n").unwrap();
    fs::remove_file(folder.join("topics/present.md")).unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("topics/present.md")).unwrap();
    let refused = env.lessons(&["import", "--format", "lessons-folder", folder.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("is no plain file") && !said(&refused).contains("xyzzy"),
        "{}",
        said(&refused)
    );
}

#[test]
fn lessons_go_out_as_lines_without_sessions_and_folders_and_come_in_again() {
    let env = TestEnv::new().without_seeds();
    let mistake = format!("In {}/x frob pushes over others.", env.home().display());
    let words = [
        "add",
        "--rule",
        "Frob with --safe.",
        "--mistake",
        &mistake,
        "--trigger",
        "cmd=frob push",
        "--evidence",
        "session:5f3a",
    ];
    env.must(&words);
    let exported = env.lessons(&["export", "--format", "jsonl"]);
    let text = String::from_utf8(exported.stdout.clone()).expect("text");
    let line: Value = serde_json::from_str(text.trim()).expect("one line of JSON");
    assert_eq!(line["rule"], "Frob with --safe.");
    assert_eq!(line["triggers"], json!([{ "kind": "command_pattern", "pattern": "frob push" }]));
    assert_eq!(line["mistake"], "In ~/x frob pushes over others.");
    assert!(said(&exported).contains("a folder of this machine is written as `~`"), "{}", said(&exported));
    assert!(!text.contains("session:") && line.get("evidence").is_none());
    assert!(env.must(&["export", "--format", "jsonl", "--evidence"]).contains("session:5f3a"));

    let other = TestEnv::new().without_seeds();
    let file = other.home().join("theirs.jsonl");
    let long = json!({ "id": "long", "rule": "x".repeat(3000), "topics": ["general"], "triggers": [] });
    fs::write(&file, format!("{text}{long}\nno json\n")).expect("a file");
    let imported = other.lessons(&["import", "--format", "jsonl", file.to_str().expect("a path")]);
    let told = said(&imported);
    assert_eq!(imported.status.code(), Some(1), "{told}");
    assert!(
        told.contains("1 lesson imported")
            && told.contains("left out line 2 (long)")
            && told.contains("2000"),
        "{told}"
    );
    assert!(told.contains("left out line 3: it is not JSON"), "{told}");
    assert_eq!(
        other.lessons_json(&["query", "--cmd", "frob push"])["lessons"][0]["rule"],
        "Frob with --safe."
    );
}

#[test]
fn an_import_names_each_text_that_it_shortens_and_takes_no_graph_with_one_that_is_too_long() {
    let env = TestEnv::new().without_seeds();
    let manifest = json!({ "type": "lessons-learned-manifest", "version": 1, "lessons": { "01A": {
        "slug": "stash", "type": "hint", "toolNames": ["Bash"], "commandRegexSources": [{ "source": "git stash" }],
        "summary": "s".repeat(130), "problem": "p".repeat(2100), "solution": "Use git stash -u.",
    }}});
    let file = env.home().join("manifest.json");
    fs::write(&file, manifest.to_string()).expect("a file");
    let told = said(&env.lessons(&["import", "--format", "lessons-learned", file.to_str().expect("a path")]));
    for cut in
        ["its summary was cut to 120 characters of 130", "its problem was cut to 2000 characters of 2100"]
    {
        assert!(told.contains("user/stash: ") && told.contains(cut), "{told}");
    }
    let graph = json!({
        "version": 1, "topics": { "general": { "summary": "General" } }, "triggers": {},
        "lessons": { "long": { "rule": "x".repeat(3000), "topics": ["general"], "triggers": [], "evidence": [],
                               "status": "active", "createdAt": "2026-01-01" } },
    });
    fs::write(&file, graph.to_string()).expect("a file");
    let refused = env.lessons(&["import", "--format", "lessons-graph", file.to_str().expect("a path")]);
    assert!(!refused.status.success(), "{}", said(&refused));
    assert!(said(&refused).contains("long") && said(&refused).contains("2000"), "{}", said(&refused));
    assert_eq!(
        env.lessons_json(&["list", "--mine"]).as_array().map(Vec::len),
        Some(1),
        "nothing of it was taken"
    );
}
