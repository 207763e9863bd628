//! The filter: of a key it says that it is not there, or that it may be, and where it would be found.

use alloc::vec::Vec;
use core::ops::Range;

use super::Damaged;
use super::block::{self, Block};
use super::header::Span;
use super::key::Key;

/// A Bloom filter in blocks. All bits of a key are in one block (Putze, Sanders, Singler, "Cache-, Hash- and
/// Space-Efficient Bloom Filters", 2007), and the first word of the block says where its [bucket](super::bucket)
/// is, in which all of its keys stand. So one look and one read lead to what a key leads to.
pub struct Filter<'a> {
    bytes: &'a [u8],
    blocks: u32,
    /// Which blocks have been checked, a bit each.
    checked: Vec<u64>,
}

/// The words of a block that say which keys are there: all but the first.
const BITS_AT: Range<usize> = 1..block::WORDS;
/// Their bits.
const BITS: u64 = 384;
/// How many bits of the filter a key sets.
const HASHES: u32 = 4;
/// Bits of the filter a key, so that about one key in 300 that is not there may be.
const BITS_PER_KEY: u64 = 16;
/// The bits of a bucket's length; the others say where it is.
const LENGTH_BITS: u32 = 24;

/// About so many bytes of lists a bucket has on average, or fewer: it is read and summed as a whole. With half as many the
/// filter had so many pages that they cost more.
const BUCKET_BYTES: u64 = 2 << 10;

/// How many blocks a filter over so many keys has, whose lists have so many bytes together.
pub fn blocks_for(keys: usize, list_bytes: usize) -> u32 {
    let for_keys = (keys as u64 * BITS_PER_KEY).div_ceil(BITS);
    let for_lists = list_bytes as u64 / BUCKET_BYTES;
    u32::try_from(for_keys.max(for_lists)).unwrap_or(u32::MAX)
}

/// The block that a key belongs to. Greater keys never belong to lower blocks.
pub fn block_of(key: Key, blocks: u32) -> u32 {
    // Lemire's reduction: the upper half of a product is spread as evenly as the hash.
    u32::try_from(((key.0 >> 32) * u64::from(blocks)) >> 32).unwrap_or(0)
}

/// The bits of a key within its block: the word and the mask, [`HASHES`] times.
fn bits_of(key: Key) -> impl Iterator<Item = (usize, u64)> {
    (0..HASHES).map(move |turn| {
        let bit = (((key.0 >> (10 * turn)) & 0x3ff) * BITS) >> 10;
        (BITS_AT.start + usize::try_from(bit / 64).unwrap_or(0), 1 << (bit % 64))
    })
}

/// The bytes of a block: those keys, and where their bucket is among the buckets.
pub fn encode(place: u32, keys: impl IntoIterator<Item = Key>, bucket: Span) -> [u8; block::BYTES] {
    let mut content: Block = [0; block::WORDS];
    content[0] = bucket.at << LENGTH_BITS | bucket.length;
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
        let place = block_of(key, self.blocks);
        let bytes = self.block(place)?;
        let (word, bit) = (place as usize / 64, 1 << (place % 64));
        let checked = self.checked.get_mut(word).ok_or(Damaged)?;
        if *checked & bit == 0 {
            block::decode(place, bytes)?;
            *checked |= bit;
        }
        let words = bytes.as_chunks::<8>().0;
        Ok(bits_of(key)
            .all(|(at, mask)| words.get(at).is_some_and(|word| u64::from_le_bytes(*word) & mask != 0)))
    }

    /// The block that a key belongs to, and where its bucket is among the buckets.
    pub fn bucket(&self, key: Key) -> Result<(u32, Span), Damaged> {
        let place = block_of(key, self.blocks);
        let [bucket, ..] = block::decode(place, self.block(place)?)?;
        Ok((place, Span { at: bucket >> LENGTH_BITS, length: bucket & ((1 << LENGTH_BITS) - 1) }))
    }

    fn block(&self, place: u32) -> Result<&'a [u8], Damaged> {
        let start = place as usize * block::BYTES;
        self.bytes.get(start..start + block::BYTES).ok_or(Damaged)
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
        let blocks = blocks_for(keys.len(), 0);
        let of_block = |block| keys.iter().copied().filter(move |key| block_of(*key, blocks) == block);
        let bucket = |block| Span { at: u64::from(block) << 20, length: u64::from(block) };
        (0..blocks).flat_map(|block| encode(block, of_block(block), bucket(block))).collect()
    }

    #[test]
    fn a_filter_holds_its_keys_and_few_others() {
        for count in [0, 1, 30, 1000] {
            let keys_there = keys(0, count);
            let bytes = filter_of(&keys_there);
            let mut filter = Filter::over(&bytes);
            assert!(keys_there.iter().all(|key| filter.may_hold(*key) == Ok(true)));
            let others = keys(1_000_000, 10_000).into_iter().filter(|key| filter.may_hold(*key) == Ok(true));
            assert!(others.count() < 100, "of {count}");
            for key in keys_there {
                let (block, bucket) = filter.bucket(key).unwrap();
                assert_eq!((bucket.at >> 20, bucket.length), (u64::from(block), u64::from(block)));
            }
        }
    }

    #[test]
    fn long_lists_stand_in_buckets_that_are_no_longer_for_it() {
        assert_eq!(blocks_for(240, 0), 10);
        assert_eq!(blocks_for(240, 9 << 10), 10);
        assert_eq!(blocks_for(240, 100 << 10), 50);
        assert_eq!(blocks_for(0, 0), 0);
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
        assert!(wrong * 100 < others.len(), "{wrong} of {}", others.len());
    }

    #[test]
    fn greater_keys_belong_to_the_same_block_or_a_later_one() {
        let blocks: Vec<u32> = keys(0, 1000).into_iter().map(|key| block_of(key, 37)).collect();
        assert!(blocks.is_sorted() && blocks.last() < Some(&37));
    }
}
