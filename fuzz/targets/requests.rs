//! A line of a transcript, as the join reads it: requests, texts of hooks, compactions, calls that did not succeed.
//!
//! Holds: nothing panics; a line is one of these at most; no count of tokens is so large that a sum of many could overflow;
//! ids are not empty; what is read of a line with a line feed added is the same.

#![no_main]

use lessons_scanner::transcript::{call_failures, hook_text, is_compaction, request};
use libfuzzer_sys::fuzz_target;

/// No context holds more tokens.
const MOST: u64 = 1 << 32;

fuzz_target!(|line: &[u8]| {
    let asked = request(line).ok().flatten();
    let told = hook_text(line).ok().flatten();
    let failures = call_failures(line).unwrap_or_default();
    let kinds = [asked.is_some(), told.is_some(), is_compaction(line), !failures.is_empty()];
    assert!(kinds.into_iter().filter(|is_that| *is_that).count() <= 1, "{kinds:?}");
    if let Some(asked) = &asked {
        let usage = asked.usage;
        let counts = [usage.input, usage.output, usage.written, usage.written_for_an_hour, usage.read];
        assert!(counts.into_iter().all(|count| count <= MOST), "{usage:?}");
        assert!(!asked.id.is_empty() && asked.model.as_deref() != Some("<synthetic>"));
    }
    assert!(told.as_ref().is_none_or(|told| !told.call.is_empty()));
    assert!(failures.iter().all(|(id, _)| !id.is_empty()));

    let ended = [line, b"\n"].concat();
    assert_eq!(request(&ended).ok().flatten(), asked);
    assert_eq!(hook_text(&ended).ok().flatten(), told);
    assert_eq!(call_failures(&ended).unwrap_or_default(), failures);
    assert_eq!(is_compaction(&ended), kinds[2]);
});
