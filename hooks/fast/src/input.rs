//! Standard input, read to its end.

use alloc::vec::Vec;

use lessons_core::payload::{Contents, End, Payload, Reader};
use rustix::io::{read, retry_on_intr};

use crate::standard;

/// How much is read at first, in bytes: most payloads, and not so much that they need a page of their own.
const FIRST: usize = 2 << 10;
/// How much is read at a time once a payload has turned out to be longer: what a pipe holds on Linux.
const PIECE: usize = 64 << 10;

/// Reads everything that the client wrote. An error ends the payload where it comes.
pub(crate) fn payload(contents: Contents) -> (Payload, End) {
    let mut reader = Reader::new(contents);
    let mut piece = Vec::with_capacity(FIRST);
    loop {
        piece.clear();
        match retry_on_intr(|| read(standard::input(), rustix::buffer::spare_capacity(&mut piece))) {
            Ok(0) | Err(_) => break,
            Ok(count) => {
                reader.feed(&piece);
                if count >= FIRST && piece.capacity() < PIECE {
                    piece = Vec::with_capacity(PIECE);
                }
            }
        }
    }
    reader.finish()
}
