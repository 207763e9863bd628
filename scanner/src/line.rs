//! The lines of a transcript that hold a text, in bounded memory.
//!
//! A history is a gigabyte with a handful of tags in it. So the bytes are searched as they come, in
//! large pieces, and a line is looked for only around a hit. Offsets are exact whatever the bytes
//! are: a line ends at a line feed and nowhere else (U+2028 is text, a carriage return before the
//! line feed is not), and what comes after the last line feed is no line yet.

use std::io::{self, Read};

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};

/// How much is read, and kept, at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes per read.
    pub chunk: usize,
    /// The longest line that is kept whole, in bytes; at least a chunk, so that only the first line of
    /// the buffer can be longer.
    pub line: usize,
}

impl Default for Limits {
    /// 256 KiB a read (larger ones are not faster) and 8 MiB a line.
    fn default() -> Self {
        Self { chunk: 256 << 10, line: 8 << 20 }
    }
}

/// The UTF-8 byte order mark, which some editors put at the start of a file.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A part of a file that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'b> {
    /// A whole line.
    Line(Line<'b>),
    /// A piece of a line that is too long to be kept. The pieces come in order, whether or not they
    /// hold what is searched.
    LongPiece(Line<'b>),
}

/// A line, or a piece of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'b> {
    /// Where the line starts in the file.
    pub offset: u64,
    /// Which line it is, as counted from where the search began, from 1.
    pub number: u64,
    /// Its bytes, without line feed, carriage return before it and byte order mark.
    pub bytes: &'b [u8],
}

/// Goes through a file and finds the lines that hold a text.
#[derive(Debug)]
pub struct LineSearch<R> {
    source: R,
    limits: Limits,
    buffer: Vec<u8>,
    /// The offset in the file of the first byte of the buffer.
    base: u64,
    /// Up to here the buffer was searched; always at the start of a line.
    searched: usize,
    /// Up to here the buffer holds whole lines.
    whole: usize,
    /// The start of the too long line in which the buffer stands.
    long: Option<u64>,
    lines: u64,
    long_lines: u64,
    ended: bool,
}

impl<R: Read> LineSearch<R> {
    /// Reads from `source`, whose first byte is at `offset` of its file and starts a line.
    pub fn new(source: R, offset: u64) -> Self {
        Self::with_limits(source, offset, Limits::default())
    }

    /// As [`LineSearch::new`], with other limits.
    pub fn with_limits(source: R, offset: u64, limits: Limits) -> Self {
        Self {
            source,
            limits: Limits { chunk: limits.chunk, line: limits.line.max(limits.chunk) },
            buffer: Vec::new(),
            base: offset,
            searched: 0,
            whole: 0,
            long: None,
            lines: 0,
            long_lines: 0,
            ended: false,
        }
    }

    /// How many whole lines were passed so far, too long ones counted.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many of them were too long to be kept.
    pub fn long_lines(&self) -> u64 {
        self.long_lines
    }

    /// Where the next line starts: the offset to go on from another time. After the last line, what
    /// follows it is half a line and is read again then.
    pub fn offset(&self) -> u64 {
        self.long.unwrap_or(self.base + self.searched as u64)
    }

    /// What follows the last line feed, once there are no more lines. `None` when that is nothing, or
    /// longer than a line may be.
    pub fn tail(&self) -> Option<Line<'_>> {
        let open = self.ended && self.long.is_none() && self.searched < self.buffer.len();
        open.then(|| Line {
            offset: self.base + self.searched as u64,
            number: self.lines + 1,
            bytes: trimmed(&self.buffer[self.searched..], self.base + self.searched as u64),
        })
    }

    /// Where the tail ends: the offset of the first byte that was not read.
    pub fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    /// The next line that holds the text, or the next piece of a too long one. With an empty text,
    /// every line.
    pub fn next_with(&mut self, wanted: &Finder<'_>) -> io::Result<Option<Part<'_>>> {
        loop {
            if self.searched < self.whole {
                if let Some((start, end)) = self.find(wanted) {
                    let offset = self.base + start as u64;
                    let bytes = trimmed(&self.buffer[start..end], offset);
                    return Ok(Some(Part::Line(Line { offset, number: self.lines, bytes })));
                }
                continue;
            }
            if self.ended {
                return Ok(None);
            }
            self.drop_searched();
            if let Some((offset, piece)) = self.fill()? {
                // A piece that ends its line has been counted already.
                let number = self.lines + u64::from(self.long.is_some());
                let bytes = &self.buffer[..piece];
                return Ok(Some(Part::LongPiece(Line { offset, number, bytes })));
            }
        }
    }

    /// The next line in the buffer with the text, as a range without its line feed.
    fn find(&mut self, wanted: &Finder<'_>) -> Option<(usize, usize)> {
        let lines = &self.buffer[self.searched..self.whole];
        let Some(hit) = wanted.find(lines) else {
            self.lines += memchr_iter(b'\n', lines).count() as u64;
            self.searched = self.whole;
            return None;
        };
        self.lines += memchr_iter(b'\n', &lines[..hit]).count() as u64 + 1;
        let start = memrchr(b'\n', &lines[..hit]).map_or(0, |at| at + 1);
        // Every line of the region ends with a line feed, so there is one.
        let end = memchr(b'\n', &lines[hit..]).map_or(lines.len(), |at| hit + at);
        let found = (self.searched + start, self.searched + end);
        self.searched = (found.1 + 1).min(self.whole);
        Some(found)
    }

    /// Forgets the part of the buffer that was searched. A piece of a long line was, all of it.
    fn drop_searched(&mut self) {
        self.buffer.drain(..self.searched);
        self.base += self.searched as u64;
        self.searched = 0;
        self.whole = 0;
    }

    /// Reads one chunk. When the buffer then starts with a piece of a long line, returns where that
    /// line starts in the file, and how much of the buffer is of it.
    fn fill(&mut self) -> io::Result<Option<(u64, usize)>> {
        // Nothing here holds a line feed: all lines before were searched.
        let before = self.buffer.len();
        self.buffer.resize(before + self.limits.chunk, 0);
        let read = read_some(&mut self.source, &mut self.buffer[before..]);
        self.buffer.truncate(before + read.as_ref().map_or(0, |&read| read));
        if read? == 0 {
            self.ended = true;
            return Ok(None);
        }
        let fresh = &self.buffer[before..];
        self.whole = memrchr(b'\n', fresh).map_or(0, |at| before + at + 1);

        let end = memchr(b'\n', fresh).map(|at| before + at);
        let piece = end.unwrap_or(self.buffer.len());
        if self.long.is_none() && piece <= self.limits.line {
            return Ok(None);
        }
        let start = *self.long.get_or_insert(self.base);
        self.searched = piece;
        if let Some(end) = end {
            self.searched = end + 1;
            self.long = None;
            self.lines += 1;
            self.long_lines += 1;
        }
        Ok(Some((start, piece)))
    }
}

/// One read, tried again when a signal interrupts it.
fn read_some(source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// A line without the carriage return at its end and the byte order mark at the start of the file.
fn trimmed(line: &[u8], offset: u64) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if offset == 0 { line.strip_prefix(BOM).unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A source that gives as much as it likes at a time.
    struct Drip<'b> {
        bytes: &'b [u8],
        sizes: Vec<usize>,
        turn: usize,
    }

    impl Read for Drip<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let wanted = self.sizes.get(self.turn % self.sizes.len().max(1)).copied().unwrap_or(usize::MAX);
            self.turn += 1;
            let size = wanted.max(1).min(into.len()).min(self.bytes.len());
            into[..size].copy_from_slice(&self.bytes[..size]);
            self.bytes = &self.bytes[size..];
            Ok(size)
        }
    }

    /// What a search gives: lines, pieces of long lines put together, and the search at its end.
    fn found(
        bytes: &[u8],
        needle: &str,
        limits: Limits,
        sizes: &[usize],
    ) -> (Vec<(u64, Vec<u8>)>, LineSearch<impl Read>) {
        let source = Drip { bytes, sizes: sizes.to_vec(), turn: 0 };
        let mut search = LineSearch::with_limits(source, 0, limits);
        let finder = Finder::new(needle);
        let mut lines: Vec<(u64, Vec<u8>)> = Vec::new();
        while let Some(part) = search.next_with(&finder).unwrap() {
            let (Part::Line(line) | Part::LongPiece(line)) = part;
            let offset = usize::try_from(line.offset).unwrap();
            let before = memchr_iter(b'\n', &bytes[..offset]).count();
            assert_eq!(line.number, before as u64 + 1);
            match part {
                Part::Line(line) => lines.push((line.offset, line.bytes.to_vec())),
                Part::LongPiece(piece) => match lines.last_mut() {
                    Some((offset, bytes)) if *offset == piece.offset => bytes.extend(piece.bytes),
                    _ => lines.push((piece.offset, piece.bytes.to_vec())),
                },
            }
        }
        (lines, search)
    }

    fn all(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
        found(bytes, "", Limits::default(), &[]).0
    }

    #[test]
    fn a_line_ends_at_a_line_feed_and_nowhere_else() {
        let text = "a\u{2028}b\r\nc\rd\n\n".as_bytes();
        let expected = [(0, "a\u{2028}b".into()), (7, b"c\rd".to_vec()), (11, Vec::new())];
        assert_eq!(all(text), expected);
    }

    #[test]
    fn a_byte_order_mark_counts_only_at_the_start_of_the_file() {
        let lines = all(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n");
        assert_eq!(lines, [(0, b"a".to_vec()), (5, b"\xef\xbb\xbfb".to_vec())]);
    }

    #[test]
    fn half_a_last_line_is_left_for_another_time() {
        // ADV-039.
        let (lines, search) = found(b"one\ntwo", "", Limits::default(), &[]);
        assert_eq!(lines, [(0, b"one".to_vec())]);
        assert_eq!(search.offset(), 4);
        assert_eq!(search.tail(), Some(Line { offset: 4, number: 2, bytes: b"two" }));
        assert_eq!(found(b"one\n", "", Limits::default(), &[]).1.tail(), None);
    }

    #[test]
    fn a_gigantic_line_is_skipped_in_bounded_memory_and_the_next_is_found() {
        // ADV-061, with a smaller line.
        let limits = Limits { chunk: 1000, line: 8000 };
        let mut text = vec![b'x'; 1_000_000];
        text.extend(b"\nhere it is\n");
        let source = Drip { bytes: &text, sizes: Vec::new(), turn: 0 };
        let mut search = LineSearch::with_limits(source, 0, limits);
        let finder = Finder::new("it");
        let mut last = None;
        while let Some(part) = search.next_with(&finder).unwrap() {
            if let Part::Line(line) = part {
                last = Some((line.offset, line.bytes.to_vec()));
            }
            assert!(search.buffer.len() <= limits.line + 2 * limits.chunk);
        }
        assert_eq!(last, Some((1_000_001, b"here it is".to_vec())));
        assert_eq!((search.long_lines(), search.lines()), (1, 2));
        assert_eq!(search.offset(), text.len() as u64);
    }

    #[test]
    fn half_a_gigantic_line_is_left_for_another_time() {
        let limits = Limits { chunk: 10, line: 50 };
        let text = [b"ab\n".as_slice(), &[b'x'; 500]].concat();
        let (_, search) = found(&text, "q", limits, &[]);
        assert_eq!((search.offset(), search.tail(), search.long_lines()), (3, None, 0));
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_not_longer() {
        let limits = Limits { chunk: 7, line: 50 };
        for length in [49, 50, 51] {
            let text = [vec![b'x'; length], b"\ny\n".to_vec()].concat();
            let (_, search) = found(&text, "y", limits, &[]);
            assert_eq!(search.long_lines(), u64::from(length > 50), "{length}");
        }
    }

    proptest! {
        #[test]
        fn lines_are_those_of_a_split(
            text in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'#'), Just(b'a'), any::<u8>()], 0..400),
            needle in prop_oneof![Just(""), Just("#"), Just("#a")],
            chunk in 1_usize..40,
            more in 0_usize..30,
            sizes in prop::collection::vec(1_usize..20, 0..5),
        ) {
            let line = chunk + more;
            let mut pieces: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
            let tail = pieces.pop().unwrap_or_default();
            let mut offset = 0;
            let mut expected = Vec::new();
            let mut long_lines = 0;
            for piece in &pieces {
                // Long lines come whole, as pieces: neither the text nor the line end matters.
                if piece.len() > line {
                    long_lines += 1;
                    expected.push((offset, piece.to_vec()));
                } else if memchr::memmem::find(piece, needle.as_bytes()).is_some() {
                    expected.push((offset, trimmed(piece, offset).to_vec()));
                }
                offset += piece.len() as u64 + 1;
            }
            let (mut lines, search) = found(&text, needle, Limits { chunk, line }, &sizes);
            if tail.len() > line {
                // The pieces of a long line that has not ended come too.
                let last = lines.pop();
                prop_assert_eq!(last, Some((offset, tail.to_vec())));
            }
            prop_assert_eq!(lines, expected);
            prop_assert_eq!(search.offset(), offset);
            prop_assert_eq!(search.lines(), pieces.len() as u64);
            prop_assert_eq!(search.long_lines(), long_lines);
        }
    }
}
