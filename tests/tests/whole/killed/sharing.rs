//! `share` and `unshare`, killed at each point at which they write.

use lessons_tests::env::TestEnv;
use lessons_tests::shared::with_remote;
use serde_json::json;

use super::machines::{GUARD, add, machine};
use super::points::kill_everywhere;
use super::undo_everywhere;

/// A machine in a clone of a project, with two lessons that may be shared.
fn in_a_clone() -> TestEnv {
    let env = machine();
    with_remote(&env);
    let other = json!({
        "id": "other",
        "rule": "Look twice before a frob push.",
        "triggers": [{ "kind": "keyword", "pattern": "frob push" }],
    });
    add(&env, &other);
    env
}

#[test]
fn share() {
    kill_everywhere(&in_a_clone(), &["share", GUARD, "other", "--yes"]);
}

#[test]
fn share_of_the_next_version() {
    let env = in_a_clone();
    env.must(&["share", GUARD, "--yes"]);
    env.must(&["edit", GUARD, "--mistake", "It wipes everything."]);
    kill_everywhere(&env, &["share", GUARD, "--yes"]);
}

#[test]
fn undo_of_share() {
    undo_everywhere(&in_a_clone(), &["share", GUARD, "--yes"]);
}

#[test]
fn unshare() {
    let env = in_a_clone();
    env.must(&["share", GUARD, "other", "--yes"]);
    kill_everywhere(&env, &["unshare", GUARD, "other", "--yes"]);
}

#[test]
fn undo_of_unshare() {
    let env = in_a_clone();
    env.must(&["share", GUARD, "--yes"]);
    undo_everywhere(&env, &["unshare", GUARD, "--yes"]);
}
