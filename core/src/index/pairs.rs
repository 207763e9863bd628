//! Which pairs of bytes a key of a content trigger begins with.
//!
//! What an edit puts into files may be a megabyte, and hardly any of it concerns a lesson. So it is
//! run through one table of bits, a bit for each pair of bytes in either case of letters; only where a
//! pair is in it are the grams looked up.

use alloc::vec::Vec;

use super::Damaged;
use super::block;

/// A bit for each pair of bytes.
pub struct Pairs(Vec<u64>);

/// The words of the table, before it is put into blocks.
const WORDS: usize = 65_536 / 64;

impl Pairs {
    /// The pairs with which these grams begin, whatever the case of their letters. A gram of one byte
    /// has no pair; there is no such key.
    pub fn of<'g>(grams: impl Iterator<Item = &'g [u8]>) -> Self {
        let mut pairs = Self(alloc::vec![0; WORDS]);
        for gram in grams {
            let [a, b, ..] = gram else { continue };
            for a in [a.to_ascii_lowercase(), a.to_ascii_uppercase()] {
                for b in [b.to_ascii_lowercase(), b.to_ascii_uppercase()] {
                    let bit = usize::from(u16::from_le_bytes([a, b]));
                    if let Some(word) = pairs.0.get_mut(bit / 64) {
                        *word |= 1 << (bit % 64);
                    }
                }
            }
        }
        pairs
    }

    /// The table in blocks.
    pub fn encode(&self) -> Vec<u8> {
        let blocks = self.0.chunks(block::WORDS).map(|words| {
            let mut content = [0; block::WORDS];
            for (to, from) in content.iter_mut().zip(words) {
                *to = *from;
            }
            content
        });
        (0..).zip(blocks).flat_map(|(place, content)| block::encode(place, &content)).collect()
    }

    /// Reads and checks a table.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damaged> {
        let mut words = Vec::with_capacity(WORDS + block::WORDS);
        for (place, bytes) in (0..).zip(bytes.chunks(block::BYTES)) {
            words.extend_from_slice(&block::decode(place, bytes)?);
        }
        words.truncate(WORDS);
        if words.len() == WORDS { Ok(Self(words)) } else { Err(Damaged) }
    }

    /// Calls `visit` with each place of `text` at which a key may begin.
    pub fn each(&self, text: &[u8], mut visit: impl FnMut(usize)) {
        let Some(words) = self.0.first_chunk::<WORDS>() else { return };
        for (at, pair) in text.array_windows::<2>().enumerate() {
            let bit = usize::from(u16::from_le_bytes(*pair));
            if words[bit / 64] >> (bit % 64) & 1 == 1 {
                visit(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_pairs_are_found_in_any_case() {
        let pairs = Pairs::of([b"fetch".as_slice(), b"\xc3\xa9"].into_iter());
        let pairs = Pairs::decode(&pairs.encode()).unwrap();
        let mut places = Vec::new();
        pairs.each("a fetch FEtch é".as_bytes(), |at| places.push(at));
        assert_eq!(places, [2, 8, 14]);
    }

    #[test]
    fn a_damaged_table_is_refused() {
        let bytes = Pairs::of([b"fe".as_slice()].into_iter()).encode();
        assert!(Pairs::decode(&bytes[..bytes.len() - 64]).is_err());
        for byte in (0..bytes.len()).step_by(61) {
            let mut damaged = bytes.clone();
            damaged[byte] ^= 4;
            assert!(Pairs::decode(&damaged).is_err(), "{byte}");
        }
    }
}
