//! Standard input, read to its end.

use std::io::{ErrorKind, Read};

use lessons_core::payload::{Contents, End, Payload, Reader};

/// How much is read at a time, in bytes: what a pipe holds on Linux.
const PIECE: usize = 64 << 10;

/// Reads everything the client wrote. What is beyond the limit is drained all the same, or the client gets
/// `EPIPE`. An error ends the payload where it comes.
pub(crate) fn read(mut from: impl Read, contents: Contents) -> (Payload, End) {
    let mut reader = Reader::new(contents);
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => reader.feed(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use std::io;

    use lessons_core::payload::LIMIT;

    use super::*;

    #[test]
    fn a_payload_beyond_the_limit_is_cut_and_drained() {
        let start = &br#"{"tool_name":"Bash","#[..];
        let mut source = start.chain(io::repeat(b' ').take(u64::try_from(LIMIT).unwrap()));
        let (payload, end) = read(&mut source, Contents::Keep);
        assert_eq!((payload.call.tool.as_ref(), end), ("Bash", End::Beyond));
        assert_eq!(source.into_inner().1.limit(), 0);
        assert_eq!(read(&b"{}"[..], Contents::Keep).1, End::Whole);
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
        assert_eq!((payload.call.command.as_deref(), end), (Some("git stash"), End::Whole));
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
        assert_eq!((payload.session_id.as_deref(), end), (Some("s"), End::Broken));
    }
}
