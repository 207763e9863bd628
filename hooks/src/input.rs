//! Standard input: the payload, read to its end.

use std::io::{self, ErrorKind, Read};
use std::os::fd::BorrowedFd;

use lessons_lesson::payload::LIMIT;
use lessons_lesson::{Contents, MCP, Payload, PayloadEnd, PayloadReader, may_run_commands};

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

/// The most bytes of a payload that are kept as they came, for a call that is put to the person.
const KEPT: usize = 80 << 10;

/// A payload that was read to its end.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) payload: Payload,
    pub(crate) end: PayloadEnd,
    /// The bytes as they came, of a tool of which the hook keeps them. Empty for other tools, and where there are too many
    /// bytes.
    pub(crate) raw: Vec<u8>,
}

/// Reads everything. Nothing where there is more than [`LIMIT`], which is drained all the same.
pub(crate) fn whole(mut from: impl Read) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LITTLE);
    let most = u64::try_from(LIMIT).unwrap_or(u64::MAX);
    let is_read = from.by_ref().take(most).read_to_end(&mut bytes);
    let is_more = io::copy(&mut from, &mut io::sink()).is_ok_and(|rest| rest > 0);
    if is_read.is_err() || is_more { Vec::new() } else { bytes }
}

/// Reads a payload to its end. Bytes beyond the limit are drained all the same, or the client gets
/// `EPIPE`. An error ends the payload.
#[inline(never)] // So that its part of the stack is free again when it returns.
pub(crate) fn read(mut from: impl Read, contents: Contents, most_kept: fn(&str) -> usize) -> Input {
    let mut reader = PayloadReader::new(contents);
    let mut raw = Raw { bytes: Vec::new(), most_kept };
    // On the stack, which later calls use again.
    let mut little = [0; LITTLE];
    let mut length = 0;
    while length < SHORT {
        match feed(&mut reader, &mut from, &mut little, &mut raw) {
            0 => return finish(reader, raw),
            more => length += more,
        }
    }
    let mut much = vec![0; MUCH];
    while feed(&mut reader, &mut from, &mut much, &mut raw) > 0 {}
    finish(reader, raw)
}

fn finish(reader: PayloadReader, raw: Raw) -> Input {
    let (payload, end) = reader.finish();
    let are_all = raw.bytes.len() <= (raw.most_kept)(&payload.call.tool);
    Input { payload, end, raw: if are_all { raw.bytes } else { Vec::new() } }
}

/// The bytes of a payload as they come.
struct Raw {
    bytes: Vec<u8>,
    /// The most bytes that are kept of the payload of a tool.
    most_kept: fn(&str) -> usize,
}

/// The most bytes that are kept of the payload of a tool whose input may be passed on or looked through. The client names
/// the tool before its input.
pub(crate) fn of_calls(tool: &str) -> usize {
    match tool {
        "" => KEPT,
        tool if tool.starts_with(MCP) => LIMIT,
        tool if may_run_commands(tool) => KEPT,
        _ => 0,
    }
}

/// Passes the next piece to the reader and returns its length: 0 at the end.
fn feed(reader: &mut PayloadReader, from: &mut impl Read, piece: &mut [u8], raw: &mut Raw) -> usize {
    loop {
        match from.read(piece) {
            Ok(length) => {
                let piece = piece.get(..length).unwrap_or_default();
                reader.feed(piece);
                // One byte too many is kept, so that it shows that not all are there.
                let room = ((raw.most_kept)(reader.tool()) + 1).saturating_sub(raw.bytes.len());
                raw.bytes.extend_from_slice(piece.get(..room.min(length)).unwrap_or_default());
                return length;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_beyond_the_limit_is_cut_and_drained() {
        let start = &br#"{"tool_name":"Bash","#[..];
        let mut source = start.chain(io::repeat(b' ').take(u64::try_from(LIMIT).unwrap()));
        let Input { payload, end, .. } = read(&mut source, Contents::Keep, of_calls);
        assert_eq!((payload.call.tool.as_ref(), end), ("Bash", PayloadEnd::Beyond));
        assert_eq!(source.into_inner().1.limit(), 0);
        assert_eq!(read(&b"{}"[..], Contents::Keep, of_calls).end, PayloadEnd::Whole);
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
        let Input { payload, end, .. } = read(source, Contents::Keep, of_calls);
        assert_eq!((payload.call.command.as_deref(), end), (Some("git stash"), PayloadEnd::Whole));
    }

    #[test]
    fn the_bytes_are_kept_of_calls_that_may_be_put_to_a_person_and_only_if_all_are_there() {
        let payload = |tool: &str, length: usize| {
            format!(r#"{{"tool_name":"{tool}","tool_input":{{"x":"{}"}}}}"#, "x".repeat(length))
        };
        let kept = |tool, length| {
            let payload = payload(tool, length);
            let raw = read(payload.as_bytes(), Contents::Keep, of_calls).raw;
            assert!(raw.is_empty() || raw == payload.as_bytes());
            !raw.is_empty()
        };
        assert!(kept("Bash", 10) && kept("Bash", 70_000) && !kept("Bash", 90_000));
        assert!(kept("mcp__a__write", 90_000) && !kept("Edit", 10) && !kept("Read", 3_000));
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
        let Input { payload, end, .. } = read(source, Contents::Keep, of_calls);
        assert_eq!((payload.session_id.as_deref(), end), (Some("s"), PayloadEnd::Broken));
    }
}
