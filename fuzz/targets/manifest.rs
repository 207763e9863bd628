//! A manifest that somebody else has written.
//!
//! Holds: nothing panics; what passes the check is written and read back the same; it has an index, which says what the
//! manifest says, or a pattern that is refused.

#![no_main]

use lessons_index::manifest::Manifest;
use lessons_manifest_builder::index::in_memory;
use lessons_manifest_builder::patterns::Patterns;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(manifest) = Manifest::parse(input) else { return };
    let mut bytes = Vec::new();
    manifest.write(&mut bytes).expect("a manifest can be written");
    let back = Manifest::parse(&bytes).expect("what was written can be read");
    assert_eq!(back, manifest);
    let Ok(index) = in_memory(&manifest, &Patterns::default()) else { return };
    assert_eq!(index.lessons().expect("the index is sound").len(), manifest.lessons.len());
});
