//! The text of a lesson on its way to the model and to a terminal.
//!
//! Holds: a neutral line is one line without hidden characters, tags of the client or of ours; made
//! neutral again it says the same; what hides behind invisible characters is flagged as if it stood
//! in the open; shortening keeps the limit.

#![no_main]

use lessons_lesson::flags;
use lessons_text::neutral;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let line = neutral::line(text);
    assert!(!line.chars().any(|c| c == '\n' || neutral::is_hidden(c)), "{line:?}");
    let lower = line.to_ascii_lowercase();
    for tag in ["<system", "</system", "<recorded-lessons", "</recorded-lessons", "<lesson", "<invoke"] {
        assert!(!lower.contains(tag), "{line:?}");
    }
    assert!(!line.contains("!["), "{line:?}");
    assert!(neutral::shortened(text, 120).chars().count() <= 120);

    let raised = flags::flags(text);
    for flag in flags::flags(&neutral::visible(text)) {
        assert!(raised.contains(&flag), "{flag:?} is seen only without the hidden characters of {text:?}");
    }
});
