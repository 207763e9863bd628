//! Automata as bytes: the same answers as the engine that they stand in for, whatever the pattern.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "pattern/sample.rs"]
mod sample;

use lessons_pattern::automaton::compile::compile;
use lessons_pattern::automaton::{Alphabet, Automaton};
use lessons_pattern::{PatternError, Regex, glob, js, parse};
use proptest::prelude::*;
use sample::{expression, matched, text};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_automaton_answers_as_the_engine_does(expression in expression(), around in (text(), text()), texts in prop::collection::vec(text(), 4), choices in prop::collection::vec(0..100_usize, 60)) {
        let Ok(parsed) = parse(&expression) else { return Ok(()) };
        let Ok(regex) = Regex::of(&parsed) else { return Ok(()) };
        let built = compile(&parsed).map_err(|error| TestCaseError::fail(format!("{expression}: {error}")))?;
        let sample = matched(&parsed, &choices);
        let within = format!("{}{sample}{}", around.0, around.1);
        for text in texts.iter().chain([&sample, &within]) {
            prop_assert_eq!(built.is_match(text), regex.is_match(text), "{} on {:?}", expression, text);
        }
    }

    #[test]
    fn damage_is_safe_and_comes_to_an_end(expression in expression(), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), texts in prop::collection::vec(text(), 4)) {
        let Ok(parsed) = parse(&expression) else { return Ok(()) };
        let Ok(built) = compile(&parsed) else { return Ok(()) };
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
        let built = compile(&expression).unwrap();
        for text in
            ["", "rm -rf", "rm  x -rf", "é", &long, &long[..500], &format!("b{long}b"), &"é;".repeat(300)]
        {
            assert_eq!(built.is_match(text), regex.is_match(text), "{pattern} on {text:?}");
        }
    }
    for pattern in [format!("{}x", "**/a/".repeat(50)), "*a".repeat(100), "[!ab]*.ts".to_owned()] {
        let expression = glob::expression(&pattern).unwrap();
        let regex = Regex::of(&expression).unwrap();
        let built = compile(&expression).unwrap();
        for text in ["a", "a/a/x", "c.ts", "a.ts", &"a/".repeat(60), &"ba".repeat(100)] {
            assert_eq!(built.is_match(text), regex.is_match(text), "{pattern} on {text:?}");
        }
    }
}

#[test]
fn a_small_pattern_is_a_small_automaton() {
    // Three positions behind the one that takes any byte: after nothing, `g` and `gi`. A word holds them.
    let sets = 2 + 4;
    let built = compile(&parse("git").unwrap()).unwrap();
    assert_eq!(built.bytes().len(), 12 + 256 + sets * 8 + 4 * 4 + 3 * 4);
    let built = compile(&js::expression(r"\bgit\s+push\b.*--force").unwrap()).unwrap();
    assert!(built.bytes().len() < 1000, "{}", built.bytes().len());
}

#[test]
fn only_a_pattern_that_tells_characters_of_a_class_apart_reads_utf8() {
    let alphabet = |pattern: &str| {
        let built = compile(&js::expression(pattern).unwrap()).unwrap();
        Automaton::parse(built.bytes()).unwrap().alphabet()
    };
    for pattern in [r"git(?:\s+\S+){0,5}\s+push", r"\bgit\b.*[^;|&]+$", "(?i)[^a-z]+x", r"\W", "^.$", r"\B"] {
        assert_eq!(alphabet(pattern), Alphabet::CodePointClasses, "{pattern}");
    }
    for pattern in ["é", "[^é]x", r"[a-\u2000]x", r"[\0-\uffff]"] {
        assert_eq!(alphabet(pattern), Alphabet::Utf8, "{pattern}");
    }
}

#[test]
fn a_pattern_that_matches_nothing_or_everything_has_one_too() {
    let answers = |expression: &str| {
        ["", "a", "é"].map(|text| compile(&parse(expression).unwrap()).unwrap().is_match(text))
    };
    assert_eq!(answers(r"[^\x00-\x{10FFFF}]"), [false; 3]);
    assert_eq!(answers("(?:)"), [true; 3]);
    assert_eq!(answers(r"\A\z"), [true, false, false]);
    assert_eq!(answers(r"(?-u:\B)"), [true, false, true]);
    for pattern in [r"(?-u:\B)", r"é{5}|(?-u:\B)"] {
        let built = compile(&parse(pattern).unwrap()).unwrap();
        assert!(!built.is_match("aéa"), "{pattern}: not between the two bytes of a character");
        assert!(built.is_match("aéé"), "{pattern}");
    }
}

#[test]
fn the_same_pattern_is_always_the_same_bytes() {
    for pattern in ["git", r"\bgit(?:\s+-\S+)*\s+push\b.*--force", "(?i)(?:a|é|b){3}"] {
        let expression = js::expression(pattern).unwrap();
        assert_eq!(compile(&expression).unwrap(), compile(&expression).unwrap());
    }
}

#[test]
fn what_cannot_be_compiled_is_refused_by_both() {
    let refused = |expression: &str| {
        assert!(Regex::new(expression).is_err(), "{expression}");
        compile(&parse(expression).unwrap()).unwrap_err()
    };
    assert!(matches!(refused("(?:a{1000}){1000}"), PatternError::Unsafe { .. }));
    assert!(
        matches!(compile(&parse(r"\bgit").unwrap()), Err(PatternError::Invalid { .. })),
        "words of other scripts"
    );
    assert!(matches!(compile(&parse("(?m:^git)").unwrap()), Err(PatternError::Invalid { .. })), "lines");
}

/// Nested options double the ways at every step: without a bound on the work this would not come to an end.
#[test]
fn a_pattern_with_too_many_ways_is_refused() {
    let refused = compile(&parse("(?:(?:a?){100}b?){100}").unwrap());
    assert!(matches!(refused, Err(PatternError::Unsafe { .. })), "{refused:?}");
}
