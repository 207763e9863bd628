//! Standard input: the payload, read to its end.

use std::io::{self, ErrorKind, Read};
use std::os::fd::BorrowedFd;

use lessons_lesson::payload::{Contents, Payload, PayloadEnd, PayloadReader};

/// The size of the first reads, in bytes: enough for most payloads, without a memory page for the buffer.
const LITTLE: usize = 2 << 10;
/// The length up to which a payload is read in small pieces: eight system calls cost less than memory pages.
const SHORT: usize = 16 << 10;
/// The size of later reads, in bytes: the capacity of a pipe on Linux.
const MUCH: usize = 64 << 10;

/// Unbuffered input from a file descriptor.
pub(crate) struct UnbufferedInput(pub(crate) BorrowedFd<'static>);

impl Read for UnbufferedInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(nix::unistd::read(self.0, into)?)
    }
}

/// Reads a payload to its end. Bytes beyond the limit are drained all the same, or the client gets
/// `EPIPE`. An error ends the payload.
#[inline(never)] // So that its part of the stack is free again when it returns.
pub(crate) fn read(mut from: impl Read, contents: Contents) -> (Payload, PayloadEnd) {
    let mut reader = PayloadReader::new(contents);
    // On the stack, which later calls use again.
    let mut little = [0; LITTLE];
    let mut length = 0;
    while length < SHORT {
        match feed(&mut reader, &mut from, &mut little) {
            0 => return reader.finish(),
            more => length += more,
        }
    }
    let mut much = vec![0; MUCH];
    while feed(&mut reader, &mut from, &mut much) > 0 {}
    reader.finish()
}

/// Passes the next piece to the reader and returns its length: 0 at the end.
fn feed(reader: &mut PayloadReader, from: &mut impl Read, piece: &mut [u8]) -> usize {
    loop {
        match from.read(piece) {
            Ok(length) => {
                reader.feed(piece.get(..length).unwrap_or_default());
                return length;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use lessons_lesson::payload::LIMIT;

    use super::*;

    #[test]
    fn a_payload_beyond_the_limit_is_cut_and_drained() {
        let start = &br#"{"tool_name":"Bash","#[..];
        let mut source = start.chain(io::repeat(b' ').take(u64::try_from(LIMIT).unwrap()));
        let (payload, end) = read(&mut source, Contents::Keep);
        assert_eq!((payload.call.tool.as_ref(), end), ("Bash", PayloadEnd::Beyond));
        assert_eq!(source.into_inner().1.limit(), 0);
        assert_eq!(read(&b"{}"[..], Contents::Keep).1, PayloadEnd::Whole);
    }

    #[test]
    fn a_payload_comes_in_pieces_and_interruptions_do_not_end_it() {
        struct Halting<'a>(&'a [u8], bool);
        impl Read for Halting<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(ErrorKind::Interrupted.into());
                }
                self.0.read(&mut into[..1])
            }
        }
        let source = Halting(br#"{"tool_name":"Bash","tool_input":{"command":"git stash"}}"#, false);
        let (payload, end) = read(source, Contents::Keep);
        assert_eq!((payload.call.command.as_deref(), end), (Some("git stash"), PayloadEnd::Whole));
    }

    #[test]
    fn an_error_leaves_what_came_before_it() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(ErrorKind::Other.into())
            }
        }
        let source = (&br#"{"session_id":"s","#[..]).chain(Failing);
        let (payload, end) = read(source, Contents::Keep);
        assert_eq!((payload.session_id.as_deref(), end), (Some("s"), PayloadEnd::Broken));
    }
}
