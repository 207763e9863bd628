//! `receive`, killed at each point at which it writes.

use lessons_store::decisions::peers::PeerTrust;
use lessons_tests::env::TestEnv;
use lessons_tests::shared::{self, Colleague, folder, lesson, put, with_remote};
use serde_json::Value;

use super::machines::machine;
use super::points::kill_everywhere;

/// A machine on which the lessons of one peer are taken automatically, and those of another one wait.
fn with_what_peers_shared() -> TestEnv {
    let env = machine();
    let (ana, ben, eve) = (Colleague::new(1), Colleague::new(2), Colleague::new(3));
    with_remote(&env);
    shared::trust(&env, &ana, "ana", PeerTrust::Auto);
    shared::trust(&env, &ben, "ben", PeerTrust::Review);
    let folder = folder(&env);
    let push = lesson("push-safely", "Use `frob push --safe`.", r"\bfrob push\b");
    let wipe = lesson("wipe", "Look at the list first.", r"\bfrob wipe\b");
    for event in [
        ana.lesson(&push, 10),
        ana.lesson(&wipe, 10),
        ana.deletion("push-safely", &[], 11),
        ben.lesson(&push, 10),
        eve.lesson(&push, 10),
    ] {
        put(&folder, &event);
    }
    env
}

#[test]
fn receive() {
    kill_everywhere(&with_what_peers_shared(), &["receive"]);
}

#[test]
fn undo_of_receive() {
    let env = with_what_peers_shared();
    env.must(&["receive"]);
    let changes = env.lessons_json(&["log"]);
    let is_meant = |change: &&Value| change["action"] == "received";
    let change = changes.as_array().expect("a list").iter().find(is_meant).expect("a change");
    kill_everywhere(&env, &["undo", &change["number"].to_string()]);
}
