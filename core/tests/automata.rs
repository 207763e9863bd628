//! Automata as bytes: the same answers as the engine that they stand in for, whatever the pattern.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "pattern/sample.rs"]
mod sample;

use lessons_core::automaton::build::{AutomatonError, build};
use lessons_core::automaton::{Alphabet, Automaton};
use lessons_core::pattern::{Regex, glob, js, parse, prepare};
use lessons_core::trigger::{Trigger, TriggerKind};
use proptest::prelude::*;
use sample::{expression, matched, text};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_automaton_answers_as_the_engine_does(expression in expression(), around in (text(), text()), texts in prop::collection::vec(text(), 4), choices in prop::collection::vec(0..100_usize, 60)) {
        let Ok(parsed) = parse(&expression) else { return Ok(()) };
        let Ok(regex) = Regex::of(&parsed) else { return Ok(()) };
        let built = build(&parsed).map_err(|error| TestCaseError::fail(format!("{expression}: {error}")))?;
        let sample = matched(&parsed, &choices);
        let within = format!("{}{sample}{}", around.0, around.1);
        for text in texts.iter().chain([&sample, &within]) {
            prop_assert_eq!(built.is_match(text), regex.is_match(text), "{} on {:?}", expression, text);
        }
    }

    #[test]
    fn damage_is_safe_and_comes_to_an_end(expression in expression(), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), texts in prop::collection::vec(text(), 4)) {
        let Ok(parsed) = parse(&expression) else { return Ok(()) };
        let Ok(built) = build(&parsed) else { return Ok(()) };
        let mut bytes = built.bytes().to_vec();
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

/// Not timed: an automaton without bounds would not come to an end here, nor would its search.
#[test]
fn a_large_pattern_has_an_automaton_too() {
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
        let expression = js::expression(pattern).unwrap();
        let regex = Regex::of(&expression).unwrap();
        let built = build(&expression).unwrap();
        for text in
            ["", "rm -rf", "rm  x -rf", "é", &long, &long[..500], &format!("b{long}b"), &"é;".repeat(300)]
        {
            assert_eq!(built.is_match(text), regex.is_match(text), "{pattern} on {text:?}");
        }
    }
    for pattern in [format!("{}x", "**/a/".repeat(50)), "*a".repeat(100), "!(a|b)*.ts".to_owned()] {
        let expression = parse(&glob::to_regex(&pattern).unwrap()).unwrap();
        let regex = Regex::of(&expression).unwrap();
        let built = build(&expression).unwrap();
        for text in ["a", "a/a/x", "c.ts", "a.ts", &"a/".repeat(60), &"ba".repeat(100)] {
            assert_eq!(built.is_match(text), regex.is_match(text), "{pattern} on {text:?}");
        }
    }
}

#[test]
fn a_small_pattern_is_a_small_automaton() {
    // Three positions behind the one that takes any byte: after nothing, `g` and `gi`. A word holds them.
    let sets = 2 + 4;
    let built = build(&parse("git").unwrap()).unwrap();
    assert_eq!(built.bytes().len(), 12 + 256 + sets * 8 + 4 * 4 + 3 * 4);
    let built = build(&js::expression(r"\bgit\s+push\b.*--force").unwrap()).unwrap();
    assert!(built.bytes().len() < 1000, "{}", built.bytes().len());
}

#[test]
fn only_a_pattern_that_tells_characters_of_a_kind_apart_reads_utf8() {
    let alphabet = |pattern: &str| {
        let prepared = prepare(&Trigger::new(TriggerKind::CommandPattern, pattern)).unwrap();
        Automaton::parse(prepared.automaton.unwrap().bytes()).unwrap().alphabet()
    };
    for pattern in
        [r"git(?:\s+\S+){0,5}\s+push", r"\bgit\b.*[^;|&]+$", "(?i)[^a-z]+x", r"\W", "^.$", r"a\B\S{3}"]
    {
        assert_eq!(alphabet(pattern), Alphabet::Kinds, "{pattern}");
    }
    for pattern in ["é", "[^é]x", r"[a-\u2000]x", r"[\ud800-\udbff]"] {
        assert_eq!(alphabet(pattern), Alphabet::Utf8, "{pattern}");
    }
}

#[test]
fn a_pattern_that_matches_nothing_or_everything_has_one_too() {
    let answers = |expression: &str| {
        ["", "a", "é"].map(|text| build(&parse(expression).unwrap()).unwrap().is_match(text))
    };
    assert_eq!(answers(r"[^\x00-\x{10FFFF}]"), [false; 3]);
    assert_eq!(answers("(?:)"), [true; 3]);
    assert_eq!(answers(r"\A\z"), [true, false, false]);
    assert_eq!(answers(r"(?-u:\B)"), [true, false, true]);
    assert!(
        build(&parse(r"(?-u:\B)").unwrap()).unwrap().is_match("aéa"),
        "between the two bytes of a character"
    );
}

#[test]
fn the_same_pattern_is_always_the_same_bytes() {
    for pattern in ["git", r"\bgit(?:\s+-\S+)*\s+push\b.*--force", "(?i)(?:a|é|b){3}"] {
        let expression = js::expression(pattern).unwrap();
        assert_eq!(build(&expression).unwrap(), build(&expression).unwrap());
    }
}

#[test]
fn what_cannot_be_compiled_is_refused_by_both() {
    let refused = |expression: &str| {
        assert!(Regex::new(expression).is_err(), "{expression}");
        build(&parse(expression).unwrap()).unwrap_err()
    };
    assert!(matches!(refused("(?:a{1000}){1000}"), AutomatonError::TooLarge));
    let error = refused(r"\bgit");
    assert!(error.to_string().contains("other scripts"), "{error}");
}

/// Nested options double the ways at every step: without a bound on the work this would not come to an end.
#[test]
fn a_pattern_with_too_many_ways_is_refused() {
    let refused = build(&parse("(?:(?:a?){100}b?){100}").unwrap());
    assert!(matches!(refused, Err(AutomatonError::TooLarge)), "{refused:?}");
}
