//! A transcript of another client.
//!
//! Holds: nothing panics; what is read is lines of JSON; a transcript that goes on begins with the same lines.

#![no_main]

use std::fs;
use std::io::Read as _;

use lessons_scanner::transcript::foreign;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("lessons-fuzz-{}.jsonl", std::process::id()));
    let read = |bytes: &[u8]| -> Option<Vec<u8>> {
        fs::write(&path, bytes).ok()?;
        let mut text = Vec::new();
        foreign::open(&path).ok()?.read_to_end(&mut text).ok()?;
        Some(text)
    };
    let Some(whole) = read(bytes).filter(|whole| whole != bytes) else { return };
    for line in whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        assert!(serde_json::from_slice::<serde_json::Value>(line).is_ok());
    }
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return };
    if let Some(before) = read(&bytes[..=end]) {
        assert!(whole.starts_with(&before) || before == bytes[..=end]);
    }
});
