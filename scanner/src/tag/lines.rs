//! The tags in the lines of a transcript, with their places.

use std::rc::Rc;

use crate::run::report::Report;
use crate::tag::{self, TagBlock};
use crate::transcript::line::Line;
use crate::transcript::needle::Needle;
use crate::transcript::{self, LineInfo, Unreadable};

/// The beginning of every marker that opens a block.
///
/// JSON could write it as `\u0023lesson`. No writer does, the client least of all, so only the plain
/// form is looked for: a line that hides its marker is not read.
pub(crate) static MARKER: Needle = Needle::new("#lesson");

/// The memory that a block takes beside its text, about, in bytes.
const BLOCK: usize = 1 << 10;
/// The number of copies of its text: as written, in the shingles of its query, and in what is recorded.
const COPIES: usize = 4;

/// A block and its place in the transcript.
#[derive(Debug)]
pub(crate) struct PlacedBlock {
    /// The offset of its line, in bytes.
    pub(crate) offset: u64,
    /// The number of its line, from 1.
    pub(crate) line: u64,
    /// The number of the block in its line, from 1.
    pub(crate) number: usize,
    /// Who spoke in the line, when, and in which folder. The texts are left out.
    pub(crate) said: Rc<LineInfo>,
    /// The block itself.
    pub(crate) found: TagBlock,
}

/// The tags that were read in a part of a transcript.
#[derive(Debug, Default)]
pub(crate) struct TagLines {
    /// The blocks that count, in order.
    pub(crate) blocks: Vec<PlacedBlock>,
    /// How many there are, which blocks do not count, and which lines cannot be read.
    pub(crate) report: Report,
    /// The memory that the blocks take, about, in bytes.
    pub(crate) weight: usize,
}

impl TagLines {
    /// Takes the blocks of a line, if it may hold any. It has this number in its file.
    ///
    /// One without a marker is counted if it is no object. Only its ends are looked at: most lines are long, and parsing each
    /// would take most of a scan's time.
    pub(crate) fn line(&mut self, line: Line<'_>, number: u64) {
        let text = line.bytes.trim_ascii();
        let is_object = text.starts_with(b"{") && text.ends_with(b"}");
        if MARKER.is_in(line.bytes) {
            self.take(line, number);
        } else if !is_object && !text.is_empty() {
            *self.report.unreadable.entry(Unreadable::Json.to_string()).or_default() += 1;
        }
    }

    fn take(&mut self, line: Line<'_>, number_of_line: u64) {
        let mut said = match transcript::assistant_line(line.bytes) {
            Ok(Some(said)) => said,
            Ok(None) => return,
            Err(error) => return *self.report.unreadable.entry(error.to_string()).or_default() += 1,
        };
        let texts = std::mem::take(&mut said.texts);
        let said = Rc::new(said);
        let mut number = 0;
        for parsed in texts.iter().map(|text| tag::parse(text)) {
            self.report.excess += parsed.excess;
            for reason in parsed.voided {
                *self.report.void.entry(reason.to_string()).or_default() += 1;
            }
            for found in parsed.blocks {
                number += 1;
                if number > tag::MAX_BLOCKS {
                    self.report.excess += 1;
                    continue;
                }
                self.report.tags += 1;
                self.weight += BLOCK + COPIES * found.bytes;
                let (offset, said) = (line.offset, Rc::clone(&said));
                self.blocks.push(PlacedBlock { offset, line: number_of_line, number, said, found });
            }
        }
    }
}
