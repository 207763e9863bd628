//! A JavaScript regular expression and a text, parted by a NUL.
//!
//! Holds: nothing panics; what is translated compiles, or is refused as too large; a match lies
//! within the text and between characters; and every text that matches holds a literal of each
//! clause, because a lesson whose literal is wrong silently never fires.

#![no_main]

use lessons_fuzz::two_texts;
use lessons_pattern::{Regex, js, literals};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((pattern, subject)) = two_texts(input) else { return };
    let Ok(expression) = js::expression(pattern) else { return };
    let regex = match Regex::of(&expression) {
        Ok(regex) => regex,
        Err(error) => {
            assert_eq!(error.code(), "UNSAFE_TRIGGER_PATTERN", "{pattern:?} became {expression}: {error}");
            return;
        }
    };
    let found = regex.find(subject);
    assert_eq!(found.is_some(), regex.is_match(subject), "{pattern:?} on {subject:?}");
    let Some(range) = found else { return };
    assert!(subject.get(range.clone()).is_some(), "{range:?} parts a character of {subject:?}");
    let clauses = literals::clauses(&expression);
    let lower = subject.to_ascii_lowercase();
    for clause in &clauses {
        assert!(
            clause.iter().any(|literal| lower.contains(literal)),
            "{pattern:?} matches {subject:?}, which holds none of {clause:?}"
        );
    }
});
