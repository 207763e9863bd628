//! A lesson beside the error of a failed call.

use lessons_tests::client::{Pin, with_each_client};
use lessons_tests::model::{Script, Turn};
use serde_json::json;

use crate::world::{RULE, World, bash, done, tells_once, times_told};

const TRIGGER: [&str; 2] = ["--trigger", r"error=\bsite is locked\b"];
const FAILS: &str = "echo site is locked; exit 3";

#[test]
fn a_failed_command_gets_its_lesson_with_the_error_once() {
    with_each_client(|pin| {
        let world = World::new();
        world.add(RULE, &TRIGGER);
        let script = Script::new()
            .turn(bash("echo site is locked"))
            .turn(bash("exit 3"))
            .turn(bash(FAILS))
            .turn(bash(FAILS))
            .turn(done());
        let requests = world.session(pin, script).run().requests;
        let told: Vec<usize> = (1..=4).map(|turn| times_told(requests.main(turn), RULE)).collect();
        assert_eq!(told, [0, 0, 1, 0], "neither for a success, nor for another error, nor twice");
        tells_once(requests.main(3), RULE).unwrap();
        let result = requests.main(3).result(0);
        assert!(result.is_error && result.text.contains("site is locked"), "{result:?}");
    });
}

#[test]
fn a_failed_read_gets_its_lesson_too() {
    with_each_client(|pin| {
        let world = World::new();
        world.add(RULE, &["--trigger", "error=(?i)does not exist|no such file", "--tool", "Read"]);
        let missing = world.scratch.project().join("missing.txt");
        let script = Script::new().turn(Turn::call("Read", json!({"file_path": missing}))).turn(done());
        let requests = world.session(pin, script).run().requests;
        tells_once(requests.main(1), RULE).unwrap();
    });
}

#[test]
fn an_edit_that_the_client_refuses_itself_reaches_no_hook_of_ours() {
    let world = World::new();
    world.add(RULE, &["--trigger", "error=."]);
    let file = world.scratch.project().join("a.txt");
    std::fs::write(&file, "one\n").unwrap();
    let edit = json!({"file_path": file, "old_string": "absent", "new_string": "x"});
    let script = Script::new()
        .turn(Turn::call("Read", json!({"file_path": file})))
        .turn(Turn::call("Edit", edit))
        .turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    assert!(requests.main(2).result(0).is_error);
    assert_eq!(times_told(requests.main(2), RULE), 0, "the documentation says so");
}
