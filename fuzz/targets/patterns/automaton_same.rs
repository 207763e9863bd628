//! A pattern and a text, parted by a NUL: as a JavaScript expression, and as a glob.
//!
//! Holds: what compiles has an automaton unless it is too large, and that answers as the engine does.

#![no_main]

use lessons_fuzz::two_texts;
use lessons_pattern::automaton::compile::compile;
use lessons_pattern::{PatternError, Regex, glob, js};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((pattern, text)) = two_texts(input) else { return };
    for expression in [js::expression(pattern), glob::expression(pattern)].into_iter().flatten() {
        let Ok(regex) = Regex::of(&expression) else { continue };
        let automaton = match compile(&expression) {
            Ok(automaton) => automaton,
            Err(PatternError::Unsafe { .. }) => continue,
            Err(error) => panic!("{expression}: {error}"),
        };
        assert_eq!(automaton.is_match(text), regex.is_match(text), "{expression} on {text:?}");
    }
});
