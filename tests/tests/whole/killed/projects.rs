//! The commands that write a project's lessons, killed at each point.

use std::fs;

use super::machines::{RULE, machine, with_a_candidate, with_a_project, write_project_store};
use super::points::kill_everywhere;
use super::undo_everywhere;

#[test]
fn add_to_a_project_without_lessons() {
    let env = machine();
    fs::create_dir(env.project().join(".git")).expect("a repository");
    kill_everywhere(&env, &[&["add", "--project"][..], &RULE].concat());
}

#[test]
fn add_to_a_project_that_a_colleague_has_changed() {
    let env = with_a_project();
    env.must(&["trust", "--yes"]);
    write_project_store(&env, "Frob as you like.");
    kill_everywhere(&env, &[&["add", "--project"][..], &RULE].concat());
}

#[test]
fn undo_of_the_first_lesson_of_a_project() {
    let env = machine();
    fs::create_dir(env.project().join(".git")).expect("a repository");
    undo_everywhere(&env, &[&["add", "--project"][..], &RULE].concat());
}

#[test]
fn promote_into_a_project() {
    let (env, candidate) = with_a_candidate();
    fs::create_dir(env.project().join(".git")).expect("a repository");
    kill_everywhere(&env, &["promote", "--project", &candidate]);
}
