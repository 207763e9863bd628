//! A file of lines that comes in pieces of any size.
//!
//! Holds: nothing panics; the reader finds the lines of a plain split that hold the text, with their
//! offsets and numbers, whatever the sizes of reads and limits; long lines come whole, as pieces.

#![no_main]

use std::io::{self, Read};

use arbitrary::Arbitrary;
use lessons_scanner::transcript::line::{Limits, LineRegion, LineSearch};
use libfuzzer_sys::fuzz_target;
use memchr::memmem::{self, Finder};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    chunk: u8,
    more: u8,
    sizes: [u8; 4],
    needle: [u8; 2],
    needle_length: u8,
    bytes: &'a [u8],
}

/// A source that gives as much as it likes at a time.
struct Drip<'a> {
    bytes: &'a [u8],
    sizes: [u8; 4],
    turn: usize,
}

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::from(self.sizes[self.turn % self.sizes.len()]).max(1);
        self.turn += 1;
        let size = wanted.min(into.len()).min(self.bytes.len());
        into[..size].copy_from_slice(&self.bytes[..size]);
        self.bytes = &self.bytes[size..];
        Ok(size)
    }
}

fuzz_target!(|input: Input<'_>| {
    let chunk = usize::from(input.chunk).max(1);
    let limits = Limits { chunk, line: chunk + usize::from(input.more) };
    let needle = &input.needle[..usize::from(input.needle_length) % 3];
    // A line holds no line feed, so a text with one is asked for by nobody.
    if needle.contains(&b'\n') {
        return;
    }
    let (expected, whole_lines, offset) = split(input.bytes, needle, limits.line);

    let source = Drip { bytes: input.bytes, sizes: input.sizes, turn: 0 };
    let mut search = LineSearch::with_limits(source, 0, limits);
    let finder = Finder::new(needle);
    let mut found: Vec<(u64, u64, Vec<u8>)> = Vec::new();
    while let Some(region) = search.next_region().expect("the source has no errors") {
        match region {
            LineRegion::Lines(lines) => {
                found.extend(lines.with(&finder).map(|line| (line.offset, line.number, line.bytes.to_vec())));
            }
            LineRegion::LongPiece(piece) => match found.last_mut() {
                Some((offset, _, bytes)) if *offset == piece.offset => bytes.extend(piece.bytes),
                _ => found.push((piece.offset, piece.number, piece.bytes.to_vec())),
            },
        }
    }
    assert_eq!(found, expected);
    assert_eq!((search.lines, search.offset()), (whole_lines, offset));
});

/// The same by a plain split: the lines that are found, how many there are, and where the last ends.
fn split(bytes: &[u8], needle: &[u8], longest: usize) -> (Vec<(u64, u64, Vec<u8>)>, u64, u64) {
    let mut pieces: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let tail = pieces.pop().unwrap_or_default();
    let (mut found, mut offset, mut number) = (Vec::new(), 0, 1);
    for piece in &pieces {
        if piece.len() > longest {
            found.push((offset, number, piece.to_vec()));
        } else if memmem::find(piece, needle).is_some() {
            let text = piece.strip_suffix(b"\r").unwrap_or(piece);
            let text = if offset == 0 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
            found.push((offset, number, text.to_vec()));
        }
        offset += piece.len() as u64 + 1;
        number += 1;
    }
    if tail.len() > longest {
        found.push((offset, number, tail.to_vec()));
    }
    (found, pieces.len() as u64, offset)
}
