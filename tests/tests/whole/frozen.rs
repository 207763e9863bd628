//! The hook before a tool call answers as it always did, byte for byte.
//!
//! What is recorded (see [`lessons_tests::record`]) are answers over material that does not change with the
//! program: a copy of the lessons that once shipped, the calls of their examples, two lists of calls, lessons made by
//! hand for everything else that a lesson can say, patterns of behaviour cases, and stores made from the copy.
//! The shipped lessons themselves are switched off, so they may change.
//!
//! `fixtures/frozen/CHANGES.md` lists each answer that is not the one of the first version, with the reason.

mod calls;
mod machine;
mod made;
mod sampling;

use lessons_tests::record::{self, Answered};
use serde_json::Value;

use self::calls::Call;
use self::machine::Machine;

/// A file of the material.
fn material(name: &str) -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/frozen").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A file of the material that is a lessons graph.
fn graph(name: &str) -> Value {
    serde_json::from_str(&material(name)).unwrap()
}

/// Makes the calls in their order and compares the answers with the record of that name.
fn check(machine: &Machine, name: &str, calls: &[Call]) {
    let answers: Vec<Answered> =
        calls.iter().enumerate().map(|(number, call)| machine.answer(call, name, number)).collect();
    record::check(name, &answers);
}

#[test]
fn lessons_that_once_shipped_at_their_examples() {
    let graph = graph("lessons.json");
    check(&Machine::with(&graph, ""), "examples", &calls::examples(&graph));
}

#[test]
fn lessons_that_once_shipped_at_ordinary_calls_and_other_phrasings() {
    let machine = Machine::with(&graph("lessons.json"), "");
    for name in ["ordinary", "phrasings"] {
        check(&machine, name, &calls::samples(&material(&format!("{name}.jsonl"))));
    }
}

#[test]
fn all_that_a_lesson_can_say() {
    let machine = Machine::with(&graph("handmade.json"), "");
    machine.scope_and_switch_off();
    check(&machine, "handmade", &calls::as_written(&material("handmade.jsonl")));
    check(&machine, "wrapped", &calls::wrapped());
}

#[test]
fn patterns_of_the_behaviour_cases() {
    let cases = calls::cases(|trigger| !calls::is_extended_glob(trigger));
    check(&Machine::with(&cases.graph, "budget.bytes = 9500\nbudget.lessons = 10\n"), "cases", &cases.calls);
}

#[test]
fn extended_globs_of_the_behaviour_cases() {
    let cases = calls::cases(calls::is_extended_glob);
    check(
        &Machine::with(&cases.graph, "budget.bytes = 9500\nbudget.lessons = 10\n"),
        "extended",
        &cases.calls,
    );
}

#[test]
fn thirty_lessons() {
    let graph = made::store(30);
    check(&Machine::with(&graph, ""), "made-30", &made::calls(&graph, 1));
}

#[test]
fn a_thousand_lessons() {
    let graph = made::store(1000);
    check(&Machine::with(&graph, ""), "made-1000", &made::calls(&graph, 4));
}
