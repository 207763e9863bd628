//! `lessons query`: what it takes for a question, and what it answers from.

use std::fs;

use lessons_tests::env::{TestEnv, said};

/// A machine with one lesson.
fn with_frob() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&["add", "--rule", "Frob slowly.", "--trigger", "cmd=frob push"]);
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
        assert!(said.contains("\n  <TEXT|--file <PATH>|--cmd <COMMAND>|--keyword <TEXT>>\n"), "{said}");
    }
}

#[test]
fn a_question_is_answered_from_what_is_in_force() {
    let env = with_frob();
    assert_eq!(rules(&env), "Frob slowly.\n");
    let store = env.data().join("lessons.json");
    let text = fs::read_to_string(&store).expect("a store");
    fs::write(&store, text.replace("Frob slowly.", "Frob gently.")).expect("a store");
    assert_eq!(rules(&env), "Frob slowly.\n", "nobody has accepted the change");
    fs::remove_file(&store).expect("a store");
    assert_eq!(rules(&env), "Frob slowly.\n");
}

#[test]
fn an_index_that_is_lost_or_corrupt_is_made_anew_before_a_question_is_answered() {
    let env = with_frob();
    let index = env.data().join("lesson-manifest.idx");
    fs::remove_file(&index).expect("an index");
    assert_eq!(rules(&env), "Frob slowly.\n");
    let bytes = fs::read(&index).expect("an index");
    for end in [0, 100, 511] {
        fs::write(&index, &bytes[..end]).expect("an index");
        assert_eq!(rules(&env), "Frob slowly.\n", "cut at {end}");
    }
}

#[test]
fn what_a_death_between_the_two_renames_of_a_build_left_is_built_by_the_next_command() {
    let env = with_frob();
    let index = env.data().join("lesson-manifest.idx");
    let former = fs::read(&index).expect("an index");
    env.must(&["add", "--rule", "Frob twice.", "--trigger", "cmd=frob pull"]);
    fs::write(&index, former).expect("an index");
    let question = ["query", "--cmd", "frob pull"];
    assert_eq!(env.must(&question), "Frob twice.\n", "the index of the build before is replaced");
    assert!(env.must(&["query", "--cmd", "frob push"]).contains("Frob slowly."));
}
