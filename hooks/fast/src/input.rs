//! Standard input, read to its end.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use lessons_core::payload::{Contents, End, Payload, Reader};
use rustix::io::{Errno, read};

use crate::standard;

/// How much is read at a time at first, in bytes: most payloads, and not so much that they need a page of their own.
const LITTLE: usize = 2 << 10;
/// So much of a payload is read a little at a time: to ask the system eight times costs less than pages of memory.
const SHORT: usize = 16 << 10;
/// How much is read at a time behind that: what a pipe holds on Linux.
const MUCH: usize = 64 << 10;

/// Reads everything that the client wrote. An error ends the payload where it comes.
#[inline(never)] // So that its part of the stack is free again when it returns.
pub(crate) fn payload(contents: Contents) -> (Payload, End) {
    let mut reader = Reader::new(contents);
    // On the stack, which what comes later uses again.
    let mut little = [MaybeUninit::uninit(); LITTLE];
    let mut length = 0;
    while length < SHORT {
        match feed(&mut reader, &mut little) {
            0 => return reader.finish(),
            more => length += more,
        }
    }
    let mut much = Vec::with_capacity(MUCH);
    while feed(&mut reader, much.spare_capacity_mut()) > 0 {}
    reader.finish()
}

/// Feeds the reader with the next piece, and returns how long that was: 0 at the end.
fn feed(reader: &mut Reader, piece: &mut [MaybeUninit<u8>]) -> usize {
    loop {
        match read(standard::input(), &mut *piece) {
            Ok((filled, _)) => {
                reader.feed(filled);
                return filled.len();
            }
            Err(Errno::INTR) => {}
            Err(_) => return 0,
        }
    }
}
