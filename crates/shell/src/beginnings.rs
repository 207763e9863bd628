//! How the names of programs of some kinds begin, so that nearly every word is told from them without the table.

use super::known::KnownProgram;
use super::programs::{PROGRAMS, known};

/// How the names of some programs begin: for each first letter the second ones, a bit each. Every word of every command is
/// asked, and hardly one begins so.
type Beginnings = [u32; 26];

/// The beginnings of the names of programs that write files.
static WRITERS: Beginnings = beginnings_of(false);
/// The beginnings of the names of programs whose normal forms may differ from what was typed.
static OPTION_HOLDERS: Beginnings = beginnings_of(true);

const fn beginnings_of(option_holders: bool) -> Beginnings {
    let (mut beginnings, mut at) = ([0; 26], 0);
    while at < PROGRAMS.len() {
        let (name, program) = PROGRAMS[at];
        let is_one = if option_holders { program.has_forms() } else { program.change.writes() };
        if is_one && let [first @ b'a'..=b'z', second @ b'a'..=b'z', ..] = name.as_bytes() {
            beginnings[(*first - b'a') as usize] |= 1 << (*second - b'a');
        }
        at += 1;
    }
    beginnings
}

/// The program that a word names, if names of such programs begin like it.
fn named(word: &[u8], beginnings: &Beginnings) -> Option<&'static KnownProgram> {
    let [first @ b'a'..=b'z', second @ b'a'..=b'z', ..] = word else { return None };
    let seconds = beginnings.get(usize::from(first - b'a')).copied().unwrap_or_default();
    if seconds >> (second - b'a') & 1 == 0 {
        return None;
    }
    known(std::str::from_utf8(word).ok()?)
}

/// Whether a word is the name of a program that writes files.
pub(super) fn names_writer(word: &[u8]) -> bool {
    named(word, &WRITERS).is_some_and(|program| program.change.writes())
}

/// The program that a word names, if its normal forms may differ from what was typed.
pub(super) fn option_holder(word: &[u8]) -> Option<&'static KnownProgram> {
    named(word, &OPTION_HOLDERS).filter(|program| program.has_forms())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_that_writes_is_known_by_how_its_name_begins() {
        for (name, program) in PROGRAMS {
            assert_eq!(names_writer(name.as_bytes()), program.change.writes(), "{name}");
        }
        assert!(["", "t", "te", "tees", "\u{e9}"].iter().all(|word| !names_writer(word.as_bytes())));
    }
}
