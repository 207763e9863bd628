//! A reader of the lines of a transcript, in bounded memory.
//!
//! A history is a gigabyte with a handful of tags in it. So the bytes are searched in large pieces, and the ends of a
//! line are searched only around a hit. Offsets are exact whatever the bytes
//! are: a line ends at a line feed and nowhere else (U+2028 is text, a carriage return before the
//! line feed is not), and what comes after the last line feed is no line yet.

use std::cell::Cell;
use std::io::{self, Read};

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};

/// The limits of a reader.
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

/// A line, or a piece of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'b> {
    /// The offset of the line in the file, in bytes.
    pub offset: u64,
    /// The number of the line, counted from the start of the search, from 1.
    pub number: u64,
    /// Its bytes, without line feed, carriage return before it and byte order mark.
    pub bytes: &'b [u8],
}

/// An iterator over whole lines in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines<'b> {
    /// The offset of the next line in the file, in bytes.
    pub offset: u64,
    /// The number of the line, counted from the start of the search, from 1.
    pub number: u64,
    /// The lines that are left, each with its line feed.
    pub bytes: &'b [u8],
}

impl<'b> Lines<'b> {
    /// Those of the lines that hold a text.
    pub fn with(mut self, wanted: &Finder<'_>) -> impl Iterator<Item = Line<'b>> {
        std::iter::from_fn(move || {
            self.skip_to(wanted.find(self.bytes)?);
            self.next()
        })
    }

    /// Skips the lines before the one that holds the byte `at`.
    pub fn skip_to(&mut self, at: usize) {
        let (before, _) = self.bytes.split_at(at.min(self.bytes.len()));
        let (gone, rest) = self.bytes.split_at(memrchr(b'\n', before).map_or(0, |at| at + 1));
        self.number += memchr_iter(b'\n', gone).count() as u64;
        self.offset += gone.len() as u64;
        self.bytes = rest;
    }
}

impl<'b> Iterator for Lines<'b> {
    type Item = Line<'b>;

    fn next(&mut self) -> Option<Line<'b>> {
        let end = memchr(b'\n', self.bytes)?;
        let (line, rest) = self.bytes.split_at(end + 1);
        let (offset, number) = (self.offset, self.number);
        self.offset += line.len() as u64;
        self.number += 1;
        self.bytes = rest;
        Some(Line { offset, number, bytes: trimmed(&line[..end], offset) })
    }
}

/// A region of a file, as large as one read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineRegion<'b> {
    /// Whole lines.
    Lines(Lines<'b>),
    /// A piece of a line that is too long to be kept. The pieces come in order.
    LongPiece(Line<'b>),
}

/// The largest buffer that is kept for the next search, in bytes.
const LARGEST_SPARE: usize = 1 << 20;

thread_local! {
    /// The buffer of the last search of the thread: the system gives fresh memory page by page, at a fault each.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A search for the lines of a file that hold a text.
#[derive(Debug)]
pub struct LineSearch<R> {
    source: R,
    limits: Limits,
    buffer: Vec<u8>,
    /// The length of the read data in the buffer. The rest of the buffer is initialised already: doing that for every
    /// read would take as long as the reading.
    filled: usize,
    /// The offset in the file of the first byte of the buffer.
    base: u64,
    /// The end of the part of the buffer that was given on, always at the start of a line.
    searched: usize,
    /// The end of the whole lines in the buffer.
    whole: usize,
    /// The offset of the long line in which the buffer lies.
    long: Option<u64>,
    /// The number of whole lines that were read, long ones included.
    pub lines: u64,
    /// The number of lines that were too long to be kept.
    pub long_lines: u64,
    ended: bool,
}

impl<R: Read> LineSearch<R> {
    /// A search in `source`, whose first byte is at `offset` of its file and starts a line.
    pub fn new(source: R, offset: u64) -> Self {
        Self::with_limits(source, offset, Limits::default())
    }

    /// As [`LineSearch::new`], with other limits.
    pub fn with_limits(source: R, offset: u64, limits: Limits) -> Self {
        Self {
            source,
            limits: Limits { chunk: limits.chunk, line: limits.line.max(limits.chunk) },
            buffer: SPARE.take(),
            filled: 0,
            base: offset,
            searched: 0,
            whole: 0,
            long: None,
            lines: 0,
            long_lines: 0,
            ended: false,
        }
    }

    /// The offset of the next line, where a later search goes on. Half a line at the end is read again then.
    pub fn offset(&self) -> u64 {
        self.long.unwrap_or(self.base + self.searched as u64)
    }

    /// The unfinished line at the end of the file, once there are no more lines. `None` when there is none, or it is
    /// too long.
    pub fn tail(&self) -> Option<Line<'_>> {
        let open = self.ended && self.long.is_none() && self.searched < self.filled;
        open.then(|| Line {
            offset: self.base + self.searched as u64,
            number: self.lines + 1,
            bytes: trimmed(&self.buffer[self.searched..self.filled], self.base + self.searched as u64),
        })
    }

    /// The offset of the end of the tail.
    pub fn end(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// The first that `read` makes of a line with this text. Lines that are too long to be kept are passed over.
    pub fn find_map<T>(
        &mut self,
        wanted: &Finder<'_>,
        mut read: impl FnMut(Line<'_>) -> Option<T>,
    ) -> io::Result<Option<T>> {
        while let Some(region) = self.next_region()? {
            let LineRegion::Lines(lines) = region else { continue };
            if let Some(found) = lines.with(wanted).find_map(&mut read) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The next region: all whole lines that were read, or a piece of a long one.
    pub fn next_region(&mut self) -> io::Result<Option<LineRegion<'_>>> {
        while self.searched >= self.whole {
            if self.ended {
                return Ok(None);
            }
            self.drop_searched();
            if let Some((offset, length)) = self.fill()? {
                // A piece that ends its line has been counted already.
                let number = self.lines + u64::from(self.long.is_some());
                let bytes = &self.buffer[..length];
                return Ok(Some(LineRegion::LongPiece(Line { offset, number, bytes })));
            }
        }
        let (offset, number) = (self.base + self.searched as u64, self.lines + 1);
        let bytes = &self.buffer[self.searched..self.whole];
        self.lines += memchr_iter(b'\n', bytes).count() as u64;
        self.searched = self.whole;
        Ok(Some(LineRegion::Lines(Lines { offset, number, bytes })))
    }

    /// Drops the searched part of the buffer. A piece of a long line is searched as a whole.
    fn drop_searched(&mut self) {
        self.buffer.copy_within(self.searched..self.filled, 0);
        self.filled -= self.searched;
        self.base += self.searched as u64;
        self.searched = 0;
        self.whole = 0;
    }

    /// Reads one chunk. When the buffer then starts with a piece of a long line, returns where that
    /// line starts in the file, and how much of the buffer is of it.
    fn fill(&mut self) -> io::Result<Option<(u64, usize)>> {
        // Nothing here holds a line feed: all lines before were searched.
        let before = self.filled;
        let room = before + self.limits.chunk;
        if self.buffer.len() < room {
            // In few steps, so that a long line is not copied at every read, and no more than the longest one takes.
            let length = (2 * self.buffer.len()).min(self.limits.line + self.limits.chunk).max(room);
            // The system has zeros: those that are asked for with the memory are not written.
            let longer = vec![0; length];
            let shorter = std::mem::replace(&mut self.buffer, longer);
            self.buffer[..before].copy_from_slice(&shorter[..before]);
        }
        let read = read_some(&mut self.source, &mut self.buffer[before..room])?;
        if read == 0 {
            self.ended = true;
            return Ok(None);
        }
        self.filled += read;
        let fresh = &self.buffer[before..self.filled];
        self.whole = memrchr(b'\n', fresh).map_or(0, |at| before + at + 1);

        let end = memchr(b'\n', fresh).map(|at| before + at);
        let piece = end.unwrap_or(self.filled);
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

impl<R> Drop for LineSearch<R> {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        if buffer.len() <= LARGEST_SPARE {
            // Where the thread is ending nothing is kept.
            let _ = SPARE.try_with(|spare| spare.set(buffer));
        }
    }
}

/// One read, tried again when a signal interrupts it.
pub(crate) fn read_some(source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
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
#[path = "line/tests.rs"]
mod tests;
