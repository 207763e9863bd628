//! Sets of bytes, and the partition of all bytes that some sets induce.

use std::hash::{Hash, Hasher};

use crate::automaton::Alphabet;
use crate::automaton::alphabet::CodePointClass;

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct ByteSet([u128; 2]);

/// Hashes the set as two numbers: an array would add its length, and hash byte by byte.
impl Hash for ByteSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [low, high] = self.0;
        state.write_u128(low);
        state.write_u128(high);
    }
}

impl ByteSet {
    /// The set of all bytes.
    pub(super) const ALL: Self = Self([u128::MAX; 2]);

    /// The bytes that a text of `alphabet` can contain.
    pub(super) fn of(alphabet: Alphabet) -> Self {
        let [first, .., last] = CodePointClass::ALL.map(CodePointClass::byte);
        match alphabet {
            Alphabet::CodePointClasses => Self::range(0, 0x7F).or(Self::range(first, last)),
            Alphabet::Utf8 => Self::ALL,
        }
    }

    /// The bytes for which `wanted` is true.
    pub(super) fn which(wanted: impl Fn(u8) -> bool) -> Self {
        let mut set = Self::default();
        (0..=u8::MAX)
            .filter(|&byte| wanted(byte))
            .for_each(|byte| set.0[usize::from(byte >> 7)] |= 1 << (byte & 0x7F));
        set
    }

    /// The bytes from `first` to `last`, both included.
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

    /// The members of the set, ascending.
    pub(super) fn each(self) -> impl Iterator<Item = u8> {
        let mut left = self;
        std::iter::from_fn(move || {
            let byte = left.first()?;
            left.0[usize::from(byte >> 7)] &= !(1 << (byte & 0x7F));
            Some(byte)
        })
    }

    /// The smallest member of the set.
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

/// Partitions `all` so that each part lies either within or outside of each of `sets`. The parts are in the order of
/// their first bytes.
pub(super) fn parts(all: ByteSet, sets: impl IntoIterator<Item = ByteSet>) -> Vec<ByteSet> {
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
            let range = ByteSet::range(first, last);
            for byte in 0..=u8::MAX {
                assert_eq!(
                    range.contains(byte),
                    (first..=last).contains(&byte),
                    "{byte} in {first} to {last}"
                );
            }
            assert_eq!(range, ByteSet::which(|byte| (first..=last).contains(&byte)));
        }
    }

    #[test]
    fn parts_are_what_the_sets_tell_apart() {
        let (letters, vowels) = (ByteSet::range(b'a', b'z'), ByteSet::which(|byte| b"aeiou".contains(&byte)));
        let expected = [ByteSet::ALL.without(letters), vowels, letters.without(vowels)];
        assert_eq!(parts(ByteSet::ALL, [letters, vowels, letters]), expected);
    }
}
