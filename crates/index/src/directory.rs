//! The directory: the position of the bucket of each key.

use super::corrupt::{Corrupt, Result};
use super::header::Span;
use super::key::Key;
use super::storage::{self, UNIT};

/// The start of each [bucket](super::bucket) and the end of the last, as places of four bytes each. The directory has no
/// checksum. The checksum of a bucket depends on its number, so a wrong place is noticed there.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'a>(&'a [[u8; 4]]);

/// The approximate maximum size of the lists of an average bucket, in bytes. A bucket is read and checked as a whole.
const BUCKET_BYTES: usize = 2 << 10;
/// The maximum number of keys of an average bucket.
const BUCKET_KEYS: usize = 24;

/// The number of buckets for this many keys, whose lists have `list_bytes` bytes together.
pub fn buckets_for(keys: usize, list_bytes: usize) -> u32 {
    let buckets = keys.div_ceil(BUCKET_KEYS).max(list_bytes / BUCKET_BYTES);
    u32::try_from(buckets).unwrap_or(u32::MAX)
}

/// The directory of buckets that have these lengths, each a multiple of [`UNIT`].
pub fn encode(lengths: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let mut end = 0;
    let mut bytes = Vec::from(storage::place(end).to_le_bytes());
    for length in lengths {
        end += length;
        bytes.extend_from_slice(&storage::place(end).to_le_bytes());
    }
    bytes
}

impl<'a> Directory<'a> {
    /// The directory of these bytes.
    pub fn over(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    /// The number of the bucket of a key, and its span within the buckets.
    pub fn bucket(&self, key: Key) -> Result<(u32, Span)> {
        let buckets = u32::try_from(self.0.len().saturating_sub(1)).map_err(|_| Corrupt)?;
        let number = key.slot(buckets);
        let &[start, end] = self.0.get(number as usize..).and_then(<[_]>::first_chunk).ok_or(Corrupt)?;
        let [start, end] = [start, end].map(|place| u64::from(u32::from_le_bytes(place)) * UNIT as u64);
        Ok((number, Span { at: start, length: end.checked_sub(start).ok_or(Corrupt)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_stand_in_buckets_that_are_no_longer_for_it() {
        assert_eq!(buckets_for(240, 0), 10);
        assert_eq!(buckets_for(240, 9 << 10), 10);
        assert_eq!(buckets_for(240, 100 << 10), 50);
        assert_eq!(buckets_for(1, 0), 1);
        assert_eq!(buckets_for(0, 0), 0);
    }

    #[test]
    fn a_key_leads_to_its_bucket() {
        let lengths = [16, 0, 8, 800];
        let bytes = encode(lengths);
        let directory = Directory::over(&bytes);
        let mut seen = [false; 4];
        for key in (0..99).map(|n| Key::of_tool(&format!("k{n}"))) {
            let (number, span) = directory.bucket(key).unwrap();
            let number = number as usize;
            assert_eq!(number, key.slot(4) as usize);
            assert_eq!(span.at, lengths[..number].iter().sum::<usize>() as u64);
            assert_eq!(span.length, lengths[number] as u64);
            seen[number] = true;
        }
        assert_eq!(seen, [true; 4]);
    }

    #[test]
    fn one_that_leads_nowhere_is_damaged() {
        let key = Key::of_tool("k");
        let backwards = [[9, 0, 0, 0], [8, 0, 0, 0]].concat();
        for bytes in [&[][..], &[0; 3], &[0; 4], &[0; 7], &backwards] {
            assert_eq!(Directory::over(bytes).bucket(key), Err(Corrupt), "{bytes:?}");
        }
    }
}
