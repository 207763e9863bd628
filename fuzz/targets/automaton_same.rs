//! A pattern and a text, parted by a NUL: as a JavaScript expression, and as a glob.
//!
//! Holds: what compiles has an automaton, and that answers as the engine does.

#![no_main]

use lessons_core::automaton::Automaton;
use lessons_core::pattern::{Regex, glob, js};
use lessons_fuzz::two_texts;
use lessons_manifest_builder::automata;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((pattern, text)) = two_texts(input) else { return };
    for expression in [js::to_rust(pattern), glob::to_regex(pattern)].into_iter().flatten() {
        let Ok(regex) = Regex::new(&expression) else { continue };
        let bytes = automata::build(&expression).unwrap_or_else(|error| panic!("{expression:?}: {error}"));
        let automaton = Automaton::parse(&bytes).expect("the builder writes what the hook reads");
        assert_eq!(
            automaton.is_match(text.as_bytes()),
            Ok(regex.is_match(text)),
            "{expression:?} on {text:?}"
        );
    }
});
