//! A lessons graph asked, checked and changed: what another tool's commands do, done with ours.
//!
//! [`words`] turns its commands into ours and [`log`] its log, [`observe`] runs one, [`compare`] holds what came of it against what
//! was recorded. Where a later version of that tool answers differently, either answer will do; where the case
//! says that a document decides, only that.

mod compare;
mod log;
mod observe;
mod words;

use std::sync::OnceLock;

use serde_json::{Value, json};

use self::observe::Observed;
use crate::cases::{Case, each, none_failed, to_run};

fn outcomes() -> &'static [(Case, Observed)] {
    static OUTCOMES: OnceLock<Vec<(Case, Observed)>> = OnceLock::new();
    OUTCOMES.get_or_init(|| each(to_run("graph.json"), |case| observe::observe(&case.input)))
}

#[test]
fn every_case_comes_out_as_expected() {
    let failures: Vec<String> = outcomes()
        .iter()
        .filter_map(|(case, observed)| {
            let why = compare::wrong(case, observed)?;
            Some(format!("{} {}: {why}\n  {observed:?}", case.input.id, case.input.get("argv")))
        })
        .collect();
    none_failed(&failures);
}

#[test]
fn a_case_that_expects_something_else_fails() {
    let mut changed = 0;
    for (case, observed) in outcomes().iter().filter(|(case, _)| !compare::is_fault(&case.expected[0])) {
        for (part, outcome) in otherwise(&case.expected[0]) {
            let case = Case { input: case.input.clone(), expected: vec![outcome] };
            assert!(compare::wrong(&case, observed).is_some(), "{} does not look at {part}", case.input.id);
            changed += 1;
        }
    }
    assert!(changed > 600, "{changed}");
}

/// An outcome with one of its parts wrong, for each of them.
fn otherwise(outcome: &Value) -> Vec<(&'static str, Value)> {
    let mut only = outcome.clone();
    for name in ["newer_version", "document_says"] {
        only.as_object_mut().expect("an outcome").remove(name);
    }
    let with = |name: &str, value: Value| {
        let mut changed = only.clone();
        changed[name] = value;
        changed
    };
    let exit = i32::from(outcome["expected_exit"] == 0);
    let mut changed = vec![
        ("expected_exit", with("expected_exit", json!(exit))),
        ("expected", with("expected", other(&outcome["expected"]))),
    ];
    if !outcome["graph_after"].is_null() {
        changed.push((
            "graph_after",
            with("graph_after", json!({ "lessons": {}, "topics": { "x": {} }, "triggers": {} })),
        ));
    }
    if outcome["signals"].is_object() {
        let mut signals = outcome["signals"].clone();
        for signal in signals.as_object_mut().expect("signals").values_mut() {
            signal["specificity"] = json!(0.123);
        }
        changed.push(("signals", with("signals", signals)));
    }
    changed
}

/// What is expected, with every value in it another one.
fn other(expected: &Value) -> Value {
    match expected {
        Value::Null => json!("something"),
        Value::Bool(value) => json!(!value),
        Value::Number(_) => json!(-7),
        Value::String(text) => json!(format!("{text} and more")),
        Value::Array(items) if items.is_empty() => json!(["nobody"]),
        Value::Array(items) => items.iter().map(other).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), other(value))).collect(),
    }
}
