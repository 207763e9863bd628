//! Sets of bytes, and which bytes some of them tell apart.

use std::hash::{Hash, Hasher};

use crate::automaton::Alphabet;
use crate::automaton::alphabet::CodePointClass;

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Bytes([u128; 2]);

/// As two numbers: for an array the length comes too, and its bytes one by one.
impl Hash for Bytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [low, high] = self.0;
        state.write_u128(low);
        state.write_u128(high);
    }
}

impl Bytes {
    /// All bytes.
    pub(super) const ALL: Self = Self([u128::MAX; 2]);

    /// The bytes that a text of `alphabet` can hold.
    pub(super) fn of(alphabet: Alphabet) -> Self {
        let [first, .., last] = CodePointClass::ALL.map(CodePointClass::byte);
        match alphabet {
            Alphabet::CodePointClasses => Self::range(0, 0x7F).or(Self::range(first, last)),
            Alphabet::Utf8 => Self::ALL,
        }
    }

    /// Those for which `wanted` says so.
    pub(super) fn which(wanted: impl Fn(u8) -> bool) -> Self {
        let mut set = Self::default();
        (0..=u8::MAX)
            .filter(|&byte| wanted(byte))
            .for_each(|byte| set.0[usize::from(byte >> 7)] |= 1 << (byte & 0x7F));
        set
    }

    /// Those from `first` to `last`.
    pub(super) fn range(first: u8, last: u8) -> Self {
        let up_to = |end: u8| {
            let low = if end >= 127 { u128::MAX } else { (1 << (end + 1)) - 1 };
            let high = match end {
                255 => u128::MAX,
                128.. => (1 << (end - 127)) - 1,
                _ => 0,
            };
            Self([low, high])
        };
        first.checked_sub(1).map_or(up_to(last), |before| up_to(last).without(up_to(before)))
    }

    pub(super) fn contains(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 7)] >> (byte & 0x7F) & 1 == 1
    }

    /// Its members, ascending.
    pub(super) fn each(self) -> impl Iterator<Item = u8> {
        let mut left = self;
        std::iter::from_fn(move || {
            let byte = left.first()?;
            left.0[usize::from(byte >> 7)] &= !(1 << (byte & 0x7F));
            Some(byte)
        })
    }

    /// The smallest member.
    pub(super) fn first(self) -> Option<u8> {
        let [low, high] = self.0;
        let at = if low == 0 { 128 + high.trailing_zeros() } else { low.trailing_zeros() };
        u8::try_from(at).ok()
    }

    pub(super) fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }
}

/// Parts `all` so that each part lies within each of `sets` or outside of it. In the order of their first
/// bytes.
pub(super) fn parts(all: Bytes, sets: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let mut parts = vec![all];
    for set in sets {
        for n in 0..parts.len() {
            let (within, outside) = (parts[n].and(set), parts[n].without(set));
            if !within.is_empty() && !outside.is_empty() {
                parts[n] = within;
                parts.push(outside);
            }
        }
    }
    parts.sort_unstable_by_key(|part| part.first());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_what_is_between_its_ends() {
        for (first, last) in
            [(0, 0), (0, 255), (5, 127), (5, 128), (127, 128), (128, 128), (200, 255), (9, 8)]
        {
            let range = Bytes::range(first, last);
            for byte in 0..=u8::MAX {
                assert_eq!(
                    range.contains(byte),
                    (first..=last).contains(&byte),
                    "{byte} in {first} to {last}"
                );
            }
            assert_eq!(range, Bytes::which(|byte| (first..=last).contains(&byte)));
        }
    }

    #[test]
    fn parts_are_what_the_sets_tell_apart() {
        let (letters, vowels) = (Bytes::range(b'a', b'z'), Bytes::which(|byte| b"aeiou".contains(&byte)));
        let expected = [Bytes::ALL.without(letters), vowels, letters.without(vowels)];
        assert_eq!(parts(Bytes::ALL, [letters, vowels, letters]), expected);
    }
}
