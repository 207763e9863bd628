//! What a message says is so, and the command that it names works.

use lessons_tests::env::{TestEnv, said};
use serde_json::json;

const BUMP: [&str; 11] = [
    "add",
    "--rule",
    "Frob with care",
    "--trigger",
    "cmd=frob",
    "--fires",
    "frob x",
    "--quiet",
    "ls",
    "--mode",
    "bump",
];

#[test]
fn show_has_the_examples_the_state_and_the_subject() {
    let env = TestEnv::new().without_seeds();
    let state = ["--state", "path-missing", "--subject", "command"];
    let examples = ["--fires", "cd x && frob", "--quiet", "ls"];
    env.must(
        &[&["add", "--rule", "Frob with care", "--trigger", "cmd=frob"], &examples[..], &state].concat(),
    );
    let shown = env.must(&["show", "frob-with-care"]);
    for row in ["must fire cd x && frob", "quiet at  ls", "state     path-missing", "subject   command"] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    let line = "lessons add --rule 'Look first' --trigger kw=look --state path-exists --os linux";
    let asked = env.as_agent("s").asks(line).to_string();
    assert!(asked.contains("only where os is linux, only where state is path-exists"), "{asked}");
}

#[test]
fn a_page_that_is_not_there_is_called_so() {
    let env = TestEnv::new();
    env.must(&["build"]);
    let shown = said(&env.as_agent("s").runs("lessons list --page 99"));
    assert!(shown.contains("There is no page 99") && !shown.contains("No such lesson"), "{shown}");
}

#[test]
fn init_does_not_call_what_it_has_just_set_a_default() {
    let env = TestEnv::new().without_seeds();
    let shown = env.must(&["init", "--scripts"]);
    let (defaults, rest) = shown.split_once(" at their defaults").expect("defaults");
    assert!(!defaults.contains("gate.scripts") && rest.contains("gate.scripts = true"), "{shown}");
}

#[test]
fn a_lesson_below_the_minimum_is_told_the_setting_and_the_way_on() {
    let env = TestEnv::new().without_seeds();
    let shown = said(&env.lessons(&[&BUMP[..], &["--confidence", "0.3"]].concat()));
    assert!(shown.contains("confidence, 0.3, is below 0.5, the setting `minimum.confidence`"), "{shown}");
    assert!(shown.contains("lessons edit"), "{shown}");
}

#[test]
fn a_lesson_for_a_folder_that_is_not_there_is_refused() {
    let env = TestEnv::new().without_seeds();
    let refused = env.lessons(&[&BUMP[..], &["--scope-project", "/nonexistent"]].concat());
    assert!(!refused.status.success(), "{}", said(&refused));
    assert!(said(&refused).contains("there is no folder /nonexistent"), "{}", said(&refused));
}

#[test]
fn off_for_a_session_names_a_way_that_works() {
    let env = TestEnv::new().without_seeds();
    env.must(&BUMP);
    let typed_in_session = said(&env.as_agent("s").runs("lessons off frob-with-care --session"));
    assert!(typed_in_session.contains("the whole command, without `!`"), "{typed_in_session}");
    assert!(typed_in_session.contains("lessons off frob-with-care --for 2h"), "{typed_in_session}");
    let in_terminal = said(&env.lessons(&["off", "frob-with-care", "--session"]));
    assert!(in_terminal.contains("tell the agent to run"), "{in_terminal}");
}

#[test]
fn who_has_no_terminal_to_forget_in_is_not_told_of_a_client() {
    let env = TestEnv::new().without_seeds();
    let refused = said(&env.lessons_in_script(&["forget"]));
    assert!(refused.contains("there is none here") && !refused.contains("client"), "{refused}");
    let agent = said(&env.as_agent("s").runs("echo secret | lessons forget"));
    assert!(agent.contains("never through the client"), "{agent}");
}

#[test]
fn where_nobody_is_asked_the_command_to_type_is_named() {
    let env = TestEnv::new().without_seeds();
    let payload = json!({
        "session_id": "s", "cwd": env.project(), "tool_use_id": "t",
        "tool_input": { "command": "lessons off seed/git-force-push" },
    });
    let refused = env.lessons_given(&["question"], payload.to_string().as_bytes());
    let refused = said(&refused);
    assert!(refused.contains("Nobody was asked, because"), "{refused}");
    assert!(refused.contains("lessons off seed/git-force-push"), "{refused}");
}

#[test]
fn lessons_of_the_project_that_wait_are_no_nothing() {
    let env = TestEnv::new().without_seeds();
    std::fs::create_dir_all(env.project().join(".lessons")).expect("a folder");
    let empty = json!({ "version": 1, "lessons": {}, "topics": {}, "triggers": {} }).to_string();
    std::fs::write(env.project().join(".lessons/lessons.json"), empty).expect("a store");
    let shown = env.must(&["status"]);
    assert!(
        shown.contains("brings lessons of its own, which are not in use. Next: lessons trust"),
        "{shown}"
    );
    assert!(!shown.contains("Nothing waits"), "{shown}");
    env.must(&["trust", "--yes"]);
    assert!(env.must(&["status"]).contains("Nothing waits"));
}
