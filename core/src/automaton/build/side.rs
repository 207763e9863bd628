//! What a pattern asserts of the bytes around a place.

use regex_automata::util::look::Look;

/// What stands on one side of a place in a text, as far as an assertion can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Side {
    /// Nothing: the text starts or ends there.
    Edge,
    /// An ASCII letter, digit or underscore.
    Word,
    /// A line feed.
    Feed,
    /// A carriage return.
    Return,
    /// Any other byte.
    Other,
}

impl Side {
    /// All.
    pub(super) const ALL: [Self; 5] = [Self::Edge, Self::Word, Self::Feed, Self::Return, Self::Other];

    /// The side on which `byte` stands.
    pub(super) fn of(byte: u8) -> Self {
        match byte {
            b'\n' => Self::Feed,
            b'\r' => Self::Return,
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => Self::Word,
            _ => Self::Other,
        }
    }

    fn is_word(self) -> bool {
        self == Self::Word
    }
}

/// Some sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Sides(u8);

impl Sides {
    /// All of them.
    pub(super) const ALL: Self = Self(0b1_1111);

    pub(super) fn contains(self, side: Side) -> bool {
        self.0 >> side as u8 & 1 == 1
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of them before which `look` holds, behind `before`.
    pub(super) fn where_holds(self, look: Look, before: Side) -> Self {
        let held = Side::ALL.into_iter().filter(|&after| self.contains(after) && holds(look, before, after));
        held.fold(Self::default(), |sides, side| Self(sides.0 | 1 << side as u8))
    }
}

/// Whether an assertion holds between two sides. Those about words of other scripts are taken for those
/// about ASCII: [`super::program`] lets none through.
fn holds(look: Look, before: Side, after: Side) -> bool {
    use Side::{Edge, Feed, Return};
    match look {
        Look::Start => before == Edge,
        Look::End => after == Edge,
        Look::StartLF => matches!(before, Edge | Feed),
        Look::EndLF => matches!(after, Edge | Feed),
        Look::StartCRLF => matches!(before, Edge | Feed) || before == Return && after != Feed,
        Look::EndCRLF => matches!(after, Edge | Return) || after == Feed && before != Return,
        Look::WordAscii | Look::WordUnicode => before.is_word() != after.is_word(),
        Look::WordAsciiNegate | Look::WordUnicodeNegate => before.is_word() == after.is_word(),
        Look::WordStartAscii | Look::WordStartUnicode => !before.is_word() && after.is_word(),
        Look::WordEndAscii | Look::WordEndUnicode => before.is_word() && !after.is_word(),
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => !before.is_word(),
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => !after.is_word(),
    }
}

/// Which sides the assertions of a pattern tell apart, beyond the edges.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sight {
    words: bool,
    lines: bool,
}

impl Sight {
    /// What these see.
    pub(super) fn of(looks: impl IntoIterator<Item = Look>) -> Self {
        let mut sight = Self::default();
        for look in looks {
            match look {
                Look::Start | Look::End => {}
                Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF => sight.lines = true,
                _ => sight.words = true,
            }
        }
        sight
    }

    /// What a byte that was taken is to them.
    pub(super) fn side(self, byte: u8) -> Side {
        match Side::of(byte) {
            Side::Word if self.words => Side::Word,
            side @ (Side::Feed | Side::Return) if self.lines => side,
            _ => Side::Other,
        }
    }

    /// The sides of bytes that they tell apart.
    pub(super) fn sides(self) -> impl Iterator<Item = Side> {
        let seen = [(Side::Word, self.words), (Side::Feed, self.lines), (Side::Return, self.lines)];
        seen.into_iter().filter(|(_, seen)| *seen).map(|(side, _)| side).chain([Side::Other])
    }
}
