//! Records that are read one at a time, wherever the index is kept.
//!
//! A record is the length of its content and a sum of it, in four bytes each, and then the content. It begins at a
//! multiple of [`UNIT`] bytes from the start of its part, and is known by that: by its *place*, in units. So whoever
//! knows a place needs one read.

use std::ops::Range;

use super::corrupt::{Corrupt, Result};
use super::header::{Part, Span};
use super::key::checksum;

/// The bytes of an index, to be read at any place.
pub trait Storage {
    /// Fills `into` with the bytes from `at` on, all of it.
    fn read(&self, at: u64, into: &mut [u8]) -> Result<()>;
}

impl Storage for &[u8] {
    fn read(&self, at: u64, into: &mut [u8]) -> Result<()> {
        let start = usize::try_from(at).map_err(|_| Corrupt)?;
        let end = start.checked_add(into.len()).ok_or(Corrupt)?;
        into.copy_from_slice(self.get(start..end).ok_or(Corrupt)?);
        Ok(())
    }
}

/// A place, in bytes.
pub const UNIT: usize = 8;
/// The bytes in front of a record's content.
pub const HEAD: usize = 8;
/// So much memory is asked for at least: what nearly all records of shipped triggers need, and no more, so that a
/// call that nothing matches needs two pages of memory.
const LEAST_MEMORY: usize = 2816;

/// The number of bytes that are read of a record whose length is not known: all of most, and not much of the next.
fn usual_bytes(part: Part) -> usize {
    match part {
        Part::Triggers => LEAST_MEMORY,
        Part::Lessons => 2 << 10,
        _ => 1 << 10,
    }
}

/// A record that was read from a storage, always the same one. What was read along with it is kept, so that the same
/// record again and small ones behind it need no further read.
#[derive(Debug, Default)]
pub struct Record {
    bytes: Vec<u8>,
    /// Which bytes of the storage `bytes` begins with.
    held: Range<u64>,
    /// Where the content is in `bytes`.
    content: Range<usize>,
}

impl Record {
    /// Its content.
    pub fn content(&self) -> &[u8] {
        self.bytes.get(self.content.clone()).unwrap_or_default()
    }

    /// Reads so many bytes, in place of the record: memory that was used before costs nothing.
    pub fn read_bytes(&mut self, storage: &dyn Storage, at: u64, length: usize) -> Result<&[u8]> {
        self.content = 0..0;
        let start = self.hold(storage, at, length, length)?;
        self.bytes.get(start..).and_then(|bytes| bytes.get(..length)).ok_or(Corrupt)
    }

    /// Reads and checks a record of `part`, in place of what is here.
    pub fn read(&mut self, storage: &dyn Storage, span: Span, part: Part, place: u32) -> Result<()> {
        self.content = 0..0;
        let offset = u64::from(place) * UNIT as u64;
        let left = span.length.checked_sub(offset).ok_or(Corrupt)?;
        let at = span.at.checked_add(offset).ok_or(Corrupt)?;
        let usual = usize::try_from(left).map_or(usual_bytes(part), |left| left.min(usual_bytes(part)));
        let start = self.hold(storage, at, HEAD, usual)?;
        let head = self.bytes.get(start..).and_then(|bytes| bytes.first_chunk()).ok_or(Corrupt)?;
        let (length, expected) = parse_head(*head);
        let end = HEAD.checked_add(length as usize).ok_or(Corrupt)?;
        // Before memory is asked for: a damaged length must not ask for more than there is.
        if end as u64 > left {
            return Err(Corrupt);
        }
        let start = self.hold(storage, at, end, end)?;
        let content = start + HEAD..start + end;
        if sum(part, place, self.bytes.get(content.clone()).ok_or(Corrupt)?) != expected {
            return Err(Corrupt);
        }
        self.content = content;
        Ok(())
    }

    /// Where in `bytes` the bytes of the storage from `at` on are. If `least` of them are not held, `length` are read.
    fn hold(&mut self, storage: &dyn Storage, at: u64, least: usize, length: usize) -> Result<usize> {
        let end = at.checked_add(least as u64).ok_or(Corrupt)?;
        if self.held.start <= at && end <= self.held.end {
            return usize::try_from(at - self.held.start).map_err(|_| Corrupt);
        }
        self.held = 0..0;
        if self.bytes.len() < length {
            // Not extended: new memory is zero, and need not be made so.
            self.bytes = vec![0; length.max(LEAST_MEMORY)];
        }
        storage.read(at, self.bytes.get_mut(..length).ok_or(Corrupt)?)?;
        self.held = at..at + length as u64;
        Ok(0)
    }
}

/// What stands before and behind the content of a record at this place of its part.
pub fn frame(part: Part, place: u32, content: &[u8]) -> ([u8; HEAD], &'static [u8]) {
    let mut head = [0; HEAD];
    let (length, sum_of_it) = head.split_at_mut(4);
    length.copy_from_slice(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes());
    sum_of_it.copy_from_slice(&sum(part, place, content).to_le_bytes());
    let unused = content.len().next_multiple_of(UNIT) - content.len();
    (head, [0; UNIT].get(..unused).unwrap_or_default())
}

/// The place so many bytes from the start of a part.
pub fn place(bytes: usize) -> u32 {
    u32::try_from(bytes / UNIT).unwrap_or(u32::MAX)
}

/// Where records of these lengths, one after the other, have their places.
pub fn places(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = u32> {
    lengths.scan(0, |end: &mut usize, length| {
        let start = *end;
        *end = (start + HEAD + length).next_multiple_of(UNIT);
        Some(place(start))
    })
}

/// The records of a part, in order: the place and the content of each, unchecked: for who has verified the part, or checks each
/// record.
pub fn records(part: &[u8]) -> impl Iterator<Item = Result<(u32, &[u8])>> {
    let mut rest = part;
    std::iter::from_fn(move || {
        let place = place(part.len() - rest.len());
        let record = if rest.is_empty() { return None } else { first(rest) };
        // What follows damage is not read.
        rest = record.map_or(&[], |(_, after)| after);
        Some(record.map(|(content, _)| (place, content)).ok_or(Corrupt))
    })
}

fn first(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, _) = parse_head(*part.first_chunk()?);
    let end = HEAD.checked_add(length as usize)?;
    Some((part.get(HEAD..end)?, part.get(end.checked_next_multiple_of(UNIT)?..)?))
}

/// The length of a record's content, or another number, and a sum.
pub(super) fn parse_head(head: [u8; HEAD]) -> (u32, u32) {
    let [a, b, c, d, s0, s1, s2, s3] = head;
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([s0, s1, s2, s3]))
}

fn sum(part: Part, place: u32, content: &[u8]) -> u32 {
    let sum = checksum((part as u64) << 32 | u64::from(place), content);
    u32::try_from(sum >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const START: usize = 12;

    /// Records of many lengths behind something else, and their places.
    fn part() -> (Vec<u8>, Span, Vec<u32>) {
        let mut bytes = vec![7; START];
        let lengths = [0, 1, 7, 8, 9, 5000];
        let places: Vec<u32> = places(lengths.into_iter()).collect();
        for (length, place) in lengths.into_iter().zip(&places) {
            assert_eq!(*place, self::place(bytes.len() - START));
            let content = vec![5; length];
            let (head, rest) = frame(Part::Triggers, *place, &content);
            bytes.extend([&head, content.as_slice(), rest].concat());
        }
        let span = Span { at: START as u64, length: (bytes.len() - START) as u64 };
        (bytes, span, places)
    }

    #[test]
    fn a_record_is_read_at_its_place() {
        let (bytes, span, places) = part();
        let mut record = Record::default();
        for (place, length) in places.iter().zip([0, 1, 7, 8, 9, 5000]) {
            record.read(&bytes.as_slice(), span, Part::Triggers, *place).unwrap();
            assert_eq!(record.content(), vec![5; length]);
            assert_eq!(record.read(&bytes.as_slice(), span, Part::Lessons, *place), Err(Corrupt));
            assert_eq!(record.content(), [0_u8; 0]);
        }
        let beyond = u32::try_from(bytes.len()).unwrap();
        assert_eq!(record.read(&bytes.as_slice(), span, Part::Triggers, beyond), Err(Corrupt));
        let (found, lengths): (Vec<u32>, Vec<usize>) = records(&bytes[START..])
            .map(Result::unwrap)
            .map(|(place, content)| (place, content.len()))
            .unzip();
        assert_eq!((found, lengths.as_slice()), (places, [0, 1, 7, 8, 9, 5000].as_slice()));
    }

    /// A storage that counts its reads.
    struct Counted<'a>(&'a [u8], Cell<usize>);

    impl Storage for Counted<'_> {
        fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Corrupt> {
            self.1.set(self.1.get() + 1);
            self.0.read(at, into)
        }
    }

    #[test]
    fn what_was_read_along_with_a_record_is_not_read_again() {
        let (bytes, span, places) = part();
        let (storage, mut record) = (Counted(&bytes, Cell::default()), Record::default());
        let mut read = |at: usize| {
            record.read(&storage, span, Part::Triggers, places[at]).unwrap();
            (record.content().len(), storage.1.get())
        };
        let reads = [0, 1, 4, 1, 5, 5, 4, 3].map(&mut read);
        assert_eq!(reads, [(0, 1), (1, 1), (9, 1), (1, 1), (5000, 2), (5000, 2), (9, 3), (8, 4)]);
    }

    #[test]
    fn a_record_that_is_damaged_or_ends_early_is_refused() {
        let (bytes, span, places) = part();
        let place = places[4];
        let read = |bytes: &[u8], span| Record::default().read(&bytes, span, Part::Triggers, place);
        let start = START + place as usize * UNIT;
        for bit in 0..(HEAD + 9) * 8 {
            let mut damaged = bytes.clone();
            damaged[start + bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&damaged, span), Err(Corrupt), "{bit}");
        }
        for length in 0..HEAD + 9 {
            let span = Span { length: (start - START + length) as u64, ..span };
            assert_eq!(read(&bytes, span), Err(Corrupt), "{length}");
        }
        assert!(records(&bytes[START..bytes.len() - UNIT]).any(|record| record.is_err()));
    }
}
