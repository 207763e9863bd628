//! An event, as a colleague, a relay or a stranger has left it in a folder.
//!
//! Holds: nothing panics; an event that is read and has the right id is the same after it was written and read again; a
//! lesson that is read from one has none of what only the reader may decide.

#![no_main]

use lessons_lesson::lesson::{Mode, Priority};
use lessons_share::deletion::Deletion;
use lessons_share::event::{Unsigned, Unverified};
use lessons_share::key::SecretKey;
use lessons_share::shared_lesson::SharedLesson;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Ok(event) = Unverified::parse(input) {
        let _ = event.clone().check_id();
        if let Ok(verified) = event.verify() {
            let text = verified.to_json();
            let again = Unverified::parse(text.as_bytes()).expect("what was written can be read");
            assert_eq!(again.verify(), Ok(verified));
        }
    }
    // The same bytes as the tags of an event that its author has signed: a tag on each line, values between tabs.
    let text = String::from_utf8_lossy(input);
    let tags = text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    for kind in [4129, 5] {
        let said = Unsigned { created_at: 0, kind, tags: Vec::clone(&tags), content: "Use it.".to_owned() };
        let key = SecretKey::of(&[7; 32]).expect("it is a key");
        let Ok(event) = said.sign(&key, &[0; 32]) else { continue };
        let _ = Deletion::read(&event);
        if let Ok(shared) = SharedLesson::read(&event) {
            let lesson = shared.lesson();
            assert_eq!((lesson.mode, lesson.priority), (Mode::Advise, Priority::default()));
            assert!(lesson.scope.projects.is_empty());
        }
    }
});
