//! `decisions.json` as its owner, or damage, has left it.
//!
//! Holds: nothing panics; what can be read is the same after it was written back, to the byte.

#![no_main]

use std::path::Path;

use lessons_store::decisions::Decisions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let path = Path::new("decisions.json");
    let Ok(file) = Decisions::parse(path, input) else { return };
    let bytes = file.to_bytes();
    let again = Decisions::parse(path, &bytes).expect("what was written can be read");
    assert_eq!(again.to_bytes(), bytes);
});
