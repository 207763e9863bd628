//! Blocks of 64 bytes with a checksum each.
//!
//! The parts of the index that are read at random places consist of blocks: seven words of content and one word of
//! checksum. So a reader checks the block of the word that it reads, and needs to read nothing else for that.

use super::corrupt::{Corrupt, Result};
use super::key::{SPREAD, multiplied};

/// The size of a block, in bytes.
pub const BYTES: usize = 64;
/// The number of words of content in a block.
pub const WORDS: usize = 7;

/// A block's content.
pub type Block = [u64; WORDS];

/// The checksum of a block. `place` is the block's number in its part, so that no block passes for another. Nearly every
/// gram of a call needs a checksum, so its steps are independent of each other.
#[inline]
fn sum(place: u32, content: &Block) -> u64 {
    let place = u64::from(place);
    let pairs =
        [(content[0], content[1]), (content[2], content[3]), (content[4], content[5]), (content[6], place)];
    let products = pairs
        .into_iter()
        .zip(SPREAD)
        .map(|((one, other), spread)| multiplied(one ^ spread, other ^ spread.rotate_left(32)));
    products.fold(0, |sum, product| sum ^ product)
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
pub fn decode(place: u32, bytes: &[u8]) -> Result<Block> {
    let (words, []) = bytes.as_chunks::<8>() else { return Err(Corrupt) };
    let [content @ .., check] = words else { return Err(Corrupt) };
    let content: &[[u8; 8]; WORDS] = content.try_into().map_err(|_| Corrupt)?;
    let content = content.map(u64::from_le_bytes);
    if sum(place, &content) == u64::from_le_bytes(*check) { Ok(content) } else { Err(Corrupt) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_is_seen_where_it_is_read() {
        let content = [1, 2, 3, 4, 5, 6, u64::MAX];
        let bytes = encode(9, &content);
        assert_eq!(decode(9, &bytes), Ok(content));
        assert_eq!(decode(8, &bytes), Err(Corrupt));
        assert_eq!(decode(9, &bytes[..63]), Err(Corrupt));
        for bit in 0..BYTES * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(9, &damaged), Err(Corrupt));
        }
    }

    #[test]
    fn words_that_stand_elsewhere_are_seen() {
        let bytes = encode(9, &[1, 2, 3, 4, 5, 6, 7]);
        let mut turned = bytes;
        turned[..56].rotate_left(8);
        assert_eq!(decode(9, &turned), Err(Corrupt));
    }
}
