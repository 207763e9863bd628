//! The payload that the client writes to a hook, through to the answer.
//!
//! Holds: nothing panics, whatever the bytes; what a strict parser takes for an object is whole; the same
//! call asked twice by two sessions gets the same answer; a refused call that is repeated passes, and
//! is never refused again.

#![no_main]

use std::sync::LazyLock;

use lessons_decide::answer::Decision;
use lessons_fuzz::{InMemory, ask, fixed_index};
use lessons_lesson::payload::{Contents, PayloadEnd, PayloadReader};
use lessons_manifest_builder::index::LoadedIndex;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

static INDEX: LazyLock<LoadedIndex> = LazyLock::new(fixed_index);

fuzz_target!(|input: &[u8]| {
    let mut reader = PayloadReader::new(Contents::Keep);
    reader.feed(input);
    // A broken end is fine: what was complete before it counts, and is asked about like anything else.
    let (payload, end) = reader.finish();
    if serde_json::from_slice::<Map<String, Value>>(input).is_ok() {
        assert_eq!(end, PayloadEnd::Whole, "all JSON is read");
    }

    let mut memory = InMemory::default();
    let first = ask(&INDEX, &payload.call, payload.agent(), &mut memory);
    let elsewhere = ask(&INDEX, &payload.call, payload.agent(), &mut InMemory::default());
    assert_eq!(first, elsewhere, "an answer depends on nothing but the call and what was told");
    if let Decision::Refuse { lessons, .. } = &first.decision {
        assert!(!lessons.is_empty(), "a refusal names its reason");
        let again = ask(&INDEX, &payload.call, payload.agent(), &mut memory);
        assert!(!matches!(again.decision, Decision::Refuse { .. }), "the repeated call passes");
        assert!(!again.passed.is_empty());
    }
});
