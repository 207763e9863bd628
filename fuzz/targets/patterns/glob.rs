//! A glob and a path, parted by a NUL.
//!
//! Holds: nothing panics; what is read compiles; a path that matches holds a literal of each
//! clause; a glob without special characters matches the path that it spells, and no other.

#![no_main]

use lessons_fuzz::two_texts;
use lessons_pattern::{Regex, glob, literals};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((pattern, path)) = two_texts(input) else { return };
    let Ok(expression) = glob::expression(pattern) else { return };
    let regex = match Regex::of(&expression) {
        Ok(regex) => regex,
        Err(error) => {
            assert_eq!(error.code(), "UNSAFE_TRIGGER_PATTERN", "{pattern:?} became {expression}: {error}");
            return;
        }
    };
    let matches = regex.is_match(path);
    if is_plain(pattern) {
        assert!(regex.is_match(pattern), "{pattern:?} does not match itself");
        assert!(!matches || pattern == path, "{pattern:?} matches {path:?}");
    }
    if matches {
        let lower = path.to_ascii_lowercase();
        for clause in &literals::clauses(&expression) {
            assert!(
                clause.iter().any(|literal| lower.contains(literal)),
                "{pattern:?} matches {path:?}, which holds none of {clause:?}"
            );
        }
    }
});

/// Whether a glob is a path and nothing else: names of letters and digits, parted by single slashes.
fn is_plain(glob: &str) -> bool {
    glob.split('/').all(|name| !name.is_empty() && name.chars().all(char::is_alphanumeric))
}
