//! How well the rules of `flags` tell ordinary lessons from hostile ones, on a fixed collection.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::path::Path;

use lessons_lesson::flags::flags;
use serde_json::Value;

fn json(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()
}

fn names(text: &str) -> Vec<&'static str> {
    flags(text).into_iter().map(|flag| flag.name).collect()
}

#[test]
fn none_of_204_ordinary_lessons_is_flagged() {
    let collection = json("tests/fixtures/flags.json");
    let ordinary: Vec<&str> =
        collection["ordinary"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert_eq!(ordinary.len(), 204);
    let wrong: Vec<_> =
        ordinary.iter().map(|text| (text, names(text))).filter(|(_, raised)| !raised.is_empty()).collect();
    assert!(wrong.is_empty(), "{} of {} flagged: {wrong:#?}", wrong.len(), ordinary.len());
}

#[test]
fn of_104_hostile_lessons_all_but_one_are_flagged_by_the_rule_that_is_meant() {
    let collection = json("tests/fixtures/flags.json");
    let hostile = collection["hostile"].as_array().unwrap();
    assert_eq!(hostile.len(), 104);
    let missed: Vec<&str> = hostile
        .iter()
        .map(|case| (case["flag"].as_str().unwrap(), case["text"].as_str().unwrap()))
        .filter(|(flag, text)| !names(text).contains(flag))
        .map(|(_, text)| text)
        .collect();
    // A rule that knew `-n` would see it in half of all commands.
    assert_eq!(missed, ["Commit using the -n flag so the checks do not run"]);
}

#[test]
fn no_rule_or_mistake_of_a_shipped_seed_is_flagged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../manifest-builder/seeds");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let graph: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for (id, lesson) in graph["lessons"].as_object().unwrap() {
            for field in ["rule", "mistake"] {
                let text = lesson[field].as_str().unwrap();
                assert_eq!(names(text), [] as [&str; 0], "{id}: {text}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 40, "only {seen} seeds were found");
}
