//! What one item of a pattern can match: a set of UTF-16 units, and whole characters beyond them.

use super::fold;
use crate::pattern::charset::{CharSet, LAST};

/// The last code point that is one UTF-16 unit.
const LAST_UNIT: u32 = 0xFFFF;
const HIGH: (u32, u32) = (0xD800, 0xDBFF);
const LOW: (u32, u32) = (0xDC00, 0xDFFF);

/// Whether a pattern looks at case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Kept,
    Ignored,
}

/// Which halves of characters beyond U+FFFF are in a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halves {
    None,
    High,
    Low,
    Both,
}

/// One item that matches one UTF-16 unit, or one whole character beyond U+FFFF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    /// Characters up to U+FFFF.
    pub(super) plain: CharSet,
    /// Halves of the characters beyond.
    pub(super) halves: Halves,
    /// Characters beyond U+FFFF that are matched as a whole. Empty if both halves are in.
    pub(super) whole: CharSet,
}

/// A class names some halves of characters and not others.
#[derive(Debug)]
pub(super) struct LoneHalves;

impl Class {
    /// A class of units and whole characters, negated if there was a `^`.
    pub(super) fn new(members: &CharSet, sign: Sign, case: Case) -> Result<Self, LoneHalves> {
        let mut units = members.within(0, LAST_UNIT);
        let mut whole = members.within(LAST_UNIT + 1, LAST);
        if case == Case::Ignored {
            units = fold::closure(&units);
        }
        let share = |(low, high): (u32, u32)| match units.len_within(low, high) {
            0 => Ok(false),
            n if n == u64::from(high - low) + 1 => Ok(true),
            _ => Err(LoneHalves),
        };
        let (mut high, mut low) = (share(HIGH)?, share(LOW)?);
        if high && low {
            whole = CharSet::default();
        } else if (high || low) && !whole.is_empty() {
            return Err(LoneHalves);
        }
        if sign == Sign::Negative {
            units = units.missing(0, LAST_UNIT);
            if whole.is_empty() {
                (high, low) = (!high, !low);
            } else {
                whole = whole.missing(LAST_UNIT + 1, LAST);
            }
        }
        let halves = match (high, low) {
            (false, false) => Halves::None,
            (true, false) => Halves::High,
            (false, true) => Halves::Low,
            (true, true) => Halves::Both,
        };
        let plain = units.within(0, HIGH.0 - 1).union(&units.within(LOW.1 + 1, LAST_UNIT));
        Ok(Self { plain, halves, whole })
    }

    /// What `.` matches: everything but the four line ends.
    pub(super) fn dot() -> Self {
        Self {
            plain: CharSet::of(&[
                (0, 0x09),
                (0x0B, 0x0C),
                (0x0E, 0x2027),
                (0x202A, HIGH.0 - 1),
                (LOW.1 + 1, LAST_UNIT),
            ]),
            halves: Halves::Both,
            whole: CharSet::default(),
        }
    }

    /// Everything it matches, if halves are taken for whole characters.
    pub(super) fn scalars(&self) -> CharSet {
        match self.halves {
            Halves::None => self.plain.union(&self.whole),
            _ => self.plain.union(&CharSet::of(&[(LAST_UNIT + 1, LAST)])),
        }
    }
}

/// Whether a class starts with `^`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Positive,
    Negative,
}

/// The set behind `\d`, `\w` or `\s`; the upper-case letter is the complement among the units.
pub(super) fn named(letter: char) -> Option<CharSet> {
    let set = match letter.to_ascii_lowercase() {
        'd' => CharSet::of(&[(0x30, 0x39)]),
        'w' => CharSet::of(&[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]),
        's' => CharSet::of(&[
            (0x09, 0x0D),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
            (0xFEFF, 0xFEFF),
        ]),
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { set.missing(0, LAST_UNIT) } else { set })
}
