//! A line of a transcript, and the small file beside one.
//!
//! Holds: nothing panics; a line that the assistant said is none that was put before it; what is read
//! of a line with a line feed added is the same; who said something is named the same way each time.

#![no_main]

use lessons_scanner::transcript::{agent_type, assistant_line, folder, is_whole, model_input, work_tree};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let said_here = assistant_line(line).ok().flatten();
    let heard_here = model_input(line).ok().flatten();
    assert!(said_here.is_none() || heard_here.is_none());
    if let Some(said_here) = &said_here {
        assert!(!said_here.texts.is_empty() && !said_here.uuid.is_empty());
        let ended = [line, b"\n"].concat();
        assert_eq!(assistant_line(&ended).ok().flatten().as_ref(), Some(said_here));
    }
    if is_whole(line) {
        assert!(assistant_line(line).is_ok() && model_input(line).is_ok());
    }
    assert!(folder(line).is_none_or(|place| !place.folder.is_empty()));
    assert!(work_tree(line).is_none_or(|place| !place.folder.is_empty()));
    assert!(agent_type(line).is_none_or(|kind| !kind.is_empty()));
});
