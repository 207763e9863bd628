//! Which three bytes stand in a key of a content trigger.
//!
//! What an edit puts into files may be a megabyte, and hardly any of it concerns a lesson. So it is
//! run through one table of bits, in which three bytes in either case of letters have one bit; only where
//! it is set are the grams looked up. Two bytes would be quicker to find, and are in every second word.
//!
//! Keys of three bytes and more have their bytes from the second one on in the table too, so that it is enough
//! to look at every other place. A key of two bytes would fill the table with that; where there is one, every
//! place is looked at.

use alloc::vec::Vec;

use super::Damaged;
use super::block;

/// A bit for what three bytes hash to.
pub struct Prefixes {
    table: Vec<u64>,
    /// How far it is from one place that is looked at to the next.
    step: usize,
}

/// The bits of a place in the table.
const PLACE_BITS: u32 = 16;
/// The words of the table, before it is put into blocks.
const WORDS: usize = 1 << (PLACE_BITS - 6);
/// The bits that all ASCII letters of one kind share in both cases, of three bytes. Other bytes that become one
/// have one place, which costs time and nothing else.
const SHARED: u32 = 0x00df_dfdf;
/// Spreads the bits: 2³² divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
const SPREAD: u32 = 0x9e37_79b1;

impl Prefixes {
    /// What these grams need. One of one byte is no key.
    pub fn of<'g>(grams: impl Iterator<Item = &'g [u8]>) -> Self {
        let grams: Vec<&[u8]> = grams.filter(|gram| gram.len() > 1).collect();
        let step = if grams.iter().any(|gram| gram.len() == 2) { 1 } else { 2 };
        let mut prefixes = Self { table: alloc::vec![0; WORDS], step };
        for gram in grams {
            for start in 0..step {
                match gram.get(start..).unwrap_or_default() {
                    [a, b, c, ..] => prefixes.set([*a, *b, *c, 0]),
                    [a, b] => (0..=u8::MAX).for_each(|c| prefixes.set([*a, *b, c, 0])),
                    _ => {}
                }
            }
        }
        prefixes
    }

    fn set(&mut self, bytes: [u8; 4]) {
        let place = place(bytes);
        if let Some(word) = self.table.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    /// The table in blocks, and behind it the step.
    pub fn encode(&self) -> Vec<u8> {
        let words: Vec<u64> = self.table.iter().copied().chain([self.step as u64]).collect();
        let blocks = words.chunks(block::WORDS).map(|words| {
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
        let mut table = Vec::with_capacity(WORDS + block::WORDS);
        for (place, bytes) in (0..).zip(bytes.chunks(block::BYTES)) {
            table.extend_from_slice(&block::decode(place, bytes)?);
        }
        let step = match table.get(WORDS) {
            Some(1) => 1,
            Some(2) => 2,
            _ => return Err(Damaged),
        };
        table.truncate(WORDS);
        Ok(Self { table, step })
    }

    /// Calls `visit` with each place of `text` at which a key may begin.
    pub fn each(&self, text: &[u8], mut visit: impl FnMut(usize)) {
        let mut from = 0;
        while let Some(hit) = self.next_hit(text, from) {
            (hit.saturating_sub(self.step - 1)..=hit).for_each(&mut visit);
            from = hit + self.step;
        }
        (text.len().saturating_sub(4)..text.len()).for_each(visit);
    }

    /// The first place from `from` on that is looked at and whose bit is set.
    #[inline(never)]
    fn next_hit(&self, text: &[u8], from: usize) -> Option<usize> {
        let table = self.table.first_chunk::<WORDS>()?;
        // Four bytes are one load. This loop is what a large content costs, so nothing else is in it.
        let is_set = |bytes: &[u8; 4]| {
            let place = place(*bytes);
            table[place / 64] >> (place % 64) & 1 == 1
        };
        let windows = text.get(from..)?.array_windows::<4>();
        let hit = match self.step {
            1 => windows.into_iter().position(is_set)?,
            _ => 2 * windows.into_iter().step_by(2).position(is_set)?,
        };
        Some(from + hit)
    }
}

/// Where the bit of the first three bytes is.
#[inline]
fn place(bytes: [u8; 4]) -> usize {
    ((u32::from_le_bytes(bytes) & SHARED).wrapping_mul(SPREAD) >> (32 - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(grams: &[&[u8]], text: &[u8]) -> Vec<usize> {
        let prefixes = Prefixes::decode(&Prefixes::of(grams.iter().copied()).encode()).unwrap();
        let mut places = Vec::new();
        prefixes.each(text, |at| places.push(at));
        places
    }

    #[test]
    fn the_places_of_keys_are_found_in_any_case() {
        let found = places(&[b"fetc", b"\xc3\xa9,"], "a fetch FEtch é, or so".as_bytes());
        for at in [2, 8, 14] {
            assert!(found.contains(&at), "{at} of {found:?}");
        }
        assert!(found.len() < 16, "{found:?}");
    }

    #[test]
    fn with_a_key_of_two_bytes_every_place_is_looked_at() {
        assert_eq!(places(&[b"fe", b"fetc"], b"a fetch, a fe or FEtch."), [2, 11, 17, 19, 20, 21, 22]);
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
