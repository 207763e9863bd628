//! The blocks in some lines of a transcript, and where they stand.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;

use lessons_core::protocol;

use crate::line::Line;
use crate::tag::{self, Block, Tag, TagBlock};
use crate::transcript::{self, LineInfo};

/// What every marker that opens a block begins with.
///
/// JSON could write it as `\u0023lesson`. No writer does, the client least of all, so only the plain
/// form is looked for: a line that hides its marker is not read.
pub(crate) const MARKER: &str = "#lesson";

/// What a block takes in memory beside its text, about, in bytes.
const BLOCK: usize = 1 << 10;
/// How often its text is held: as it stands, in the shingles that are listened for, and in what is recorded.
const COPIES: usize = 4;

/// A block, and where it stands.
#[derive(Debug)]
pub(crate) struct PlacedBlock {
    /// The offset of its line.
    pub(crate) offset: u64,
    /// Its line, from 1.
    pub(crate) line: u64,
    /// Which block of the line it is, from 0.
    pub(crate) number: usize,
    /// Who said it, when and where. The texts are left out.
    pub(crate) said: Rc<LineInfo>,
    /// What it says.
    pub(crate) found: TagBlock,
}

/// What was read of a part of a transcript.
#[derive(Debug, Default)]
pub(crate) struct TagLines {
    /// The blocks that count, in order.
    pub(crate) blocks: Vec<PlacedBlock>,
    /// Blocks that do not count, by reason.
    pub(crate) void: BTreeMap<String, usize>,
    /// Blocks beyond the most of one message.
    pub(crate) excess: usize,
    /// Lines with a marker that cannot be read, by reason.
    pub(crate) unreadable: BTreeMap<String, usize>,
    /// What the blocks take in memory, about, in bytes.
    pub(crate) weight: usize,
}

impl TagLines {
    /// Takes the blocks of a line, which has this number in its file.
    pub(crate) fn take(&mut self, line: Line<'_>, number_of_line: u64) {
        let said = match transcript::assistant_line(line.bytes) {
            Ok(Some(said)) => said,
            Ok(None) => return,
            Err(error) => return *self.unreadable.entry(error.to_string()).or_default() += 1,
        };
        let parsed: Vec<tag::ParsedTags> = said.texts.iter().map(|text| tag::parse(text)).collect();
        let said = Rc::new(LineInfo { texts: Vec::new(), ..said });
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
                    *self.void.entry(tag::VoidReason::OwnExample.to_string()).or_default() += 1;
                } else {
                    self.weight += BLOCK + COPIES * found.block.length();
                    let said = Rc::clone(&said);
                    self.blocks.push(PlacedBlock {
                        offset: line.offset,
                        line: number_of_line,
                        number,
                        said,
                        found,
                    });
                }
            }
        }
    }
}

/// Whether a tag is the example that our own protocol shows at the start of a session.
fn is_own_example(tag: &Tag) -> bool {
    static EXAMPLES: LazyLock<Vec<[String; 3]>> = LazyLock::new(|| {
        let lesson = |found: TagBlock| match found.block {
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
