//! Lessons as JSON Lines from somewhere else, to be imported.
//!
//! Holds: nothing panics; every line is a lesson without an error, or is named with a reason; an exported lesson is the same
//! when it is imported again.

#![no_main]

use std::collections::BTreeSet;

use lessons_lesson::validate::{Level, flaws};
use lessons_store::interchange::{EvidenceIn, lines, read_lines};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let import = read_lines(input, "2026-01-01T00:00:00Z");
    let written = input.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace));
    assert_eq!(import.lessons.len() + import.left_out.len(), written.count());
    assert!(import.left_out.iter().all(|left| !left.why.is_empty()));
    let lessons: Vec<_> = import.lessons.into_iter().map(|imported| imported.lesson).collect();
    for lesson in &lessons {
        assert!(flaws(lesson).iter().all(|flaw| flaw.level != Level::Error), "{lesson:?}");
    }
    let exported = lines(lessons.iter(), EvidenceIn::Exported, &BTreeSet::new());
    let text: String = exported.lessons.iter().map(|lesson| format!("{lesson}\n")).collect();
    let again = read_lines(text.as_bytes(), "2026-12-31T00:00:00Z");
    assert!(again.left_out.is_empty(), "{:?}", again.left_out);
    assert!(again.lessons.into_iter().map(|imported| imported.lesson).eq(lessons));
});
