//! Cases from a file, with input and expected outcome taken apart.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Map, Value};

use crate::overruled::OVERRULED;

/// What a case puts in. Adapters get this.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) id: String,
    fields: Map<String, Value>,
}

impl Input {
    /// A field; null where there is none.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.fields.get(name).unwrap_or(&Value::Null)
    }
}

/// A case: what is put in, and what is expected at each step. Comparisons get both.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) input: Input,
    /// One for each step; most cases have one.
    pub(crate) expected: Vec<Value>,
}

/// The cases of a file in `tests/fixtures/`.
pub(crate) fn load(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(file);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Vec<Map<String, Value>> = serde_json::from_slice(&bytes).expect("a list of cases");
    cases.into_iter().map(case).collect()
}

/// The fields of a case that say what must come out, where the exit code is among them.
pub(crate) const OUTCOME: [&str; 9] = [
    "expected",
    "expected_exit",
    "graph_after",
    "newer_version",
    "document_says",
    "signals",
    "weight_sensitive",
    "order_differs_with_weights",
    "note",
];

fn case(mut fields: Map<String, Value>) -> Case {
    let id = fields.get("id").and_then(Value::as_str).expect("a case has an id").to_owned();
    if fields.contains_key("expected_exit") {
        let outcome: Map<String, Value> =
            OUTCOME.iter().filter_map(|name| fields.remove_entry(*name)).collect();
        return Case { input: Input { id, fields }, expected: vec![outcome.into()] };
    }
    let whole: Vec<Value> =
        ["expected", "expected_behaviour"].iter().filter_map(|name| fields.remove(*name)).collect();
    let mut expected: Vec<Value> = whole.into_iter().filter(|value| !value.is_null()).collect();
    if let Some(steps) = fields.get_mut("steps").and_then(Value::as_array_mut) {
        let of_step = |step: &mut Value| step.as_object_mut().and_then(|step| step.remove("expected"));
        expected.extend(steps.iter_mut().map(|step| of_step(step).unwrap_or(Value::Null)));
    }
    assert!(!expected.is_empty(), "{id} expects nothing");
    Case { input: Input { id, fields }, expected }
}

/// Whether this project decides a part of a case differently.
pub(crate) fn is_overruled(id: &str, part: &str) -> bool {
    OVERRULED.iter().any(|entry| entry.id == id && entry.parts.contains(&part))
}

/// Whether this project decides a case as a whole differently.
pub(crate) fn is_overruled_whole(id: &str) -> bool {
    OVERRULED.iter().any(|entry| entry.id == id && entry.parts.is_empty())
}

/// The cases that are run.
pub(crate) fn to_run(file: &str) -> impl Iterator<Item = Case> {
    load(file).into_iter().filter(|case| !is_overruled_whole(&case.input.id))
}

/// Runs cases, several at a time, and keeps their order.
pub(crate) fn each<T: Send>(
    cases: impl Iterator<Item = Case>,
    run: impl Fn(&Case) -> T + Sync,
) -> Vec<(Case, T)> {
    let cases: Vec<Case> = cases.collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((case.input.id.clone(), run(case)));
        }
        done
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done: HashMap<String, T> = thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|worker| worker.join().expect("a case")).collect()
    });
    cases
        .iter()
        .map(|case| {
            (case.clone(), done.remove(&case.input.id).expect("a case is run, under an id of its own"))
        })
        .collect()
}

/// Fails with everything that went wrong, not with the first.
#[track_caller]
pub(crate) fn none_failed(failures: &[String]) {
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn no_input_holds_what_is_expected() {
    for file in ["recall.json", "capture.json", "adversarial.json", "graph.json"] {
        for case in load(file) {
            let outcome = OUTCOME.iter().filter(|name| **name != "note");
            assert!(outcome.into_iter().all(|name| case.input.get(name).is_null()), "{}", case.input.id);
            assert!(case.input.get("expected").is_null() && case.input.get("expected_behaviour").is_null());
            for step in case.input.get("steps").as_array().into_iter().flatten() {
                assert!(step.get("expected").is_none(), "{}", case.input.id);
            }
        }
    }
}
