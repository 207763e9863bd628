//! The new part of one transcript: the blocks in it, and where they stand.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::LazyLock;

use lessons_core::protocol;
use memchr::memmem::{self, Finder};

use crate::line::{Line, LineSearch, Part};
use crate::resume::{Place, Transcript};
use crate::tag::{self, Block, Found, Tag};
use crate::transcript::{self, Said};

/// What every marker that opens a block begins with.
///
/// JSON could write it as `\u0023lesson`. No writer does, the client least of all, so only the plain
/// form is looked for: a line that hides its marker is not read.
const MARKER: &str = "#lesson";

/// A block, and where it stands.
#[derive(Debug)]
pub(crate) struct Placed {
    /// The offset of its line.
    pub(crate) offset: u64,
    /// Its line, from 1.
    pub(crate) line: u64,
    /// Which block of the line it is, from 0.
    pub(crate) number: usize,
    /// Who said it, when and where. The texts are left out.
    pub(crate) said: Rc<Said>,
    /// What it says.
    pub(crate) found: Found,
}

/// What reading a part of a transcript gave.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The blocks that count, in order.
    pub(crate) blocks: Vec<Placed>,
    /// Where reading stopped.
    pub(crate) place: Place,
    /// Whether that is the end.
    pub(crate) finished: bool,
    /// Lines too long to be kept.
    pub(crate) long_lines: u64,
    /// Blocks that do not count, by reason.
    pub(crate) void: BTreeMap<String, usize>,
    /// Blocks beyond the most of one message.
    pub(crate) excess: usize,
    /// Lines with a marker that cannot be read, by reason.
    pub(crate) unreadable: BTreeMap<String, usize>,
}

/// Reads a transcript from `from` up to its end, or until there are `limit` blocks. Calls `passed` with
/// the number of bytes of each read.
pub(crate) fn read(
    transcript: &Transcript,
    from: Place,
    limit: usize,
    passed: &mut dyn FnMut(u64),
) -> io::Result<Reading> {
    let mut file = &transcript.file;
    file.seek(SeekFrom::Start(from.offset))?;
    let rest = file.take(transcript.size.saturating_sub(from.offset));
    let mut search = LineSearch::new(Counted { source: rest, passed }, from.offset);
    let marker = Finder::new(MARKER);
    let mut reading = Reading::default();
    // The line feed of a line that was taken without it does not count again.
    let lines_before = from.lines.saturating_sub(u64::from(transcript.is_after_open_line(from)?));
    while reading.blocks.len() < limit {
        match search.next_with(&marker)? {
            Some(Part::Line(line)) => reading.take(line, lines_before),
            Some(Part::LongPiece(_)) => {}
            None => {
                reading.finished = true;
                break;
            }
        }
    }
    reading.place = Place { offset: search.offset(), lines: lines_before + search.lines() };
    reading.long_lines = search.long_lines();
    // A last line that is whole although its line feed is missing, as after a crash.
    if let Some(tail) = search.tail().filter(|tail| transcript::is_whole(tail.bytes)) {
        if memmem::find(tail.bytes, MARKER.as_bytes()).is_some() {
            reading.take(tail, lines_before);
        }
        reading.place = Place { offset: search.end(), lines: reading.place.lines + 1 };
    }
    Ok(reading)
}

impl Reading {
    fn take(&mut self, line: Line<'_>, lines_before: u64) {
        let said = match transcript::said(line.bytes) {
            Ok(Some(said)) => said,
            Ok(None) => return,
            Err(error) => return *self.unreadable.entry(error.to_string()).or_default() += 1,
        };
        let parsed: Vec<tag::Parsed> = said.texts.iter().map(|text| tag::parse(text)).collect();
        let said = Rc::new(Said { texts: Vec::new(), ..said });
        let mut number = 0;
        for parsed in parsed {
            self.excess += parsed.excess;
            for voided in parsed.voided {
                *self.void.entry(voided.reason.to_string()).or_default() += 1;
            }
            for found in parsed.blocks {
                number += 1;
                if number > tag::MAX_BLOCKS {
                    self.excess += 1;
                } else if matches!(&found.block, Block::Lesson(tag) if is_own_example(tag)) {
                    *self.void.entry(tag::Reason::OwnExample.to_string()).or_default() += 1;
                } else {
                    let said = Rc::clone(&said);
                    let line_number = lines_before + line.number;
                    self.blocks.push(Placed { offset: line.offset, line: line_number, number, said, found });
                }
            }
        }
    }
}

/// Whether a tag is the example that our own protocol shows at the start of a session.
fn is_own_example(tag: &Tag) -> bool {
    static EXAMPLES: LazyLock<Vec<[String; 3]>> = LazyLock::new(|| {
        let lesson = |found: Found| match found.block {
            Block::Lesson(tag) => Some(fingerprint(&tag)),
            Block::Cancel(_) => None,
        };
        tag::parse(protocol::EXAMPLE).blocks.into_iter().filter_map(lesson).collect()
    });
    EXAMPLES.contains(&fingerprint(tag))
}

/// What makes two tags the same: mistake, fix and trigger, in lower case.
fn fingerprint(tag: &Tag) -> [String; 3] {
    [&tag.mistake, &tag.fix, tag.trigger.as_ref().unwrap_or(&String::new())].map(|text| text.to_lowercase())
}

/// A source that tells how much it gave.
struct Counted<'p, R> {
    source: R,
    passed: &'p mut dyn FnMut(u64),
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(into)?;
        (self.passed)(read as u64);
        Ok(read)
    }
}
