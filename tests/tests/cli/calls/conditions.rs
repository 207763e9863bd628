//! Lessons that hold on some machines or in some states only: recorded, matched, explained, shared.

use std::fs;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

const ID: &str = "do-not-enter-it-twice";
const FIRES: &str = r#"{"tool":"Bash","command":"cd web && ls","cwd":"/p/web"}"#;

/// The name of this system, and of another one.
fn systems() -> [&'static str; 2] {
    if cfg!(target_os = "macos") { ["macos", "linux"] } else { ["linux", "macos"] }
}

/// A machine with a lesson on `cd`, under these conditions.
fn machine(conditions: &[&str]) -> TestEnv {
    let env = TestEnv::new().without_seeds().with_variable("SHELL", "/usr/bin/zsh");
    let add = ["add", "--rule", "Do not enter it twice.", "--trigger", r"cmd=^cd\b", "--fires", FIRES];
    env.must(&[&add, conditions].concat());
    env
}

/// What the hook says of a command that is run in `folder` of the project.
fn answer(env: &TestEnv, folder: &str, command: &str) -> String {
    let cwd = env.project().join(folder);
    fs::create_dir_all(&cwd).unwrap();
    said(&env.hook(&json!({
        "session_id": command, "hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    })))
}

fn is_told(env: &TestEnv, folder: &str, command: &str) -> bool {
    answer(env, folder, command).contains("Do not enter it twice.")
}

#[test]
fn entering_the_folder_again_is_told_from_entering_one_below() {
    let env = machine(&["--state", "cwd-ends-with-target"]);
    assert!(is_told(&env, "app/web", "cd web && npm test"));
    assert!(is_told(&env, "app/web", "cd app/web"));
    assert!(!is_told(&env, "app", "cd web && npm run lint"));
    assert!(!is_told(&env, "app/web", "cd ../web"));
}

#[test]
fn a_folder_that_is_not_there_is_told_from_one_that_is() {
    let env = machine(&["--state", "cwd-ends-with-target,path-missing"]);
    fs::create_dir_all(env.project().join("app/web/web")).unwrap();
    assert!(!is_told(&env, "app/web", "cd web"), "it is there after all");
    assert!(is_told(&env, "lib/web", "cd web"));
    let missing = machine(&["--state", "path-missing"]);
    let read = |file: &str| {
        said(&missing.hook(&json!({
            "session_id": file, "hook_event_name": "PreToolUse", "cwd": missing.project(), "tool_name": "Read",
            "tool_input": { "file_path": missing.project().join(file) }, "tool_use_id": "toolu_1",
        })))
    };
    missing.must(&["edit", ID, "--trigger", "tool=Read", "--fires", r#"{"tool":"Read","file":"a.md"}"#]);
    fs::write(missing.project().join("there.md"), "x").unwrap();
    let (gone, there) = (read("gone.md"), read("there.md"));
    assert!(
        gone.contains("Do not enter it twice.") && !there.contains("Do not enter it twice."),
        "{gone}{there}"
    );
}

#[test]
fn a_lesson_keeps_quiet_on_other_systems_and_in_other_shells() {
    let [here, elsewhere] = systems();
    assert!(is_told(&machine(&["--os", here, "--shell", "zsh,bash"]), "web", "cd web"));
    assert!(!is_told(&machine(&["--os", elsewhere]), "web", "cd web"));
    assert!(!is_told(&machine(&["--shell", "bash"]), "web", "cd web"));
    let bash = machine(&["--shell", "bash"]).with_variable("CLAUDE_CODE_SHELL", "/bin/bash");
    assert!(is_told(&bash, "web", "cd web"), "the client's own variable comes first");
    let at_start = |os: &str| {
        let env = TestEnv::new().without_seeds();
        env.must(&["add", "--rule", "Mind the newline.", "--when", "session", "--os", os]);
        let start = json!({"source": "startup", "session_id": "s", "cwd": env.project()});
        let told: Value = serde_json::from_slice(&env.session_start(&start).stdout).unwrap();
        told["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("Mind the newline.")
    };
    assert!(at_start(here) && !at_start(elsewhere));
}

#[test]
fn explain_names_the_condition_that_is_not_met() {
    let [here, elsewhere] = systems();
    let why = |conditions: &[&str]| {
        let env = machine(conditions);
        let folder = env.project().join("app");
        fs::create_dir_all(&folder).unwrap();
        let explain = ["explain", "--command", "cd web", "--lesson", ID, "--cwd", folder.to_str().unwrap()];
        let explained = env.lessons_json(&explain)["lesson"].take();
        assert_eq!(explained["fires"], false, "{explained}");
        (explained["reason"].as_str().unwrap().to_owned(), explained["why"].as_str().unwrap().to_owned())
    };
    let (reason, os) = why(&["--os", elsewhere]);
    assert_eq!(
        (reason.as_str(), os),
        ("os", format!("it is only for {elsewhere}; the system of the call is {here}"))
    );
    let (reason, shell) = why(&["--shell", "bash,sh"]);
    assert_eq!(
        (reason.as_str(), shell.as_str()),
        ("shell", "it is only for bash, sh; the shell here is zsh")
    );
    let (reason, state) = why(&["--state", "cwd-ends-with-target"]);
    assert!(reason == "state" && state.contains("cwd-ends-with-target"), "{state}");
}

#[test]
fn conditions_stand_in_the_store_and_in_the_manifest_and_can_be_taken_back() {
    let env = machine(&["--os", "macos,linux", "--shell", "zsh", "--state", "cwd-ends-with-target"]);
    let json =
        |file: &str| -> Value { serde_json::from_slice(&fs::read(env.data().join(file)).unwrap()).unwrap() };
    let stored = &json("lessons.json")["lessons"][ID];
    assert_eq!(stored["os"], json!(["macos", "linux"]));
    assert_eq!((&stored["shell"], &stored["state"]), (&json!(["zsh"]), &json!(["cwd-ends-with-target"])));
    let terms = &json("lesson-manifest.json")["lessons"][0]["terms"];
    let expected = json!({"os": ["linux", "macos"], "shell": ["zsh"], "state": ["cwd-ends-with-target"]});
    assert_eq!(terms["conditions"], expected);
    let shown = env.must(&["show", ID]);
    assert!(shown.contains("macos, linux") && shown.contains("cwd-ends-with-target"), "{shown}");

    env.must(&["edit", ID, "--os", "", "--shell", "", "--state", ""]);
    let stored = &json("lessons.json")["lessons"][ID];
    assert_eq!(
        (&stored["os"], &stored["shell"], &stored["state"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(json("lesson-manifest.json")["lessons"][0]["terms"]["conditions"], Value::Null);
    let output = env.lessons(&["edit", ID, "--os", "beos"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("linux, macos or windows"));
}

#[test]
fn an_import_keeps_conditions_and_a_format_without_them_leaves_the_lesson_out() {
    let env = machine(&["--os", "linux", "--state", "path-missing"]);
    let other = TestEnv::new().without_seeds();
    let store = env.data().join("lessons.json");
    other.must(&["import", "--format", "lessons-graph", store.to_str().unwrap()]);
    let lesson = other.lessons_json(&["show", ID])["lesson"].take();
    assert_eq!((&lesson["os"], &lesson["state"]), (&json!(["linux"]), &json!(["path-missing"])));

    let exported = env.lessons(&["export", "--format", "lessons-graph"]);
    let told = String::from_utf8_lossy(&exported.stderr).into_owned();
    assert!(told.contains(&format!("left out user/{ID}: without its os, state")), "{told}");

    let unknown = fs::read_to_string(&store).unwrap().replace("path-missing", "moon-is-full");
    let file = other.home().join("unknown.json");
    fs::write(&file, unknown).unwrap();
    let refused = other.lessons(&["import", "--format", "lessons-graph", file.to_str().unwrap()]);
    assert!(
        said(&refused).contains("`cwd-ends-with-target`, `path-missing`, `path-exists`"),
        "{}",
        said(&refused)
    );
}

/// A machine with the built-in lessons, whose client runs commands with the shell that these variables name.
fn shipped(variables: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::new().with_variable("SHELL", "/bin/bash");
    let env = variables.iter().fold(env, |env, (name, value)| env.with_variable(name, value));
    env.must(&["build"]);
    env
}

#[test]
fn a_built_in_lesson_about_zsh_is_told_where_zsh_runs_the_command() {
    for (variables, expected) in [
        (vec![("SHELL", "/bin/zsh")], true),
        (vec![("SHELL", "/opt/homebrew/bin/zsh")], true),
        (vec![("SHELL", "/bin/bash")], false),
        (vec![("SHELL", "/usr/bin/fish")], false),
        (vec![("SHELL", "")], false),
        (vec![("SHELL", "/bin/zsh"), ("CLAUDE_CODE_SHELL", "/bin/bash")], false),
        (vec![("CLAUDE_CODE_SHELL", "/bin/zsh")], true),
        (vec![("SHELL", "/bin/zsh"), ("CLAUDE_CODE_SHELL", "/usr/bin/fish")], true),
    ] {
        let env = shipped(&variables);
        for (command, lesson) in [
            ("gh api repos/a/b/pulls?state=all", "zsh-pattern-that-is-no-file-name"),
            ("for path in src lib; do ls $path; done", "zsh-variable-that-is-special"),
            ("echo === build && make", "zsh-word-that-begins-with-equals"),
        ] {
            let told = answer(&env, "app", command).contains(&format!("[lesson seed/{lesson}"));
            assert_eq!(told, expected, "{variables:?} {command}");
        }
    }
}

#[test]
fn a_built_in_lesson_about_the_tools_of_a_system_is_told_there_and_of_transcripts_from_there() {
    let [here, elsewhere] = systems();
    let about = |system: &str| match system {
        "macos" => ("sed -i s/a/b/ x.ts", "[lesson seed/gnu-options-on-macos", "/Users/ana/gone"),
        _ => ("sed -i '' s/a/b/ x.ts", "[lesson seed/sed-i-with-an-empty-suffix-on-linux", "/home/ana/gone"),
    };
    let env = shipped(&[]);
    let (command, told, _) = about(here);
    assert!(answer(&env, "app", command).contains(told));
    let (command, told, folder) = about(elsewhere);
    assert!(!answer(&env, "app", command).contains(told));
    let of_transcript = json!({
        "session_id": "past", "hook_event_name": "PreToolUse", "cwd": folder, "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    });
    assert!(said(&env.hook(&of_transcript)).contains(told));
}

#[test]
fn a_built_in_lesson_is_told_at_a_cd_into_the_folder_where_the_shell_is() {
    let env = shipped(&[]);
    fs::create_dir_all(env.project().join("lib/web/web")).unwrap();
    for (folder, expected) in [("app/web", true), ("lib/web", false), ("app", false)] {
        let told = answer(&env, folder, "cd web && ls").contains("[lesson seed/cd-to-where-the-shell-is");
        assert_eq!(told, expected, "{folder}");
    }
}
