//! The whole way: a mistake in one session, the lesson in another.

use std::time::Duration;

use lessons_tests::client::{Pin, with_each_client};
use lessons_tests::model::{Script, Turn};
use lessons_tests::processes;
use serde_json::json;

use crate::world::{World, bash, done, tells_once};

const TAG: &str = "\
That failed because the first run only plans. Writing that down:

#lesson
tool: Bash
trigger: site-ctl apply
mistake: site-ctl apply without a plan file silently applies an old plan
fix: run `site-ctl plan` first and pass its file
tags: tool:site-ctl
#/lesson";

const FIX: &str = "run `site-ctl plan` first and pass its file";

/// A session in which the model fails, finds out why, and writes a lesson.
fn a_mistake() -> Script {
    Script::new().turn(bash("site-ctl apply --now")).turn(Turn::text(TAG))
}

#[test]
fn a_mistake_that_was_recorded_in_one_session_is_a_lesson_in_the_next() {
    with_each_client(|pin| {
        let world = World::new();
        let first = world.session(pin, a_mistake()).run().requests;
        assert!(first.main(1).result(0).is_error && first.main(1).fresh().contains("site-ctl"));
        assert!(first.holding(FIX).is_empty());

        world.person.types(&["scan"]);
        world.person.types(&["promote", &world.candidate()]);
        world.person.types(&["build"]);

        let script = Script::new().turn(bash("site-ctl apply --all")).turn(done());
        let second = world.session(pin, script).run().requests;
        tells_once(second.main(1), FIX).unwrap();
    });
}

#[test]
fn what_fails_and_then_works_in_another_way_in_two_sessions_is_a_candidate() {
    with_each_client(|pin| {
        let world = World::new();
        let works = "tar -cf none.tar --files-from=/dev/null";
        for _ in 0..2 {
            let script = Script::new().turn(bash("tar -cf none.tar")).turn(bash(works)).turn(done());
            let requests = world.session(pin, script).run().requests;
            assert!(requests.main(1).result(0).is_error && !requests.main(2).result(0).is_error);
        }
        world.person.types(&["scan"]);
        let shown = world.person.reads(&["show", &world.candidate()]);
        assert_eq!(shown["source"], "repeated failure");
        let rule = format!("`tar` worked with `--files-from=/dev/null`: use `{works}`");
        assert_eq!(shown["fix"], rule);
        assert_eq!((&shown["seen"], &shown["sessions"]), (&json!(2), &json!(2)));
    });
}

#[test]
fn the_next_session_has_scanned_the_one_before_and_left_no_process() {
    let world = World::new();
    let _ = world.session(Pin::Current, a_mistake()).run();
    let _ = world.session(Pin::Current, Script::new().turn(done())).run();
    let left = processes::left_after(Duration::from_secs(20), &world.scratch.home());
    assert!(left.is_empty(), "still running: {left:#?}");
    assert!(!world.candidate().is_empty());
}
