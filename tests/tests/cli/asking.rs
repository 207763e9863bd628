//! `lessons query`: what it takes for a question, and what it answers from.

use std::fs;

use lessons_tests::env::{TestEnv, said};

/// A machine with one lesson, of which a build has written down what questions need.
fn with_frob() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&["add", "--rule", "Frob slowly.", "--trigger", "cmd=frob push"]);
    // Whether the clock of the file system has moved on since the store was written, a build cannot promise.
    while !env.data().join("lessons.recall").exists() {
        env.must(&["build"]);
    }
    env
}

fn rules(env: &TestEnv) -> String {
    env.must(&["query", "--cmd", "frob push"])
}

#[test]
fn a_question_is_about_a_file_a_command_or_words() {
    let env = TestEnv::new().without_seeds();
    for words in [&["query"][..], &["query", "--all"], &["query", "--top", "3", "--ids"]] {
        let output = env.lessons(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let said = said(&output);
        assert!(said.contains("\n  <--file <PATH>|--cmd <COMMAND>|--keyword <TEXT>>\n"), "{said}");
    }
}

#[test]
fn a_store_that_was_changed_by_hand_is_answered_from_at_once() {
    let env = with_frob();
    assert_eq!(rules(&env), "Frob slowly.\n");
    let store = env.data().join("lessons.json");
    let text = fs::read_to_string(&store).expect("a store");
    fs::write(&store, text.replace("Frob slowly.", "Frob gently.")).expect("a store");
    assert_eq!(rules(&env), "Frob gently.\n");
    fs::remove_file(&store).expect("a store");
    assert_eq!(rules(&env), "(no matches)\n");
}

#[test]
fn a_damaged_part_changes_no_answer() {
    let env = with_frob();
    let part = env.data().join("lessons.recall");
    let whole = fs::read(&part).expect("a part");
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        fs::write(&part, bytes).expect("a part");
        assert_eq!(rules(&env), "Frob slowly.\n", "byte {at}");
    }
}
