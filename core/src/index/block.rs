//! Blocks of 64 bytes that know whether they are whole.
//!
//! The parts of the index that are looked into at random places are made of these: seven words of
//! content and one that sums them up. So whatever word is read, its block has been checked, and
//! nothing else has to be read for that.

use alloc::vec::Vec;

use super::Damaged;
use super::key::{Key, fold};

/// The bytes of a block.
pub const BYTES: usize = 64;
/// The words of content in a block.
pub const WORDS: usize = 7;
/// The bits of content in a block.
const BITS: u64 = 448;

/// A block's content.
pub type Block = [u64; WORDS];

/// The sum of a block. `place` is its number among its like, so that no block passes for another.
fn sum(place: u32, content: &Block) -> u64 {
    content.iter().fold(u64::from(place) ^ 0xa076_1d64_78bd_642f, |sum, word| fold(sum, *word))
}

/// The bytes of a block.
pub fn encode(place: u32, content: &Block) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let words = content.iter().copied().chain([sum(place, content)]);
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Reads and checks a block.
pub fn decode(place: u32, bytes: &[u8]) -> Result<Block, Damaged> {
    let (words, []) = bytes.as_chunks::<8>() else { return Err(Damaged) };
    let [content @ .., check] = words else { return Err(Damaged) };
    let content: &[[u8; 8]; WORDS] = content.try_into().map_err(|_| Damaged)?;
    let content = content.map(u64::from_le_bytes);
    if sum(place, &content) == u64::from_le_bytes(*check) { Ok(content) } else { Err(Damaged) }
}

/// The number of the block that `key` belongs to, among `blocks`.
fn place_of(hash: u64, blocks: u32) -> u32 {
    // Lemire's reduction: the upper half of a product is spread as evenly as the hash.
    u32::try_from(((hash >> 32) * u64::from(blocks)) >> 32).unwrap_or(0)
}

/// A Bloom filter in blocks: says of a key that it is not there, or that it may be.
///
/// All bits of a key are in one block (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient
/// Bloom Filters", 2007).
pub struct Filter<'a> {
    bytes: &'a [u8],
    blocks: u32,
    /// Which blocks have been checked, a bit each.
    checked: Vec<u64>,
}

/// How many bits of the filter a key sets.
const HASHES: u32 = 4;
/// Bits of the filter a key, so that about one key in 300 that is not there may be.
const BITS_PER_KEY: u64 = 16;

/// The bits of a key within its block: word and mask, [`HASHES`] times.
fn bits_of(key: Key) -> impl Iterator<Item = (usize, u64)> {
    (0..HASHES).map(move |turn| {
        let bit = (((key.0 >> (10 * turn)) & 0x3ff) * BITS) >> 10;
        (usize::try_from(bit / 64).unwrap_or(0), 1 << (bit % 64))
    })
}

impl<'a> Filter<'a> {
    /// A filter over these bytes: whole blocks.
    pub fn over(bytes: &'a [u8]) -> Self {
        let blocks = bytes.len() / BYTES;
        Self {
            bytes,
            blocks: u32::try_from(blocks).unwrap_or(0),
            checked: alloc::vec![0; blocks.div_ceil(64)],
        }
    }

    /// Whether a key may be there.
    pub fn may_hold(&mut self, key: Key) -> Result<bool, Damaged> {
        if self.blocks == 0 {
            return Ok(false);
        }
        let place = place_of(key.0, self.blocks);
        let start = place as usize * BYTES;
        let bytes = self.bytes.get(start..start + BYTES).ok_or(Damaged)?;
        let (word, bit) = (place as usize / 64, 1 << (place % 64));
        let checked = self.checked.get_mut(word).ok_or(Damaged)?;
        if *checked & bit == 0 {
            decode(place, bytes)?;
            *checked |= bit;
        }
        let (words, _) = bytes.as_chunks::<8>();
        Ok(bits_of(key)
            .all(|(at, mask)| words.get(at).is_some_and(|word| u64::from_le_bytes(*word) & mask != 0)))
    }

    /// The bytes of a filter that holds `keys`.
    pub fn build(keys: &[Key]) -> Vec<u8> {
        let blocks = (keys.len() as u64 * BITS_PER_KEY).div_ceil(BITS).max(1);
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
        let mut contents = alloc::vec![[0_u64; WORDS]; blocks as usize];
        for key in keys {
            if let Some(content) = contents.get_mut(place_of(key.0, blocks) as usize) {
                for (at, mask) in bits_of(*key) {
                    if let Some(word) = content.get_mut(at) {
                        *word |= mask;
                    }
                }
            }
        }
        (0..).zip(&contents).flat_map(|(place, content)| encode(place, content)).collect()
    }
}

/// A hash table in blocks of seven slots: from a key to where its postings are.
///
/// A slot is the lower half of the key's hash and a place, in one word; no slot is zero. What does not
/// fit into its block stands in the next one, so a search ends at the first block with a free slot.
pub struct Table {
    /// How many blocks.
    pub blocks: u32,
}

impl Table {
    /// Finds the places of a key, with `read` fetching a block's bytes. Keys whose hashes agree share
    /// them.
    pub fn find<E: From<Damaged>>(
        &self,
        key: Key,
        mut read: impl FnMut(u32) -> Result<[u8; BYTES], E>,
    ) -> Result<Vec<u32>, E> {
        let mut found = Vec::new();
        if self.blocks == 0 {
            return Ok(found);
        }
        let first = place_of(key.0.rotate_left(17), self.blocks);
        for turn in 0..self.blocks {
            let place = (first + turn) % self.blocks;
            let content = decode(place, &read(place)?)?;
            for slot in content.into_iter().filter(|slot| *slot != 0) {
                let [tag, at] = halves(slot);
                if tag == halves(key.0)[0] {
                    found.push(at);
                }
            }
            if content.contains(&0) {
                break;
            }
        }
        Ok(found)
    }

    /// The bytes of a table. No place is zero.
    pub fn build(entries: &[(Key, u32)]) -> Vec<u8> {
        let blocks = (entries.len() / 4 + 1).max(1);
        let mut contents = alloc::vec![[0_u64; WORDS]; blocks];
        let count = u32::try_from(blocks).unwrap_or(u32::MAX);
        for (key, at) in entries {
            let slot = (key.0 & 0xffff_ffff) | u64::from(*at) << 32;
            let first = place_of(key.0.rotate_left(17), count) as usize;
            // There are more slots than entries, so one is free.
            let free = (0..blocks).find_map(|turn| {
                contents
                    .get((first + turn) % blocks)?
                    .iter()
                    .position(|slot| *slot == 0)
                    .map(|slot| (turn, slot))
            });
            if let Some((turn, position)) = free
                && let Some(place) =
                    contents.get_mut((first + turn) % blocks).and_then(|block| block.get_mut(position))
            {
                *place = slot;
            }
        }
        (0..).zip(&contents).flat_map(|(place, content)| encode(place, content)).collect()
    }
}

/// The lower and the upper half.
#[allow(clippy::cast_possible_truncation, reason = "halves are what is wanted")]
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(from: u32, count: u32) -> Vec<Key> {
        (from..from + count).map(|n| Key::of_tool(&format!("k{n}"))).collect()
    }

    #[test]
    fn a_filter_holds_its_keys_and_few_others() {
        for count in [0, 1, 30, 1000, 20_000] {
            let bytes = Filter::build(&keys(0, count));
            let mut filter = Filter::over(&bytes);
            assert!(keys(0, count).into_iter().all(|key| filter.may_hold(key) == Ok(true)));
            let others = keys(1_000_000, 10_000).into_iter().filter(|key| filter.may_hold(*key) == Ok(true));
            assert!(others.count() < 100, "of {count}");
        }
    }

    #[test]
    fn a_table_finds_the_places_of_its_keys() {
        for count in [0, 1, 7, 8, 5000] {
            let entries: Vec<(Key, u32)> = keys(0, count).into_iter().zip(1..).collect();
            let bytes = Table::build(&entries);
            let table = Table { blocks: u32::try_from(bytes.len() / BYTES).unwrap() };
            let read = |place: u32| {
                let start = place as usize * BYTES;
                Ok::<_, Damaged>(bytes[start..start + BYTES].try_into().unwrap())
            };
            for (key, at) in &entries {
                assert!(table.find(*key, read).unwrap().contains(at));
            }
            let misses =
                keys(9_000_000, 1000).into_iter().filter(|key| table.find(*key, read).unwrap().is_empty());
            assert!(misses.count() > 990);
        }
    }

    #[test]
    fn a_flipped_bit_is_seen_where_it_is_read() {
        let content = [1, 2, 3, 4, 5, 6, u64::MAX];
        let bytes = encode(9, &content);
        assert_eq!(decode(9, &bytes), Ok(content));
        assert_eq!(decode(8, &bytes), Err(Damaged));
        assert_eq!(decode(9, &bytes[..63]), Err(Damaged));
        for bit in 0..BYTES * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(9, &damaged), Err(Damaged));
        }
    }
}
