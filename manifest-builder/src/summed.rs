//! Large files that are written piece by piece, with a sum of what is in them.
//!
//! Memory for a whole one, of hundreds of megabytes, would cost more than to write it. A sum is one that random damage
//! changes; it is no proof against a forger.

use std::io::{self, Write};
use std::iter::once;

use lessons_index::key::checksum;

/// So many bytes are summed and written at a time, up to a multiple of as many from the start of the file. The system
/// keeps what is written at once in one piece of memory where it can, and a hook maps that quicker than sixteen pages.
pub const PIECE_BYTES: usize = 1 << 16;

/// The sum of these bytes, which stand in their file from `at` on. `seed` sets one kind of file apart from another.
pub fn sum(seed: u64, at: usize, bytes: &[u8]) -> u64 {
    let (first, rest) = bytes.split_at(up_to_next_piece(at).min(bytes.len()));
    once(first).filter(|first| !first.is_empty()).chain(rest.chunks(PIECE_BYTES)).fold(seed, checksum)
}

/// How many bytes there are from `at` to the next piece.
fn up_to_next_piece(at: usize) -> usize {
    PIECE_BYTES - at % PIECE_BYTES
}

/// Passes on what is written, in pieces, and sums it.
#[derive(Debug)]
pub struct Summing<W> {
    to: W,
    sum: u64,
    /// The bytes of an incomplete piece.
    pending: Vec<u8>,
    /// How many bytes are missing from the piece.
    missing: usize,
}

impl<W: Write> Summing<W> {
    /// One that begins with `seed`. What is written first will stand in the file at `at`.
    pub fn new(seed: u64, at: usize, to: W) -> Self {
        let missing = up_to_next_piece(at);
        Self { to, sum: seed, pending: Vec::with_capacity(PIECE_BYTES), missing }
    }

    /// Writes the rest. Returns the writer and the [`sum()`] of everything.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
        if !self.pending.is_empty() {
            self.pass_on()?;
        }
        Ok((self.to, self.sum))
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.sum = checksum(self.sum, &self.pending);
        self.to.write_all(&self.pending)?;
        self.pending.clear();
        self.missing = PIECE_BYTES;
        Ok(())
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = bytes.get(..self.missing).unwrap_or(bytes);
        self.pending.extend_from_slice(now);
        self.missing -= now.len();
        if self.missing == 0 {
            self.pass_on()?;
        }
        Ok(now.len())
    }

    /// Nothing: a piece goes when it is whole, and the last with [`Summing::finish`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_written_at_a_time_all_is_passed_on_and_summed(
            lengths in prop::collection::vec(prop_oneof![0..9_usize, 0..3 * PIECE_BYTES], 0..6),
            at in prop_oneof![0..600_usize, 0..3 * PIECE_BYTES],
        ) {
            let whole: Vec<u8> = (0..lengths.iter().sum()).map(|at: usize| at.to_le_bytes()[at % 3]).collect();
            let mut writer = Summing::new(7, at, Vec::new());
            let mut rest = whole.as_slice();
            for length in lengths {
                let (now, later) = rest.split_at(length);
                writer.write_all(now).unwrap();
                rest = later;
            }
            prop_assert_eq!(writer.finish().unwrap(), (whole.clone(), sum(7, at, &whole)));
        }
    }

    #[test]
    fn pieces_end_where_those_of_the_file_do() {
        let mut writer = Summing::new(7, 512, Vec::new());
        let whole = PIECE_BYTES - 512;
        for (length, passed_on) in
            [(whole - 1, 0), (1, whole), (PIECE_BYTES - 1, whole), (2, whole + PIECE_BYTES)]
        {
            writer.write_all(&vec![7; length]).unwrap();
            assert_eq!(writer.to.len(), passed_on, "{length}");
        }
    }

    #[test]
    fn every_byte_and_the_seed_count() {
        let mut bytes = vec![7; PIECE_BYTES + 2];
        let before = sum(1, 9, &bytes);
        assert_ne!(sum(2, 9, &bytes), before);
        assert_ne!(sum(1, 9, &bytes[1..]), before);
        for at in [0, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1] {
            bytes[at] ^= 1;
            assert_ne!(sum(1, 9, &bytes), before, "{at}");
            bytes[at] ^= 1;
        }
    }
}
