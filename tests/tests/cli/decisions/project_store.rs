//! A project's lessons, written by a person: the file, what is in force, and what is said of the rest.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::scene::{answer, told_at_start};

/// A machine with a repository that has no lessons.
fn repository() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    git(&env.project(), &["init", "-q"]);
    env
}

fn git(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    let named = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
    let done = command.env_clear().env("PATH", "/usr/bin:/bin").arg("-C").arg(folder).args(named).args(words);
    let output = done.output().expect("git");
    assert!(output.status.success(), "git {words:?}: {}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn store(folder: &Path) -> PathBuf {
    folder.join(".lessons/lessons.json")
}

fn written(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(store(folder)).expect("a store")).expect("JSON")
}

/// Records a lesson of the project that fires on `frob WORD`. Returns its full id.
#[track_caller]
fn add(env: &TestEnv, word: &str, rule: &str) -> String {
    let trigger = format!("cmd=frob {word}");
    let added = env.lessons_json(&["add", "--project", "--rule", rule, "--trigger", &trigger]);
    assert_eq!(added["inForce"], true, "{added}");
    added["id"].as_str().expect("an id").to_owned()
}

/// What a colleague writes into the file, which git brings.
fn by_colleague(folder: &Path, change: impl FnOnce(&mut Value)) {
    let mut graph = written(folder);
    change(&mut graph);
    fs::write(store(folder), graph.to_string()).expect("a store");
}

fn with_lesson_of_colleague(graph: &mut Value) {
    graph["triggers"]["t-theirs"] = json!({ "kind": "command_pattern", "pattern": "frob theirs" });
    graph["lessons"]["theirs"] = json!({
        "rule": "Frob as they say.", "topics": ["general"], "triggers": ["t-theirs"], "evidence": [],
        "status": "active", "createdAt": "2026-01-01",
    });
}

#[test]
fn the_first_lesson_makes_the_file_and_nothing_else_and_is_in_force_at_the_next_call() {
    let env = repository();
    let id = add(&env, "push", "Frob with --safe.");
    assert!(id.starts_with("project-"), "{id}");
    assert_eq!(git(&env.project(), &["status", "--porcelain", "-uall"]), "?? .lessons/lessons.json\n");
    assert!(answer(&env, "frob push").contains("Frob with --safe."));
    assert_eq!(told_at_start(&env), "", "there is nothing that the person has not approved");
    let graph = written(&env.project());
    let lesson = graph["lessons"].as_object().expect("lessons").values().next().expect("a lesson").clone();
    assert!(lesson.get("scope").is_none(), "where it is kept says where it holds: {lesson}");
    assert_eq!(env.lessons_json(&["list", "--project"])[0]["id"], id);
    let log = env.must(&["log"]);
    assert!(log.contains(&format!("added {id}")), "{log}");

    env.must(&["undo"]);
    assert!(!env.project().join(".lessons").exists(), "undo takes away what the lesson brought");
    assert_eq!(answer(&env, "frob push"), "");
    let again = env.must(&["undo", "2"]);
    assert!(again.contains("undone"), "{again}");
    assert!(answer(&env, "frob push").contains("Frob with --safe."));
}

#[test]
fn every_verb_that_changes_a_lesson_changes_one_of_the_project() {
    let env = repository();
    let first = add(&env, "push", "Frob with --safe.");
    let second = add(&env, "pull", "Pull before you frob anything else.");
    let short = |id: &str| id.split_once('/').expect("a layer").1.to_owned();
    env.must(&[
        "edit",
        "--project",
        &short(&first),
        "--mistake",
        "Frob pushes over others.",
        "--trigger",
        "cmd=frob push",
        "--trigger",
        "cmd=frob shove",
    ]);
    assert!(answer(&env, "frob shove").contains("Frob pushes over others."));
    env.must(&["edit", "--project", &first, "--remove-trigger", "cmd=frob shove"]);
    assert_eq!(answer(&env, "frob shove"), "");
    env.must(&["retire", "--project", &short(&second)]);
    assert_eq!(answer(&env, "frob pull"), "");
    env.must(&["restore", "--project", &short(&second)]);
    assert!(answer(&env, "frob pull").contains("Pull before"));
    let merged = env.must(&["merge", "--project", &short(&second), &short(&first)]);
    assert!(merged.contains(&format!("{first} has the triggers and evidence of {second}")), "{merged}");
    assert!(answer(&env, "frob pull").contains("Frob with --safe."));
    let third = add(&env, "push", "Never push with a frob from last week.");
    env.must(&["merge", "--replace", "--project", &short(&first), &short(&third)]);
    assert!(!answer(&env, "frob push").contains("Frob with --safe."));
    assert_eq!(env.lessons_json(&["list", "--mine"]), json!([]), "none of it is the person's own");
    assert_eq!(git(&env.project(), &["status", "--porcelain", "-uall"]), "?? .lessons/lessons.json\n");
}

#[test]
fn a_glob_of_a_project_is_pruned_if_no_file_of_it_matches() {
    let env = repository();
    fs::write(env.project().join("a.ts"), "").expect("a file");
    env.must(&[
        "add",
        "--project",
        "--rule",
        "Type it.",
        "--trigger",
        "glob=*.ts",
        "--trigger",
        "glob=*.tsx",
    ]);
    let listed = env.must(&["prune", "--project"]);
    assert!(
        listed.contains("1 trigger without a file") && listed.contains("lessons prune --project --apply"),
        "{listed}"
    );
    env.must(&["prune", "--project", "--apply"]);
    let patterns: Vec<Value> =
        written(&env.project())["triggers"].as_object().expect("triggers").values().cloned().collect();
    assert_eq!(patterns, [json!({ "kind": "file_glob", "pattern": "*.ts" })]);
}

#[test]
fn what_a_colleague_changed_is_said_and_not_approved_along() {
    let env = repository();
    add(&env, "push", "Frob with --safe.");
    by_colleague(&env.project(), with_lesson_of_colleague);
    let added = env.lessons(&["add", "--project", "--rule", "Pull first.", "--trigger", "cmd=frob pull"]);
    assert!(added.status.success(), "{}", said(&added));
    assert!(said(&added).contains("holds other changes that you have not approved"), "{}", said(&added));
    assert!(answer(&env, "frob pull").contains("Pull first."), "the person's own lesson is in force");
    assert_eq!(answer(&env, "frob theirs"), "", "the colleague's is not");
    assert!(told_at_start(&env).contains("changed after you trusted them"));
    let edited = env.lessons(&["edit", "--project", "theirs", "--priority", "9", "--json"]);
    assert_eq!(edited.status.code(), Some(1), "it was changed, and is not in force: {}", said(&edited));
    assert_eq!(answer(&env, "frob theirs"), "");
    env.must(&["trust", "--yes"]);
    assert!(answer(&env, "frob theirs").contains("Frob as they say."));
    assert_eq!(written(&env.project())["lessons"]["theirs"]["priority"], 9);
}

#[test]
fn a_store_that_nobody_trusted_is_written_and_does_nothing() {
    let env = repository();
    add(&env, "push", "Frob with --safe.");
    env.must(&["untrust"]);
    let added = env.lessons(&["add", "--project", "--rule", "Pull first.", "--trigger", "cmd=frob pull"]);
    assert_eq!(added.status.code(), Some(1), "{}", said(&added));
    assert!(
        said(&added).contains("are not trusted") && said(&added).contains("`lessons trust`"),
        "{}",
        said(&added)
    );
    assert_eq!(written(&env.project())["lessons"].as_object().map(serde_json::Map::len), Some(2));
    assert_eq!(answer(&env, "frob push") + &answer(&env, "frob pull"), "");
}

#[test]
fn a_lesson_of_a_project_only_advises_and_has_no_scope() {
    let env = repository();
    let blocking = [
        "add",
        "--project",
        "--rule",
        "Never.",
        "--trigger",
        "cmd=frob wipe",
        "--mode",
        "block",
        "--fires",
        "frob wipe",
        "--force-block",
        "x",
    ];
    let added = env.lessons(&blocking);
    assert!(said(&added).contains("lessons trust --allow-refusals"), "{}", said(&added));
    assert!(!answer(&env, "frob wipe").contains("deny"));
    let scoped =
        env.lessons(&["add", "--project", "--rule", "x y", "--trigger", "cmd=a", "--scope-project", "."]);
    assert_eq!(scoped.status.code(), Some(2), "{}", said(&scoped));
    assert!(said(&scoped).contains("--scope-project"), "{}", said(&scoped));
    let nowhere = env.lessons_in(&env.home(), &["add", "--project", "--rule", "x y", "--trigger", "cmd=a"]);
    assert_eq!(nowhere.status.code(), Some(2), "{}", said(&nowhere));
    assert!(said(&nowhere).contains("is in no project"), "{}", said(&nowhere));
    let mine = env.lessons(&["edit", &add(&env, "push", "Frob with --safe."), "--priority", "6"]);
    assert!(said(&mine).contains("--project changes it"), "{}", said(&mine));
}

#[test]
fn in_a_linked_work_tree_its_own_file_is_written_and_the_project_approved() {
    let env = repository();
    add(&env, "push", "Frob with --safe.");
    git(&env.project(), &["add", "-A"]);
    git(&env.project(), &["commit", "-qm", "lessons"]);
    let tree = env.home().join("tree");
    git(&env.project(), &["worktree", "add", "-q", tree.to_str().expect("a path"), "-b", "branch"]);
    let before = fs::read(store(&env.project())).expect("a store");
    let words = ["add", "--project", "--rule", "Pull first.", "--trigger", "cmd=frob pull"];
    let added = env.lessons_in(&tree, &words);
    assert!(added.status.success() && !said(&added).contains("not approved"), "{}", said(&added));
    assert_eq!(git(&tree, &["status", "--porcelain", "-uall"]), " M .lessons/lessons.json\n");
    assert_eq!(fs::read(store(&env.project())).expect("a store"), before, "the other tree is as it was");
    assert!(answer(&env, "frob pull").contains("Pull first."), "both are the same project");
    assert_eq!(answer(&env, "frob push").matches("Frob with --safe.").count(), 1);
    git(&tree, &["commit", "-qam", "another"]);
    git(&env.project(), &["merge", "-q", "branch"]);
    assert_eq!(told_at_start(&env), "", "once merged, the file is what was approved");
    env.must(&["undo"]);
    assert_eq!(git(&tree, &["diff", "--stat", "HEAD~1"]), "", "undo writes the file of the tree");
    assert_eq!(answer(&env, "frob pull"), "");
}

#[test]
fn the_file_keeps_its_mode_and_a_link_is_refused() {
    let env = repository();
    add(&env, "push", "Frob with --safe.");
    let file = store(&env.project());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o664)).expect("a mode");
    add(&env, "pull", "Pull first.");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o664);
    let elsewhere = env.home().join("elsewhere");
    fs::rename(env.project().join(".lessons"), &elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, env.project().join(".lessons")).expect("a link");
    let refused = env.lessons(&["add", "--project", "--rule", "Pull twice.", "--trigger", "cmd=frob x"]);
    assert!(!refused.status.success() && said(&refused).contains("may not be a link"), "{}", said(&refused));
}

#[test]
fn a_lesson_that_cannot_be_used_does_not_keep_the_others_from_being_changed() {
    let env = repository();
    let id = add(&env, "push", "Frob with --safe.");
    by_colleague(&env.project(), |graph| {
        graph["lessons"]["bad"] = json!({ "rule": 7, "status": "active" });
        graph["x-note"] = "kept".into();
    });
    env.must(&["edit", "--project", &id, "--mistake", "It pushes over others."]);
    assert!(answer(&env, "frob push").contains("It pushes over others."));
    let graph = written(&env.project());
    assert_eq!((&graph["lessons"]["bad"]["rule"], &graph["x-note"]), (&json!(7), &json!("kept")));
    let refused = env.lessons(&["edit", "--project", &id, "--trigger", "cmd=(", "--json"]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    fs::write(store(&env.project()), "<<<<<<< ours\n").expect("a store");
    let unreadable = env.lessons(&["edit", "--project", &id, "--priority", "6"]);
    assert!(said(&unreadable).contains("two branches changed the same"), "{}", said(&unreadable));
    env.must(&["add", "--rule", "Mine.", "--trigger", "cmd=frob mine"]);
}

#[test]
fn a_candidate_becomes_a_lesson_of_the_project_in_which_it_was_seen() {
    let env = repository();
    let text = "#lesson\ntool: Bash\ntrigger: frob push\nmistake: frob push overwrites what others pushed\n\
                fix: use frob push --safe, which asks first\n#/lesson";
    let line = json!({
        "type": "assistant", "uuid": "00000000-0000-4000-8000-000000000001", "sessionId": "one",
        "timestamp": "2026-11-20T10:00:00.000Z", "cwd": env.project(),
        "message": { "role": "assistant", "model": "m", "content": [{ "type": "text", "text": text }] },
    });
    env.write_transcript("app/one.jsonl", &[line]);
    env.scan();
    let id = env.lessons_json(&["candidates"])[0]["id"].as_str().expect("a candidate").to_owned();
    let elsewhere = env.home().join("other");
    fs::create_dir(&elsewhere).expect("a folder");
    git(&elsewhere, &["init", "-q"]);
    let promoted = env.lessons_in(&elsewhere, &["promote", "--project", &id]);
    assert!(promoted.status.success(), "{}", said(&promoted));
    assert!(store(&env.project()).exists() && !store(&elsewhere).exists());
    assert!(answer(&env, "frob push").contains("which asks first"));
    assert_eq!(env.lessons_json(&["candidates"]), json!([]), "it is a lesson now");
    let again = env.must(&["promote", &id]);
    assert!(again.contains("is the lesson project-"), "{again}");
    env.must(&["undo"]);
    assert_eq!(env.lessons_json(&["candidates"])[0]["id"], json!(id));
}

#[test]
fn an_agent_writes_a_project_s_lessons_only_if_the_person_says_yes() {
    let env = repository();
    add(&env, "push", "Frob with --safe.");
    let agent = env.as_agent("s1");
    let line = "lessons add --project --rule 'Pull first.' --trigger 'cmd=frob pull'";
    let refused = agent.runs(line);
    assert!(
        !refused.status.success() && said(&refused).contains("only a person decides"),
        "{}",
        said(&refused)
    );
    let reply = agent.asks(line);
    let asked = reply["permissionDecisionReason"].as_str().expect("a reason");
    let asked = asked.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(asked.contains("Pull first.") && asked.contains("what you approved of it follows"), "{asked}");
    assert!(asked.contains(&format!(".lessons/lessons.json of {}", env.project().display())), "{asked}");
    assert_eq!(answer(&env, "frob pull"), "", "nothing is changed before the answer");
    let approved = agent.runs(reply["updatedInput"]["command"].as_str().expect("a command"));
    assert!(approved.status.success(), "{}", said(&approved));
    assert!(answer(&env, "frob pull").contains("Pull first."));
}
