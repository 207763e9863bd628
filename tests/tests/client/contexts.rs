//! Who is told: each context once.

use lessons_tests::client::{Pin, with_each_client};
use lessons_tests::model::Script;

use crate::world::{AndBash as _, BUMP, DEPLOY, RULE, World, bash, done, send_agent, tells_once, times_told};

#[test]
fn of_parallel_calls_that_match_one_gets_the_lesson() {
    with_each_client(|pin| {
        let world = World::with_lesson(&[]);
        let four = bash(DEPLOY).and_bash(DEPLOY).and_bash(DEPLOY).and_bash(DEPLOY);
        let requests = world.session(pin, Script::new().turn(four).turn(done())).run().requests;
        tells_once(requests.main(1), RULE).unwrap();
    });
}

#[test]
fn a_sub_agent_is_told_what_the_main_thread_knows_already() {
    with_each_client(|pin| {
        let world = World::with_lesson(&[]);
        let script = Script::new()
            .turn(bash(DEPLOY))
            .turn(send_agent("SUBTASK: deploy"))
            .turn(bash(DEPLOY))
            .turn(done())
            .thread("SUBTASK", [bash(DEPLOY), bash(DEPLOY), done()]);
        let requests = world.session(pin, script).run().requests;
        assert_eq!([1, 2, 3].map(|turn| times_told(requests.main(turn), RULE)), [1, 0, 0]);
        assert_eq!([1, 2].map(|turn| times_told(requests.of("SUBTASK", turn), RULE)), [1, 0]);
    });
}

#[test]
fn a_bump_that_a_sub_agent_got_past_still_refuses_the_main_thread() {
    let world = World::with_lesson(&BUMP);
    let script = Script::new()
        .turn(send_agent("SUBTASK: deploy"))
        .turn(bash(DEPLOY))
        .turn(done())
        .thread("SUBTASK", [bash(DEPLOY), bash(DEPLOY), done()]);
    let requests = world.session(Pin::Current, script).run().requests;
    assert_eq!([1, 2].map(|turn| requests.of("SUBTASK", turn).result(0).is_error), [true, false]);
    assert!(requests.main(2).result(0).is_error);
}

#[test]
fn a_lesson_for_one_kind_of_agent_is_told_to_no_other() {
    let script = Script::new()
        .turn(bash(DEPLOY))
        .turn(send_agent("SUBTASK: deploy"))
        .turn(done())
        .thread("SUBTASK", [bash(DEPLOY), done()]);
    with_each_client(|pin| {
        let world = World::with_lesson(&["--scope-agent", "general-purpose"]);
        let requests = world.session(pin, script.clone()).run().requests;
        assert_eq!(times_told(requests.main(1), RULE), 0);
        // It is told at its start, with the protocol, and not again at the call.
        let first = requests.of("SUBTASK", 0).given();
        assert!(
            first.contains("## Lessons Learned (1 most recent)\n#1: ") && first.contains("fix: <what to do"),
            "{first}"
        );
        assert_eq!(times_told(requests.of("SUBTASK", 1), RULE), 0);
    });
}
