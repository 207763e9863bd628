//! Buckets: groups of keys, each key with its list of postings. The [directory](super::directory) locates the buckets.
//!
//! The format: the number of keys in four bytes and a checksum in four; for each key the lower half of its hash and the end
//! of its list, in four bytes each; the lists; zeros up to a multiple of [`UNIT`]. A list of more than [`MAX_INLINE_BYTES`]
//! bytes is stored outside, so that it need not be read with every other key of the bucket; the highest bit marks it.

use super::corrupt::{Corrupt, Result};
use super::key::{Key, checksum};
use super::storage::{UNIT, parse_head};

/// The size of the longest list that is stored in a bucket, in bytes.
pub const MAX_INLINE_BYTES: usize = 512;

/// The size of the fields in front of the keys, in bytes.
const HEAD: usize = 8;
/// The bit that marks a list stored outside of the bucket.
const OVERFLOW: u32 = 1 << 31;

/// The list of postings of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostingList<'a> {
    /// A list in the bucket. Its bytes were checked with those of the bucket.
    Inline(&'a [u8]),
    /// A list outside of the bucket, at this place among the postings.
    Overflow(u32),
}

/// The bytes of the bucket with this number. No list that is [`PostingList::Inline`] has more than [`MAX_INLINE_BYTES`] bytes.
pub fn encode(number: u32, lists: &[(Key, PostingList<'_>)]) -> Vec<u8> {
    let (mut keys, mut entries) = (Vec::new(), Vec::new());
    for (key, list) in lists {
        let overflow = match list {
            PostingList::Inline(list) => {
                entries.extend_from_slice(list);
                0
            }
            PostingList::Overflow(place) => {
                entries.extend_from_slice(&place.to_le_bytes());
                OVERFLOW
            }
        };
        keys.extend_from_slice(&tag(*key));
        keys.extend_from_slice(&(u32::try_from(entries.len()).unwrap_or(u32::MAX) | overflow).to_le_bytes());
    }
    let count = u32::try_from(lists.len()).unwrap_or(u32::MAX);
    keys.extend_from_slice(&entries);
    keys.resize((HEAD + keys.len()).next_multiple_of(UNIT) - HEAD, 0);
    let mut bytes = Vec::from(count.to_le_bytes());
    bytes.extend_from_slice(&sum(number, count, &keys).to_le_bytes());
    bytes.extend_from_slice(&keys);
    bytes
}

/// The lists of a key in the bucket with this number. Keys with equal hashes share their lists.
pub fn lists(number: u32, bytes: &[u8], key: Key) -> Result<impl Iterator<Item = Result<PostingList<'_>>>> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or(Corrupt)?;
    let (count, expected) = parse_head(*head);
    if sum(number, count, rest) != expected {
        return Err(Corrupt);
    }
    let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(8)).ok_or(Corrupt)?;
    let (keys, entries) = rest.split_at_checked(length).ok_or(Corrupt)?;
    let (wanted, mut start) = (tag(key), 0);
    Ok(keys.as_chunks::<8>().0.iter().filter_map(move |&[t0, t1, t2, t3, e0, e1, e2, e3]| {
        let end = u32::from_le_bytes([e0, e1, e2, e3]);
        let from = std::mem::replace(&mut start, end & !OVERFLOW);
        ([t0, t1, t2, t3] == wanted)
            .then(|| list(entries.get(from as usize..(end & !OVERFLOW) as usize), end))
    }))
}

fn list(bytes: Option<&[u8]>, end: u32) -> Result<PostingList<'_>> {
    match bytes {
        Some(bytes) if end & OVERFLOW == 0 => Ok(PostingList::Inline(bytes)),
        Some(&[a, b, c, d]) => Ok(PostingList::Overflow(u32::from_le_bytes([a, b, c, d]))),
        _ => Err(Corrupt),
    }
}

/// The tag of a key in its bucket: the lower half of its hash. The keys of one bucket have similar upper halves.
fn tag(key: Key) -> [u8; 4] {
    let [a, b, c, d, ..] = key.0.to_le_bytes();
    [a, b, c, d]
}

fn sum(number: u32, count: u32, bytes: &[u8]) -> u32 {
    u32::try_from(checksum(u64::from(number) << 32 | u64::from(count), bytes) >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'b>(number: u32, bytes: &'b [u8], key: &str) -> Result<Vec<PostingList<'b>>, Corrupt> {
        lists(number, bytes, Key::of_tool(key))?.collect()
    }

    #[test]
    fn each_key_leads_to_its_list() {
        let keys = [
            ("a", PostingList::Inline(b"one")),
            ("b", PostingList::Overflow(70_000)),
            ("c", PostingList::Inline(b"")),
            ("d", PostingList::Inline(b"two")),
        ];
        let bytes = encode(5, &keys.map(|(key, list)| (Key::of_tool(key), list)));
        for (key, list) in keys {
            assert_eq!(found(5, &bytes, key), Ok(vec![list]), "{key}");
        }
        assert_eq!(found(5, &bytes, "e"), Ok(vec![]));
        assert_eq!(found(6, &bytes, "a"), Err(Corrupt));
    }

    #[test]
    fn keys_with_one_hash_share_their_lists() {
        let (key, lists) = (Key::of_tool("a"), [PostingList::Inline(b"one"), PostingList::Inline(b"two")]);
        assert_eq!(found(0, &encode(0, &lists.map(|list| (key, list))), "a"), Ok(lists.to_vec()));
    }

    #[test]
    fn damage_is_seen() {
        let bytes = encode(5, &[(Key::of_tool("a"), PostingList::Inline(b"one"))]);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(found(5, &damaged, "a"), Err(Corrupt), "{bit}");
        }
        for end in 0..bytes.len() {
            assert_eq!(found(5, &bytes[..end], "a"), Err(Corrupt), "{end}");
        }
    }
}
