//! Texts with one byte for each character.
//!
//! Hardly any pattern tells apart what lies beyond ASCII: to `.`, `\s`, `\S` and `[^;]` there are line ends,
//! blanks, and all other characters. So such a pattern is matched over the *kinds* of characters: ASCII as
//! itself, and one byte for each of the three kinds beyond. That makes an automaton small, and the same one
//! serves texts of every script.

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

/// A kind of characters beyond ASCII, by the byte that stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// One of [`LINE_ENDS`].
    LineEnd = 0x80,
    /// One of [`BLANKS`].
    Blank = 0x81,
    /// Any other.
    Other = 0x82,
}

impl Kind {
    /// All, in the order of their bytes.
    pub const ALL: [Self; 3] = [Self::LineEnd, Self::Blank, Self::Other];

    /// That of a character beyond ASCII.
    pub fn of(character: char) -> Self {
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

    /// The byte that stands for it.
    pub fn byte(self) -> u8 {
        self as u8
    }
}

/// The kinds of a text's characters.
pub fn of(text: &str) -> Vec<u8> {
    let mut kinds = Vec::with_capacity(text.len());
    kinds.extend(text.chars().map(|character| match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() => byte,
        _ => Kind::of(character).byte(),
    }));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_one_byte() {
        assert_eq!(of("git é\u{A0}😀\u{2028}\n"), b"git \x82\x81\x82\x80\n");
        assert_eq!(of(""), b"");
    }

    #[test]
    fn blanks_and_line_ends_are_those_of_javascript() {
        let blank = |c: &char| c.is_whitespace() && *c != '\u{85}' || *c == '\u{FEFF}';
        let expected: Vec<char> = ('\u{80}'..=char::MAX).filter(blank).collect();
        let found: Vec<char> = ('\u{80}'..=char::MAX).filter(|c| Kind::of(*c) != Kind::Other).collect();
        assert_eq!(found, expected);
    }
}
