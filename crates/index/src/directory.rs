//! The directory: where the bucket of a key stands.

use super::corrupt::Corrupt;
use super::header::Span;
use super::key::Key;
use super::storage::{self, UNIT};

/// Where each [bucket](super::bucket) begins and the last one ends, as places: four bytes each. They have no sum of their
/// own. That of a bucket depends on its number, so whoever was led to a wrong place finds out there.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'a>(&'a [[u8; 4]]);

/// About so many bytes of lists a bucket has on average, or fewer: it is read and summed as a whole.
const BUCKET_BYTES: usize = 2 << 10;
/// So many keys a bucket has on average, or fewer.
const BUCKET_KEYS: usize = 24;

/// How many buckets there are for so many keys, whose lists have so many bytes together.
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

    /// The number of the bucket that a key belongs to, and where it is among the buckets.
    pub fn bucket(&self, key: Key) -> Result<(u32, Span), Corrupt> {
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
