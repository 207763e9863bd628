//! The prefilter of contents: a table of bits for the first three bytes of the keys of content triggers.
//!
//! The contents of an edit may be a megabyte long, and hardly any of it concerns a lesson. Grams are looked up only at
//! the positions whose three bytes have their bit set. Both cases of a letter share a bit. Two bytes would be quicker to
//! test, but they occur in every second word.
//!
//! Contents are searched in the form in which the payload holds them, if that form is simple: see
//! [`lessons_text::content`]. Therefore the table also holds each key as a JSON string spells it.
//!
//! A key of three bytes or more is also in the table from its second byte on, so that every other position need be
//! tested only. A key of two bytes would fill the table that way; if there is one, every position is tested.

use std::array;

use super::block;
use super::corrupt::{Corrupt, Result};
use lessons_text::json;

/// The table of bits, one for each hash of three bytes.
pub struct Prefixes {
    table: Vec<u64>,
    /// The distance from one tested position to the next, in bytes: 1 or 2.
    step: usize,
}

/// The number of bits in the position of a word in the table.
const WORD_BITS: u32 = 10;
/// The number of words of the table, without the padding of its last block.
const WORDS: usize = 1 << WORD_BITS;
/// The mask of three bytes that removes the case of ASCII letters. It also makes some other bytes equal, which costs
/// time only.
const SHARED: u32 = 0x00df_dfdf;
/// The factor that spreads the bits: 2³² divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
const SPREAD: u32 = 0x9e37_79b1;

impl Prefixes {
    /// The table for these grams. A gram of one byte is not a key and is ignored.
    pub fn of<'g>(grams: impl Iterator<Item = &'g [u8]>) -> Self {
        let grams: Vec<&[u8]> = grams.filter(|gram| gram.len() > 1).collect();
        let step = if grams.iter().any(|gram| gram.len() == 2) { 1 } else { 2 };
        let mut prefixes = Self { table: vec![0; WORDS], step };
        for gram in grams {
            prefixes.add(gram);
            prefixes.add(&quoted(gram));
        }
        prefixes
    }

    fn add(&mut self, gram: &[u8]) {
        for start in 0..self.step {
            match gram.get(start..).unwrap_or_default() {
                [a, b, c, ..] => self.set([*a, *b, *c, 0]),
                [a, b] => (0..=u8::MAX).for_each(|c| self.set([*a, *b, c, 0])),
                _ => {}
            }
        }
    }

    fn set(&mut self, bytes: [u8; 4]) {
        let (word, bit) = place(u32::from_le_bytes(bytes));
        if let Some(word) = self.table.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    /// The bytes of the table in blocks, followed by the step.
    pub fn encode(&self) -> Vec<u8> {
        let words: Vec<u64> = self.table.iter().copied().chain([self.step as u64]).collect();
        let content = |words: &[u64]| array::from_fn(|at| words.get(at).copied().unwrap_or(0));
        let blocks = (0..).zip(words.chunks(block::WORDS).map(content));
        blocks.flat_map(|(place, content)| block::encode(place, &content)).collect()
    }

    /// Reads a table. [`Corrupt`] if a block does not fit its checksum, or the step is neither 1 nor 2.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut table = Vec::with_capacity(WORDS + block::WORDS);
        for (place, bytes) in (0..).zip(bytes.chunks(block::BYTES)) {
            table.extend_from_slice(&block::decode(place, bytes)?);
        }
        let step = match table.get(WORDS) {
            Some(1) => 1,
            Some(2) => 2,
            _ => return Err(Corrupt),
        };
        table.truncate(WORDS);
        Ok(Self { table, step })
    }

    /// Calls `visit` with each position of `text` at which a key may begin, and with some others, up to an error.
    pub fn each(&self, text: &[u8], mut visit: impl FnMut(usize) -> Result<()>) -> Result<()> {
        let mut from = 0;
        while let Some(hit) = self.next_hit(text, from) {
            // A key may begin one position before the one whose bit is set.
            (hit.saturating_sub(1)..hit + PLACES).try_for_each(&mut visit)?;
            from = hit + PLACES;
        }
        (text.len().saturating_sub(2 * PLACES)..text.len()).try_for_each(visit)
    }

    /// The start of the first group of [`PLACES`] positions, counted from `from`, in which a tested position has its bit set.
    #[inline(never)]
    fn next_hit(&self, text: &[u8], from: usize) -> Option<usize> {
        let table = self.table.first_chunk::<WORDS>()?;
        let rest = text.get(from..)?;
        let hit = match self.step {
            1 => first_hit::<1>(table, rest)?,
            _ => first_hit::<2>(table, rest)?,
        };
        Some(from + hit)
    }
}

/// The number of positions of a text that one load covers.
const PLACES: usize = 4;

/// The start of the first group of positions with a set bit. The cost of a large content is that of this loop, so it
/// loads all positions of a group at once and does nothing else.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "a place concerns the bytes in front")]
fn first_hit<const STEP: usize>(table: &[u64; WORDS], text: &[u8]) -> Option<usize> {
    let windows = text.array_windows::<{ 2 * PLACES }>().step_by(PLACES);
    let is_set = |bytes: u32| {
        let (word, bit) = place(bytes);
        table[word] >> bit & 1 == 1
    };
    let hit = windows.into_iter().position(|window| {
        let window = u64::from_le_bytes(*window);
        (0..PLACES).step_by(STEP).any(|at| is_set((window >> (8 * at)) as u32))
    });
    Some(hit? * PLACES)
}

/// The bytes with which a JSON string spells these bytes of a text.
fn quoted(gram: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::new();
    for &byte in gram {
        let letter = json::letter_for(byte);
        quoted.extend(letter.map(|_| b'\\'));
        quoted.push(letter.unwrap_or(byte));
    }
    quoted
}

/// The position of the bit for the first three bytes: the word depends on all three, the bit within it on the first.
#[inline]
fn place(bytes: u32) -> (usize, u32) {
    let spread = (bytes & SHARED).wrapping_mul(SPREAD);
    ((spread >> (u32::BITS - WORD_BITS)) as usize, spread % u64::BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(grams: &[&[u8]], text: &[u8]) -> Vec<usize> {
        let prefixes = Prefixes::decode(&Prefixes::of(grams.iter().copied()).encode()).unwrap();
        let mut places = Vec::new();
        let visited = prefixes.each(text, |at| {
            places.push(at);
            Ok(())
        });
        assert_eq!(visited, Ok(()));
        places
    }

    #[test]
    fn the_places_of_keys_are_found_in_any_case_and_few_others() {
        let text = ["a fetch FEtch é, or so", &"nothing else here ".repeat(20)].concat();
        let found = places(&[b"fetc", b"\xc3\xa9,"], text.as_bytes());
        for at in [2, 8, 14] {
            assert!(found.contains(&at), "{at} of {found:?}");
        }
        assert!(found.len() < 40, "{found:?}");
    }

    #[test]
    fn a_short_text_is_looked_at_whole() {
        assert_eq!(places(&[b"fe"], b"fe"), [0, 1]);
        assert!(places(&[b"fe"], b"").is_empty());
    }

    #[test]
    fn a_damaged_table_is_refused() {
        let bytes = Prefixes::of([b"fe".as_slice()].into_iter()).encode();
        assert!(Prefixes::decode(&bytes[..bytes.len() - 64]).is_err());
        for byte in (0..bytes.len()).step_by(61) {
            let mut damaged = bytes.clone();
            damaged[byte] ^= 4;
            assert!(Prefixes::decode(&damaged).is_err(), "{byte}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_key_is_missed(
            keys in proptest::collection::vec("[a-d=é]{2,5}", 1..4),
            text in "[a-dA-D=é ]{0,40}",
        ) {
            let grams: Vec<&[u8]> =
                keys.iter().map(|key| &key.as_bytes()[..key.len().min(4)]).collect();
            let found = places(&grams, text.as_bytes());
            let lower = text.to_ascii_lowercase();
            for at in 0..lower.len() {
                if grams.iter().any(|gram| lower.as_bytes()[at..].starts_with(gram)) {
                    proptest::prop_assert!(found.contains(&at), "{} in {:?}", at, found);
                }
            }
        }
    }
}
