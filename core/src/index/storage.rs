//! Reading records, wherever the index is kept.

use alloc::vec;
use alloc::vec::Vec;

use super::header::Span;
use super::key::checksum;
use super::postings;
use super::record::Cursor;
use super::{Damaged, block};

/// The bytes of an index, to be read at any place.
pub trait Storage {
    /// Fills `into` with the bytes from `at` on, all of it.
    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Damaged>;
}

impl Storage for &[u8] {
    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Damaged> {
        let start = usize::try_from(at).map_err(|_| Damaged)?;
        let end = start.checked_add(into.len()).ok_or(Damaged)?;
        into.copy_from_slice(self.get(start..end).ok_or(Damaged)?);
        Ok(())
    }
}

/// The bytes of an entry that says where a record is: its start, its length and its sum.
pub const PLACE_BYTES: usize = 16;

/// Which records these are. A record's sum depends on it, so that none passes for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Triggers.
    Trigger,
    /// When, where and how lessons fire.
    Terms,
    /// What lessons say.
    Texts,
}

fn record_sum(kind: Kind, position: u32, record: &[u8]) -> u32 {
    let sum = checksum((kind as u64) << 32 | u64::from(position), record);
    u32::try_from(sum >> 32).unwrap_or(0)
}

/// The entry for a record that starts at `at`.
pub fn encode_place(kind: Kind, position: u32, at: u64, record: &[u8]) -> [u8; PLACE_BYTES] {
    let mut entry = [0; PLACE_BYTES];
    let (start, rest) = entry.split_at_mut(8);
    let (length, sum) = rest.split_at_mut(4);
    start.copy_from_slice(&at.to_le_bytes());
    length.copy_from_slice(&u32::try_from(record.len()).unwrap_or(u32::MAX).to_le_bytes());
    sum.copy_from_slice(&record_sum(kind, position, record).to_le_bytes());
    entry
}

/// Reads and checks a record. `places` is where the entries of its kind are, `size` that of the index.
pub fn record(
    storage: &impl Storage,
    size: u64,
    places: Span,
    kind: Kind,
    position: u32,
) -> Result<Vec<u8>, Damaged> {
    let offset = u64::from(position) * PLACE_BYTES as u64;
    if offset + PLACE_BYTES as u64 > places.length {
        return Err(Damaged);
    }
    let mut entry = [0; PLACE_BYTES];
    storage.read(places.at + offset, &mut entry)?;
    let mut entry = Cursor::new(&entry);
    let (at, length, sum) = (entry.long()?, entry.short()?, entry.short()?);
    // Before memory is asked for: a damaged length must not ask for more than there is.
    if at.checked_add(u64::from(length)).is_none_or(|end| end > size) {
        return Err(Damaged);
    }
    let mut record = vec![0; length as usize];
    storage.read(at, &mut record)?;
    if record_sum(kind, position, &record) == sum { Ok(record) } else { Err(Damaged) }
}

/// Reads and checks the list of postings at `place`, in bytes from the start of `span`: see
/// [`postings::each`].
pub fn list(storage: &impl Storage, span: Span, place: u32) -> Result<Vec<u8>, Damaged> {
    /// Most lists are short: one read gets all of such a one.
    const SHORT: usize = 256;
    let left = span.length.checked_sub(u64::from(place)).ok_or(Damaged)?;
    let at = span.at + u64::from(place);
    let mut list = vec![0; usize::try_from(left).map_or(SHORT, |left| left.min(SHORT))];
    storage.read(at, &mut list)?;
    let head = *list.first_chunk().ok_or(Damaged)?;
    let length = u64::from(postings::decode_head(head).0) + postings::HEAD as u64;
    // Before memory is asked for.
    if length > left {
        return Err(Damaged);
    }
    let read = list.len();
    list.resize(usize::try_from(length).map_err(|_| Damaged)?, 0);
    if let Some(rest) = list.get_mut(read..) {
        storage.read(at + read as u64, rest)?;
    }
    list.drain(..postings::HEAD);
    postings::check(place, head, &list)?;
    Ok(list)
}

/// Reads the block at `place` of a part made of blocks.
pub fn block(storage: &impl Storage, span: Span, place: u32) -> Result<[u8; block::BYTES], Damaged> {
    let mut bytes = [0; block::BYTES];
    let offset = u64::from(place) * block::BYTES as u64;
    if offset + block::BYTES as u64 > span.length {
        return Err(Damaged);
    }
    storage.read(span.at + offset, &mut bytes)?;
    Ok(bytes)
}
