//! Any bytes as the automaton of a pattern, and a text, parted by the first two bytes, which say how long
//! the automaton is.
//!
//! Holds: nothing panics, and every search comes to an end.

#![no_main]

use lessons_pattern::automaton::Automaton;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&[low, high], rest)) = input.split_first_chunk() else { return };
    let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (bytes, text) = rest.split_at(length);
    if let Ok(automaton) = Automaton::parse(bytes) {
        let answer = automaton.is_match(text);
        assert_eq!(answer, automaton.is_match(text), "a search leaves nothing behind");
    }
});
