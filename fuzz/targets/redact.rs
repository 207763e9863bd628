//! A text that may hold secrets.
//!
//! Holds: nothing panics; redacting again changes nothing; a text in which nothing was found is
//! returned as it is; a token of a known form is gone wherever the text puts it.

#![no_main]

use lessons_text::redact::redact;
use libfuzzer_sys::fuzz_target;

/// Made up, with the form of a token of a code host.
const TOKEN: &str = concat!("ghp_", "x4KqT9vBz27LmWp0RsYd3HcNf8JgUaE5oQ1i");

fuzz_target!(|text: &str| {
    let once = redact(text);
    if once.kinds.is_empty() {
        assert_eq!(once.text, text);
    } else {
        assert!(once.text.contains("[REDACTED:"), "{once:?}");
    }
    let twice = redact(&once.text);
    assert_eq!(twice.text, once.text, "from {text:?}");

    let hidden = redact(&format!("{text} {TOKEN} {text}"));
    assert!(!hidden.text.contains(TOKEN), "{hidden:?}");
});
