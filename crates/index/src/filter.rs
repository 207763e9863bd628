//! The filter: a Bloom filter that says whether a key may be in the index.

use super::block::{self, Block};
use super::corrupt::{Corrupt, Result};
use super::key::Key;

/// A Bloom filter in blocks: all bits of a key are in one block (Putze, Sanders, Singler, "Cache-, Hash- and
/// Space-Efficient Bloom Filters", 2007).
pub struct Filter<'a> {
    bytes: &'a [u8],
    blocks: u32,
    /// The blocks that have been checked, one bit each.
    checked: Vec<u64>,
}

/// The bits of a block.
const BITS: u64 = 64 * block::WORDS as u64;
/// The number of bits that a key sets.
const HASHES: u32 = 4;
/// The number of bits of the filter per key. With 12, about one absent key in 100 passes. Such a key costs a read; each
/// page of the filter costs every call.
const BITS_PER_KEY: u64 = 12;

/// The number of blocks of a filter over this many keys.
pub fn blocks_for(keys: usize) -> u32 {
    u32::try_from((keys as u64 * BITS_PER_KEY).div_ceil(BITS)).unwrap_or(u32::MAX)
}

/// The bits of a key within its block: the word and the mask, [`HASHES`] times.
fn bits_of(key: Key) -> impl Iterator<Item = (usize, u64)> {
    (0..HASHES).map(move |turn| {
        let bit = (((key.0 >> (10 * turn)) & 0x3ff) * BITS) >> 10;
        (usize::try_from(bit / 64).unwrap_or(0), 1 << (bit % 64))
    })
}

/// The bytes of a block with those keys.
pub fn encode(place: u32, keys: impl IntoIterator<Item = Key>) -> [u8; block::BYTES] {
    let mut content: Block = [0; block::WORDS];
    for (word, mask) in keys.into_iter().flat_map(bits_of) {
        if let Some(word) = content.get_mut(word) {
            *word |= mask;
        }
    }
    block::encode(place, &content)
}

impl<'a> Filter<'a> {
    /// A filter over these bytes: whole blocks.
    pub fn over(bytes: &'a [u8]) -> Self {
        let blocks = bytes.len() / block::BYTES;
        Self { bytes, blocks: u32::try_from(blocks).unwrap_or(0), checked: vec![0; blocks.div_ceil(64)] }
    }

    /// Whether a key may be in the index. `false` is certain.
    pub fn may_hold(&mut self, key: Key) -> Result<bool> {
        if self.blocks == 0 {
            return Ok(false);
        }
        let place = key.slot(self.blocks);
        let start = place as usize * block::BYTES;
        let bytes = self.bytes.get(start..start + block::BYTES).ok_or(Corrupt)?;
        let (word, bit) = (place as usize / 64, 1 << (place % 64));
        let checked = self.checked.get_mut(word).ok_or(Corrupt)?;
        if *checked & bit == 0 {
            block::decode(place, bytes)?;
            *checked |= bit;
        }
        let words = bytes.as_chunks::<8>().0;
        Ok(bits_of(key)
            .all(|(at, mask)| words.get(at).is_some_and(|word| u64::from_le_bytes(*word) & mask != 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(from: u32, count: u32) -> Vec<Key> {
        let mut keys: Vec<Key> = (from..from + count).map(|n| Key::of_tool(&format!("k{n}"))).collect();
        keys.sort_unstable();
        keys
    }

    fn filter_of(keys: &[Key]) -> Vec<u8> {
        let blocks = blocks_for(keys.len());
        let of_block = |block| keys.iter().copied().filter(move |key| key.slot(blocks) == block);
        (0..blocks).flat_map(|block| encode(block, of_block(block))).collect()
    }

    #[test]
    fn a_filter_holds_its_keys_and_few_others() {
        for count in [0, 1, 30, 1000] {
            let keys_there = keys(0, count);
            let bytes = filter_of(&keys_there);
            let mut filter = Filter::over(&bytes);
            assert!(keys_there.iter().all(|key| filter.may_hold(*key) == Ok(true)));
            let others = keys(1_000_000, 10_000).into_iter().filter(|key| filter.may_hold(*key) == Ok(true));
            assert!(others.count() < 200, "of {count}");
        }
    }

    #[test]
    fn grams_that_are_alike_are_told_apart() {
        let letters = || b"aeinorst- ./".iter().copied();
        let pairs = || letters().flat_map(|one| letters().map(move |two| [one, two]));
        let grams = || pairs().flat_map(|one| pairs().map(move |two| [one, two].concat()));
        let is_there = |gram: &[u8]| gram.iter().map(|byte| u32::from(*byte)).sum::<u32>() % 5 == 0;
        let (some, others): (Vec<_>, Vec<_>) = grams().partition(|gram| is_there(gram));
        let mut keys: Vec<Key> = some.iter().map(|gram| Key::of_gram(gram)).collect();
        keys.sort_unstable();
        let bytes = filter_of(&keys);
        let mut filter = Filter::over(&bytes);
        assert!(keys.iter().all(|key| filter.may_hold(*key) == Ok(true)));
        let wrong = others.iter().filter(|gram| filter.may_hold(Key::of_gram(gram)) == Ok(true)).count();
        assert!(wrong * 50 < others.len(), "{wrong} of {}", others.len());
    }
}
