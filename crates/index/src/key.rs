//! Keys: short pieces of text that lead to triggers.
//!
//! A *gram* is one to four adjacent bytes of a text whose ASCII letters are in lower case. The builder picks grams for each
//! trigger so that every matching text contains one of them; the hook looks up every gram of the call. The name of a tool
//! is a key too. The grams of error texts have keys of their own, so that a trigger on errors is never looked at before
//! a call.

use super::corrupt::Result;

/// The longest gram, in bytes.
pub const MAX_GRAM: usize = 4;

/// The hash of a key, all bits of which depend on the whole key. Different keys may have equal hashes, which costs time but no
/// match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u64);

impl Key {
    /// The key of a gram: its first [`MAX_GRAM`] bytes count.
    pub fn of_gram(gram: &[u8]) -> Self {
        let mut packed = 0;
        let mut length = 0;
        for &byte in gram.iter().take(MAX_GRAM) {
            packed |= u64::from(byte) << (8 * length);
            length += 1;
        }
        Self::of_packed(packed, length)
    }

    /// The key of a tool's name.
    pub fn of_tool(name: &str) -> Self {
        Self(mix(checksum(TOOL_SEED, name.as_bytes())))
    }

    /// The key of the same gram in an error text.
    #[must_use]
    pub fn in_error(self) -> Self {
        Self(mix(self.0 ^ ERROR_SEED))
    }

    /// The key of every error text.
    pub fn of_any_error() -> Self {
        Self::of_gram(b"").in_error()
    }

    /// The slot of the key, out of `slots`. A greater key never has a lower slot.
    pub fn slot(self, slots: u32) -> u32 {
        // Lemire's reduction: the upper half of a product is spread as evenly as the hash.
        u32::try_from(((self.0 >> 32) * u64::from(slots)) >> 32).unwrap_or(0)
    }

    /// `packed` holds the gram's bytes, the first in the lowest place.
    fn of_packed(packed: u64, length: u64) -> Self {
        Self(mix(packed | length << 32))
    }

    /// The condition that a text holds this gram, which is longer than a byte.
    fn condition(self) -> Condition {
        Condition(u16::try_from(self.0 >> (u64::BITS - CONDITION_BITS)).unwrap_or(0))
    }
}

/// The seed of the hashes of tool names, which keeps them apart from those of records.
const TOOL_SEED: u64 = 0x746f_6f6c;
/// The seed of the hashes of grams in error texts.
const ERROR_SEED: u64 = 0x65_7272_6f72;

/// Spreads the bits: the upper half of a product depends on all of them, so it goes into the lower half too.
#[inline]
fn mix(value: u64) -> u64 {
    let product = value.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    product ^ product >> 32
}

/// A sum that random damage changes. It takes 16 bytes at a time as two factors, in two lanes, so that no step waits
/// for the one before (the way of Wang Yi's wyhash, 2019).
pub fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    let mut lanes = [seed ^ SPREAD[0], seed ^ SPREAD[1]];
    let (steps, rest) = bytes.as_chunks::<32>();
    for step in steps {
        take(&mut lanes, step);
    }
    let mut last = [0; 32];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    take(&mut lanes, &last);
    let [one, other] = lanes;
    multiplied(one ^ bytes.len() as u64, other ^ SPREAD[2])
}

/// Takes 16 bytes into each lane.
#[inline]
fn take(lanes: &mut [u64; 2], bytes: &[u8; 32]) {
    let (pairs, []) = bytes.as_chunks::<16>() else { return };
    for (lane, pair) in lanes.iter_mut().zip(pairs) {
        let pair = u128::from_le_bytes(*pair);
        *lane = multiplied(*lane ^ low(pair), SPREAD[3] ^ low(pair >> 64));
    }
}

/// Words without a pattern: the first digits of the fractions of pi, e, and the roots of 2 and 3.
pub(super) const SPREAD: [u64; 4] =
    [0x243f_6a88_85a3_08d3, 0xb7e1_5162_8aed_2a6a, 0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b];

/// Both halves of a product in one word.
#[inline]
pub(super) fn multiplied(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    low(product) ^ low(product >> 64)
}

#[allow(clippy::cast_possible_truncation, reason = "a half is what is wanted")]
fn low(pair: u128) -> u64 {
    pair as u64
}

/// Calls `visit` with the key of every gram of 2 to [`MAX_GRAM`] bytes of `lower`, up to an error.
pub fn each_gram(lower: &[u8], mut visit: impl FnMut(Key) -> Result<()>) -> Result<()> {
    (0..lower.len()).try_for_each(|at| grams_at(lower.get(at..).unwrap_or_default(), &mut visit))
}

/// Calls `visit` with the keys of the grams of 2 to [`MAX_GRAM`] bytes at the start of `lower`, up to an error.
pub(super) fn grams_at(lower: &[u8], visit: &mut impl FnMut(Key) -> Result<()>) -> Result<()> {
    match lower {
        [a, b, c, d, ..] => {
            let packed = u32::from_le_bytes([*a, *b, *c, *d]);
            visit(Key::of_packed(u64::from(packed), 4))?;
            visit(Key::of_packed(u64::from(packed & 0x00ff_ffff), 3))?;
            visit(Key::of_packed(u64::from(packed & 0xffff), 2))
        }
        [a, b, c] => {
            visit(Key::of_gram(&[*a, *b, *c]))?;
            visit(Key::of_gram(&[*a, *b]))
        }
        [a, b] => visit(Key::of_gram(&[*a, *b])),
        _ => Ok(()),
    }
}

/// The bits of a [`Condition`]. With one more, a [`GramBitset`] would need another page of memory.
const CONDITION_BITS: u32 = 13;
/// The words of 64 bits that have a bit for each condition.
const BITSET_WORDS: usize = 1 << (CONDITION_BITS - 6);

/// A condition that a text must meet besides holding a trigger's key: one of [`GramBitset`]'s bits. Those of bytes come first,
/// then those of endings. Longer grams may have any bit, theirs too, which costs time and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition(u16);

impl Condition {
    /// The condition that a text contains this gram.
    pub fn of_gram(gram: &[u8]) -> Self {
        match gram {
            &[byte] => Self(u16::from(byte)),
            longer => Key::of_gram(longer).condition(),
        }
    }

    /// The condition that a text ends in this byte.
    pub fn of_ending(byte: u8) -> Self {
        Self(u16::from(byte) | 1 << u8::BITS)
    }

    /// The condition as it is stored in a required: a number below 2¹³.
    pub fn bit(self) -> u16 {
        self.0
    }

    /// The condition stored as this number. Bits that no condition has are cut off.
    pub fn of_bit(bit: u16) -> Self {
        Self(bit & ((1 << CONDITION_BITS) - 1))
    }
}

/// The gram bitset: the conditions that the texts of a call meet, a bit each. Not on the stack, whose next page would have to be
/// fetched.
pub struct GramBitset(Vec<u64>);

impl GramBitset {
    /// The set without any condition.
    pub fn empty() -> Self {
        Self(vec![0; BITSET_WORDS])
    }

    /// Adds the ending of a text, in lower case.
    pub fn add_ending(&mut self, text: &[u8]) {
        if let Some(&last) = text.last() {
            self.set(Condition::of_ending(last.to_ascii_lowercase()));
        }
    }

    /// Adds the bytes of a text.
    pub fn add_bytes(&mut self, lower: &[u8]) {
        for &byte in lower {
            self.set(Condition(u16::from(byte)));
        }
    }

    /// Adds a gram of 2 to [`MAX_GRAM`] bytes.
    #[inline]
    pub fn add_gram(&mut self, key: Key) {
        self.set(key.condition());
    }

    /// Adds the grams of a text, of 1 to [`MAX_GRAM`] bytes.
    #[cfg(test)]
    pub(super) fn add(&mut self, lower: &[u8]) {
        self.add_bytes(lower);
        let added = each_gram(lower, |key| {
            self.add_gram(key);
            Ok(())
        });
        added.unwrap();
    }

    #[inline]
    fn set(&mut self, condition: Condition) {
        let bit = usize::from(condition.bit());
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    /// Whether a condition is met, as far as is known.
    pub fn meets(&self, condition: Condition) -> bool {
        let bit = usize::from(condition.bit());
        self.0.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gram_of_a_text_is_visited() {
        let mut seen = Vec::new();
        let visited = each_gram(b"abcde", |key| {
            seen.push(key);
            Ok(())
        });
        assert_eq!(visited, Ok(()));
        for gram in ["ab", "abc", "abcd", "bc", "bcd", "bcde", "cd", "cde", "de"] {
            assert!(seen.contains(&Key::of_gram(gram.as_bytes())), "{gram}");
        }
        assert_eq!(seen.len(), 9);
    }

    #[test]
    fn keys_of_different_length_or_kind_differ() {
        assert_ne!(Key::of_gram(b"ab"), Key::of_gram(b"ab\0"));
        assert_ne!(Key::of_gram(b"Edit"), Key::of_tool("Edit"));
        assert_eq!(Key::of_gram(b"stash"), Key::of_gram(b"stas"));
        assert_ne!(Key::of_gram(b"ab"), Key::of_gram(b"ab").in_error());
        assert_ne!(Key::of_gram(b"ab").in_error(), Key::of_any_error());
    }

    #[test]
    fn a_text_meets_the_conditions_of_its_grams() {
        let mut grams = GramBitset::empty();
        grams.add(b"git stash");
        for gram in ["g", "it", "git", "stas", "tash"] {
            assert!(grams.meets(Condition::of_gram(gram.as_bytes())), "{gram}");
        }
        assert!(!grams.meets(Condition::of_gram(b"npm")));
    }

    #[test]
    fn a_checksum_sees_every_flipped_bit() {
        let bytes: Vec<u8> = (0..77).collect();
        let sum = checksum(1, &bytes);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(1, &damaged), sum);
        }
        assert_ne!(checksum(2, &bytes), sum);
        assert_ne!(checksum(1, &bytes[..76]), sum);
    }
}
