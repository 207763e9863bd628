//! `lessons edit ID` in the person's editor.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use lessons_tests::env::TestEnv;
use lessons_tests::terminal::Terminal;
use serde_json::json;

use crate::seeing::replaying::{with_commands, with_frob};

/// A machine with a lesson about `frob push` that fired twice, and an editor that runs this script on its file.
fn machine(script: &str) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    with_frob(&env);
    with_commands(&env, "one", 1, &["frob push a", "frob push b", "frob pull", "ls"]);
    let editor = env.home().join("editor");
    fs::write(
        &editor,
        format!("#!/bin/sh\ncp \"$1\" \"$HOME/seen-$(ls $HOME/seen-* 2>/dev/null | wc -l)\"\n{script}\n"),
    )
    .expect("an editor");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).expect("a program");
    let name = editor.display().to_string();
    env.with_variable("EDITOR", name)
}

/// Runs `lessons edit` in a terminal and answers its question.
fn edits(env: &TestEnv, answer: &str, end: &str) -> String {
    let mut command = env.command("lessons");
    command.args(["edit", "use-frob"]);
    let mut terminal = Terminal::start(&command, 120, 40);
    terminal.sees("Save it?");
    terminal.types(answer);
    assert!(terminal.ends().success());
    terminal.sees(end);
    terminal.look(vt100::Screen::contents)
}

#[test]
fn a_lesson_is_edited_in_a_form_and_saved_with_what_it_changes_in_the_past() {
    let env = machine(r"sed -i 's/^fires on:.*/fires on: cmd=\\bfrob\\b/; s/^priority: 5/priority: 7/' $1");
    let seen = edits(&env, "y\r", "it is in force");
    assert!(seen.contains("In your sessions it fires at 3 of 4 calls; before the change at 2"), "{seen}");
    assert!(seen.contains(r"+ trigger    cmd=\bfrob\b"), "{seen}");
    let form = fs::read_to_string(env.home().join("seen-0")).expect("the form");
    for line in ["rule: Use frob push --safe, which asks first.", r"unless: cmd=\s--safe\b", "mode: advise"] {
        assert!(form.lines().any(|of| of == line), "{line}: {form}");
    }
    assert!(form.contains("tool=NAME, error=REGEX"), "{form}");
    let shown = env.lessons_json(&["show", "use-frob"]);
    assert_eq!(shown["lesson"]["priority"], 7, "{shown}");
    assert_eq!(
        fs::read_dir(env.data().join("log")).map_or(0, |log| {
            log.flatten().filter(|file| file.file_name().to_string_lossy().starts_with("edit-")).count()
        }),
        0,
        "the form is removed"
    );
    env.must(&["undo"]);
    assert_eq!(env.lessons_json(&["show", "use-frob"])["lesson"]["priority"], json!(null), "the default");
}

#[test]
fn a_mistake_is_shown_in_the_form_until_it_is_right() {
    let env = machine(
        "if grep -q WRONG $1; then sed -i 's/^mode: shout/mode: advise/; s/^priority: 5/priority: 3/' $1; \
         else sed -i 's/^mode: advise/mode: shout/' $1; fi",
    );
    edits(&env, "y\r", "it is in force");
    let second = fs::read_to_string(env.home().join("seen-1")).expect("the form again");
    assert!(second.starts_with("# WRONG: mode: must be one of"), "{second}");
    assert_eq!(env.lessons_json(&["show", "use-frob"])["lesson"]["priority"], 3);
}

#[test]
fn without_a_yes_nothing_is_saved_and_without_a_terminal_no_editor_opens() {
    let env = machine("sed -i 's/^priority: 5/priority: 9/' $1");
    edits(&env, "n\r", "nothing to change");
    assert_eq!(env.lessons_json(&["show", "use-frob"])["lesson"]["priority"], json!(null), "the default");
    let said = env.must(&["edit", "use-frob"]);
    assert!(said.contains("nothing to change; give a flag"), "{said}");
    assert!(!env.home().join("seen-1").exists(), "the editor ran once");
}
