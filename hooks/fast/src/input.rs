//! Standard input, read to its end.

use lessons_core::payload::{Contents, End, Payload, Reader};
use rustix::io::{read, retry_on_intr};

use crate::standard;

/// How much is read at a time, in bytes: what a pipe holds on Linux.
const PIECE: usize = 64 << 10;

/// Reads everything that the client wrote. An error ends the payload where it comes.
pub(crate) fn payload(contents: Contents) -> (Payload, End) {
    let mut reader = Reader::new(contents);
    let mut piece = alloc::vec::Vec::with_capacity(PIECE);
    loop {
        piece.clear();
        match retry_on_intr(|| read(standard::input(), rustix::buffer::spare_capacity(&mut piece))) {
            Ok(0) | Err(_) => break,
            Ok(_) => reader.feed(&piece),
        }
    }
    reader.finish()
}
