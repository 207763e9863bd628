//! The alphabet of an automaton: which bytes of a text it reads.
//!
//! Hardly any pattern distinguishes characters beyond ASCII: for `.`, `\s`, `\S` and `[^;]` there are line ends,
//! blanks, and all other characters. So such a pattern is matched over *code-point classes*: ASCII as itself,
//! and one byte for each class beyond. That makes an automaton small, and the same automaton serves texts of every
//! script.

use std::borrow::Cow;

/// A range of characters: the first and the last one.
pub type Range = (char, char);

/// The line ends beyond ASCII, at which JavaScript's `.` stops.
pub const LINE_ENDS: [Range; 1] = [('\u{2028}', '\u{2029}')];
/// The characters beyond ASCII that JavaScript's `\s` matches, without the line ends.
pub const BLANKS: [Range; 7] = [
    ('\u{A0}', '\u{A0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{FEFF}', '\u{FEFF}'),
];

/// The meaning of one byte that an automaton reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// A byte is an ASCII character, or the class of another character. An ASCII text is read as it is.
    CodePointClasses,
    /// A byte is a byte of UTF-8.
    Utf8,
}

impl Alphabet {
    /// The bytes of `text` in this alphabet.
    pub fn read(self, text: &str) -> Cow<'_, [u8]> {
        match self {
            Self::CodePointClasses if !text.is_ascii() => {
                let class = |c: char| {
                    u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or_else(|| CodePointClass::of(c).byte())
                };
                Cow::Owned(text.chars().map(class).collect())
            }
            _ => Cow::Borrowed(text.as_bytes()),
        }
    }
}

/// A class of the characters beyond ASCII, with the byte that stands for it. No class has a byte that continues a
/// character in UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum CodePointClass {
    /// The characters of [`LINE_ENDS`].
    LineEnd = 0xC0,
    /// The characters of [`BLANKS`].
    Blank = 0xC1,
    /// All other characters beyond ASCII.
    Other = 0xC2,
}

impl CodePointClass {
    /// Every class. The bytes of the classes follow each other.
    pub const ALL: [Self; 3] = [Self::LineEnd, Self::Blank, Self::Other];

    /// The byte that stands for the class.
    pub fn byte(self) -> u8 {
        self as u8
    }

    /// The class of a character beyond ASCII.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_one_byte_of_its_class() {
        let read = |text| Alphabet::CodePointClasses.read(text).into_owned();
        assert_eq!(read("git é\u{A0}😀\u{2028}\n"), b"git \xC2\xC1\xC2\xC0\n");
        assert_eq!(read(""), b"");
        assert_eq!(*Alphabet::Utf8.read("é"), *"é".as_bytes());
    }

    #[test]
    fn blanks_and_line_ends_are_those_of_javascript() {
        let blank = |c: &char| c.is_whitespace() && *c != '\u{85}' || *c == '\u{FEFF}';
        let expected: Vec<char> = ('\u{80}'..=char::MAX).filter(blank).collect();
        let found: Vec<char> =
            ('\u{80}'..=char::MAX).filter(|c| CodePointClass::of(*c) != CodePointClass::Other).collect();
        assert_eq!(found, expected);
    }
}
