//! Keys: short pieces of text under which a trigger is found.
//!
//! A *gram* is one to four bytes that stand next to each other in a text whose ASCII letters are in
//! lower case. The builder picks, for each trigger, grams of which every matching text must hold one;
//! the hook asks for every gram of the call. The name of a tool is a key too.

use alloc::vec;
use alloc::vec::Vec;

/// The longest gram, in bytes.
pub const MAX_GRAM: usize = 4;

/// A key, hashed. Equal keys are equal; different ones may be, which costs time and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub(super) u64);

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

    /// `packed` holds the gram's bytes, the first in the lowest place.
    fn of_packed(packed: u64, length: u64) -> Self {
        Self(mix(packed | length << 32))
    }

    /// That a text ends in this byte. No gram is five bytes long.
    pub fn of_ending(byte: u8) -> Self {
        Self::of_packed(u64::from(byte), MAX_GRAM as u64 + 1)
    }

    /// The condition that a text holds this gram.
    pub fn condition(self) -> Condition {
        Condition(u16::try_from(self.0 >> 50).unwrap_or(0))
    }
}

/// Sets the hashes of tools apart from those of records.
const TOOL_SEED: u64 = 0x746f_6f6c;

/// Spreads the bits. The finaliser of `SplitMix64` (Steele, Lea, Flood, 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A sum that random damage changes: 8 bytes at a time, multiplied and folded.
pub fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    let mut sum = seed ^ 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        sum = fold(sum, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    fold(fold(sum, u64::from_le_bytes(last)), bytes.len() as u64)
}

/// One step of a checksum.
pub(super) fn fold(sum: u64, word: u64) -> u64 {
    let sum = (sum ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25);
    sum ^ (sum >> 29)
}

/// Calls `visit` with the key of every gram of 2 to [`MAX_GRAM`] bytes of `lower`.
pub fn each_gram(lower: &[u8], mut visit: impl FnMut(Key)) {
    // The last four bytes, the newest in the highest place of those that are there.
    for at in 0..lower.len() {
        let rest = lower.get(at..).unwrap_or_default();
        grams_at(rest, &mut visit);
    }
}

/// Calls `visit` with the keys of the grams of 2 to [`MAX_GRAM`] bytes at the start of `lower`.
pub(super) fn grams_at(lower: &[u8], visit: &mut impl FnMut(Key)) {
    match lower {
        [a, b, c, d, ..] => {
            let packed = u32::from_le_bytes([*a, *b, *c, *d]);
            visit(Key::of_packed(u64::from(packed), 4));
            visit(Key::of_packed(u64::from(packed & 0x00ff_ffff), 3));
            visit(Key::of_packed(u64::from(packed & 0xffff), 2));
        }
        [a, b, c] => {
            visit(Key::of_gram(&[*a, *b, *c]));
            visit(Key::of_gram(&[*a, *b]));
        }
        [a, b] => visit(Key::of_gram(&[*a, *b])),
        _ => {}
    }
}

/// The bits of a [`Condition`].
const CONDITION_BITS: u32 = 14;
/// The words of 64 bits that have a bit for each condition.
const HELD_WORDS: usize = 1 << (CONDITION_BITS - 6);

/// Something that a text must hold besides a trigger's key: one of [`Held`]'s bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition(u16);

impl Condition {
    /// As it stands in a screen: below 2¹⁴.
    pub fn bit(self) -> u16 {
        self.0
    }

    /// What stands in a screen. Bits that no condition has are cut off.
    pub fn of_bit(bit: u16) -> Self {
        Self(bit & ((1 << CONDITION_BITS) - 1))
    }
}

/// Which conditions the texts of a call meet. Not on the stack, whose next page would have to be fetched.
pub struct Held(Vec<u64>);

impl Held {
    /// None.
    pub fn nothing() -> Self {
        Self(vec![0; HELD_WORDS])
    }

    /// All of them: nothing is known of the text.
    pub fn everything() -> Self {
        Self(vec![u64::MAX; HELD_WORDS])
    }

    /// Adds that a text ends as this one does, in lower case.
    pub fn add_ending(&mut self, text: &[u8]) {
        if let Some(&last) = text.last() {
            self.set(Key::of_ending(last.to_ascii_lowercase()));
        }
    }

    /// Adds the grams of a text, of 1 to [`MAX_GRAM`] bytes.
    pub fn add(&mut self, lower: &[u8]) {
        each_gram(lower, |key| self.set(key));
        for &byte in lower {
            self.set(Key::of_gram(&[byte]));
        }
    }

    fn set(&mut self, key: Key) {
        let bit = usize::from(key.condition().bit());
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
        each_gram(b"abcde", |key| seen.push(key));
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
    }

    #[test]
    fn a_text_meets_the_conditions_of_its_grams() {
        let mut held = Held::nothing();
        held.add(b"git stash");
        for gram in ["g", "it", "git", "stas", "tash"] {
            assert!(held.meets(Key::of_gram(gram.as_bytes()).condition()), "{gram}");
        }
        assert!(!held.meets(Key::of_gram(b"npm").condition()));
        assert!(Held::everything().meets(Key::of_gram(b"npm").condition()));
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
