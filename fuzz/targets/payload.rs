//! The payload that the client writes to a hook, through to the answer.
//!
//! Holds: nothing panics, whatever the bytes; mending text that is mended changes nothing; the same
//! call asked twice by two sessions gets the same answer; a refused call that is repeated passes, and
//! is never refused again.

#![no_main]

use std::sync::LazyLock;

use lessons_core::answer::Decision;
use lessons_core::manifest::Manifest;
use lessons_core::payload::{self, Payload};
use lessons_fuzz::{InMemory, ask, fixed_manifest};
use libfuzzer_sys::fuzz_target;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(fixed_manifest);

fuzz_target!(|input: &[u8]| {
    let text = payload::text(input);
    assert_eq!(payload::text(text.as_bytes()), text, "mended text stays as it is");
    let mut payload = Payload::default();
    // An error is fine: what was complete before it counts, and is asked about like anything else.
    let _ = payload::fill(&text, &mut payload);

    let mut memory = InMemory::default();
    let first = ask(&MANIFEST, &payload.call, payload.agent(), &mut memory);
    let elsewhere = ask(&MANIFEST, &payload.call, payload.agent(), &mut InMemory::default());
    assert_eq!(first, elsewhere, "an answer depends on nothing but the call and what was told");
    if let Decision::Refuse { lessons, .. } = &first.decision {
        assert!(!lessons.is_empty(), "a refusal names its reason");
        let again = ask(&MANIFEST, &payload.call, payload.agent(), &mut memory);
        assert!(!matches!(again.decision, Decision::Refuse { .. }), "the repeated call passes");
        assert!(!again.passed.is_empty());
    }
});
