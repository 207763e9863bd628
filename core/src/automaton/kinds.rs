//! Texts with one byte for each UTF-16 unit.
//!
//! Hardly any pattern tells apart what lies beyond ASCII: to `.`, `\s`, `\S` and `[^;]` there are line ends,
//! blanks, and all other characters. So such a pattern is matched over the *kinds* of units: ASCII as itself,
//! and one byte for each kind beyond. That makes an automaton small, and the same one serves texts of every
//! script. Units rather than characters, because JavaScript counts them.

use alloc::vec::Vec;

/// The first and the last character of a range.
pub type Range = (char, char);

/// The line ends beyond ASCII: where JavaScript's `.` stops.
pub const LINE_ENDS: [Range; 1] = [('\u{2028}', '\u{2029}')];
/// What JavaScript's `\s` matches of the rest.
pub const BLANKS: [Range; 7] = [
    ('\u{A0}', '\u{A0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{FEFF}', '\u{FEFF}'),
];
/// The characters of two units.
pub const PAIRS: Range = ('\u{1_0000}', char::MAX);

/// A kind of units beyond ASCII, by the byte that stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// One of [`LINE_ENDS`].
    LineEnd = 0x80,
    /// One of [`BLANKS`].
    Blank = 0x81,
    /// Any other character of one unit.
    Other = 0x82,
    /// The first half of one of [`PAIRS`].
    First = 0x83,
    /// The second half.
    Second = 0x84,
}

impl Kind {
    /// The byte that stands for it. Those of all kinds follow each other.
    pub fn byte(self) -> u8 {
        self as u8
    }

    /// That of a character beyond ASCII that is one unit.
    fn of(character: char) -> Self {
        let among =
            |ranges: &[Range]| ranges.iter().any(|(first, last)| (*first..=*last).contains(&character));
        if among(&LINE_ENDS) {
            Self::LineEnd
        } else if among(&BLANKS) {
            Self::Blank
        } else {
            Self::Other
        }
    }
}

/// The kinds of a text's units.
pub fn of(text: &str) -> Vec<u8> {
    // No unit takes less than a byte of UTF-8.
    let mut kinds = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => kinds.push(byte),
            _ if character < PAIRS.0 => kinds.push(Kind::of(character).byte()),
            _ => kinds.extend_from_slice(&[Kind::First.byte(), Kind::Second.byte()]),
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_one_byte() {
        assert_eq!(of("git é\u{A0}😀\u{2028}\n"), b"git \x82\x81\x83\x84\x80\n");
        assert_eq!(of(""), b"");
    }

    #[test]
    fn blanks_and_line_ends_are_those_of_javascript() {
        let blank = |c: &char| c.is_whitespace() && *c != '\u{85}' || *c == '\u{FEFF}';
        let expected: Vec<char> = ('\u{80}'..PAIRS.0).filter(blank).collect();
        let found: Vec<char> = ('\u{80}'..PAIRS.0).filter(|c| Kind::of(*c) != Kind::Other).collect();
        assert_eq!(found, expected);
    }
}
