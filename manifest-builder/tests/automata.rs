//! Automata as bytes: the same answers as the engine that they stand in for, whatever the pattern.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../../core/tests/pattern/sample.rs"]
mod sample;

use lessons_core::automaton::{Automaton, FIRST_ROW, UNSURE};
use lessons_core::pattern::{Regex, glob, js, syntax_config, translated};
use lessons_core::trigger::TriggerKind;
use lessons_manifest_builder::automata::{AutomatonError, build};
use lessons_manifest_builder::seeds;
use proptest::prelude::*;
use regex_automata::util::syntax;
use sample::{expression, matched, text};
use serde_json::Value;

fn is_match(bytes: &[u8], text: &str) -> bool {
    Automaton::parse(bytes).unwrap().is_match(text.as_bytes()).unwrap()
}

/// How many bytes of an automaton are not its program.
fn table_bytes(bytes: &[u8]) -> usize {
    261 + (usize::from(bytes[1]) + 1) * usize::from(bytes[2])
}

/// With `expression` an alternative that has more states than a table holds, so that nearly always there
/// is a program.
fn beside_a_large_one(expression: &str) -> String {
    format!("(?:{expression})|(?:b[ab]{{8}}a)")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_automaton_answers_as_the_engine_does(expression in expression(), around in (text(), text()), texts in prop::collection::vec(text(), 4), choices in prop::collection::vec(0..100_usize, 60)) {
        let Ok(regex) = Regex::new(&expression) else { return Ok(()) };
        let bytes = build(&expression).map_err(|error| TestCaseError::fail(format!("{expression}: {error}")))?;
        let sample = matched(&syntax::parse_with(&expression, &syntax_config()).unwrap(), &choices);
        let within = format!("{}{sample}{}", around.0, around.1);
        for text in texts.iter().chain([&sample, &within]) {
            prop_assert_eq!(is_match(&bytes, text), regex.is_match(text), "{} on {:?}", expression, text);
        }
    }

    /// A table that leaves every text to the program shows what the program says.
    #[test]
    fn a_program_answers_as_the_engine_does(expression in expression(), texts in prop::collection::vec(text(), 4), choices in prop::collection::vec(0..100_usize, 60)) {
        let large = beside_a_large_one(&expression);
        let Ok(regex) = Regex::new(&large) else { return Ok(()) };
        let mut bytes = build(&large).map_err(|error| TestCaseError::fail(format!("{large}: {error}")))?;
        if bytes.len() == table_bytes(&bytes) {
            return Ok(());
        }
        bytes[3] = UNSURE;
        let sample = matched(&syntax::parse_with(&expression, &syntax_config()).unwrap(), &choices);
        for text in texts.iter().chain([&sample]) {
            prop_assert_eq!(is_match(&bytes, text), regex.is_match(text), "{} on {:?}", large, text);
        }
    }

    #[test]
    fn damage_is_safe_and_comes_to_an_end(expression in expression(), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), texts in prop::collection::vec(text(), 4)) {
        let Ok(mut bytes) = build(&beside_a_large_one(&expression)) else { return Ok(()) };
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(automaton) = Automaton::parse(&bytes) {
            for text in &texts {
                let _ = automaton.is_match(text.as_bytes());
            }
        }
    }
}

/// The expressions of the shipped lessons.
fn shipped() -> Vec<String> {
    let lessons = seeds::lessons();
    let triggers =
        lessons.iter().flat_map(|lesson| lesson.triggers.iter().chain(&lesson.also).chain(&lesson.unless));
    let mut all: Vec<String> = triggers
        .filter(|trigger| !matches!(trigger.kind, TriggerKind::Keyword | TriggerKind::Tool))
        .map(|trigger| translated(trigger.kind, &trigger.pattern).unwrap())
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Commands, paths and contents that people use: every text of the sample calls.
fn ordinary() -> Vec<String> {
    fn texts(value: Value, all: &mut Vec<String>) {
        match value {
            Value::String(text) => all.push(text),
            Value::Array(values) => values.into_iter().for_each(|value| texts(value, all)),
            Value::Object(fields) => fields.into_iter().for_each(|(_, value)| texts(value, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    let files = [include_str!("../seeds/ordinary.jsonl"), include_str!("../seeds/phrasings.jsonl")];
    for line in files.into_iter().flat_map(str::lines) {
        texts(serde_json::from_str(line).unwrap(), &mut all);
    }
    all
}

#[test]
fn the_shipped_patterns_answer_as_the_engine_does() {
    let texts = ordinary();
    let patterns = shipped();
    assert!(patterns.len() > 300 && texts.len() > 500, "{} patterns, {} texts", patterns.len(), texts.len());
    for (n, pattern) in patterns.iter().enumerate() {
        let regex = Regex::new(pattern).unwrap();
        let bytes = build(pattern).unwrap();
        // Every text meets every tenth pattern.
        for text in texts.iter().skip(n % 10).step_by(10) {
            assert_eq!(is_match(&bytes, text), regex.is_match(text), "{pattern} on {text:?}");
        }
    }
}

/// Not timed: an automaton without bounds would not come to an end here, nor would its search.
#[test]
fn a_large_pattern_gets_a_bounded_table_and_a_program() {
    let long = format!("{}!", "a".repeat(3000));
    for pattern in [
        "rm.{0,30}-rf",
        "a.{500}b",
        "^.{500}$",
        r"\S{500}",
        "[^a]{1000}",
        "(a+)+b",
        "(?:a?){20}a{20}b",
        r"(\w+\s?)*\d$",
        "(?:a|b)*a(?:a|b){40}!",
        "(?i)(?:é|ä|\\W){300}",
    ] {
        let expression = js::to_rust(pattern).unwrap();
        let regex = Regex::new(&expression).unwrap();
        let bytes = build(&expression).unwrap();
        for text in
            ["", "rm -rf", "rm  x -rf", "é", &long, &long[..500], &format!("b{long}b"), &"é;".repeat(300)]
        {
            assert_eq!(is_match(&bytes, text), regex.is_match(text), "{pattern} on {text:?}");
        }
    }
    for pattern in [format!("{}x", "**/a/".repeat(50)), "*a".repeat(100), "!(a|b)*.ts".to_owned()] {
        let expression = glob::to_regex(&pattern).unwrap();
        let regex = Regex::new(&expression).unwrap();
        let bytes = build(&expression).unwrap();
        for text in ["a", "a/a/x", "c.ts", "a.ts", &"a/".repeat(60), &"ba".repeat(100)] {
            assert_eq!(is_match(&bytes, text), regex.is_match(text), "{pattern} on {text:?}");
        }
    }
}

#[test]
fn a_small_pattern_is_a_small_table_and_nothing_else() {
    // Three rows: after nothing, `g` and `gi`; four classes: g, i, t and the others.
    let bytes = build("git").unwrap();
    assert_eq!((bytes[2], bytes.len()), (3, 261 + 3 * 4));
    let bytes = build(&js::to_rust(r"\bgit\s+push\b.*--force").unwrap()).unwrap();
    assert!(bytes.len() < 3000, "{}", bytes.len());
    assert_eq!(
        build(r"[^\x00-\x{10FFFF}]").unwrap()[3],
        0,
        "nothing matches, and that is known at the start"
    );
    assert_eq!(build("(?:)").unwrap()[3], 1, "everything does");
    assert_eq!(FIRST_ROW, 3);
}

#[test]
fn the_same_pattern_is_always_the_same_bytes() {
    for pattern in shipped().iter().step_by(40) {
        assert_eq!(build(pattern).unwrap(), build(pattern).unwrap());
    }
}

#[test]
fn what_cannot_be_compiled_is_refused_by_both() {
    let refused = |expression: &str| {
        assert!(Regex::new(expression).is_err(), "{expression}");
        build(expression).unwrap_err()
    };
    assert!(matches!(refused("("), AutomatonError::Syntax(_)));
    assert!(matches!(refused("(?:a{1000}){1000}"), AutomatonError::Program(_)));
    let error = refused(r"\bgit");
    assert!(error.to_string().contains("expression"), "{error}");
}
