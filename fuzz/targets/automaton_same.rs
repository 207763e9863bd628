//! A pattern and a text, parted by a NUL: as a JavaScript expression, and as a glob.
//!
//! Holds: what compiles has automata unless it is too large, and they answer as the engine does.

#![no_main]

use lessons_core::automaton::build::{self, AutomatonError};
use lessons_core::pattern::{Regex, glob, js, parse};
use lessons_fuzz::two_texts;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((pattern, text)) = two_texts(input) else { return };
    let of_glob = glob::to_regex(pattern).and_then(|regex| parse(&regex));
    for expression in [js::expression(pattern), of_glob].into_iter().flatten() {
        let Ok(regex) = Regex::of(&expression) else { continue };
        let automata = match build::build(&expression) {
            Ok(automata) => automata,
            Err(AutomatonError::TooLarge) => continue,
            Err(error) => panic!("{expression}: {error}"),
        };
        assert_eq!(automata.is_match(text), regex.is_match(text), "{expression} on {text:?}");
    }
});
