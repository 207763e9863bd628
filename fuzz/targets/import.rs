//! A manifest of another tool, to be imported.
//!
//! Holds: nothing panics; every lesson that comes out is one that can be stored: no error is found in
//! it, and no two have the same id; what is left out is named with a reason.

#![no_main]

use std::collections::BTreeSet;

use lessons_lesson::validate::{Level, flaws};
use lessons_store::import::lessons_learned;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let resolve = |scope: &str| (scope == "-home-u-p").then(|| "example.org/u/p".to_owned());
    let Ok(import) = lessons_learned::read(input, "2026-01-01T00:00:00Z", &resolve, &str::to_owned) else {
        return;
    };
    let mut ids = BTreeSet::new();
    for imported in &import.lessons {
        let errors: Vec<_> =
            flaws(&imported.lesson).into_iter().filter(|flaw| flaw.level == Level::Error).collect();
        assert!(errors.is_empty(), "{errors:?} in {:?}", imported.lesson);
        assert!(ids.insert(&imported.lesson.id), "{:?} stands twice", imported.lesson.id);
    }
    assert!(import.left_out.iter().all(|left| !left.why.is_empty()));
});
