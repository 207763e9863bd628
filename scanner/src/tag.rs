//! The grammar of tags: how a model writes down a lesson in its own answer.
//!
//! ```text
//! #lesson
//! tool: Bash
//! trigger: git stash
//! mistake: git stash leaves untracked files behind
//! fix: use `git stash -u`
//! #/lesson
//! ```
//!
//! and how it takes one back: `#lesson:cancel`, then `trigger:` or `mistake:`, then
//! `#/lesson:cancel` or `#/lesson`.
//!
//! The grammar is strict on purpose. A model also *talks about* tags, and what is half a tag is more
//! likely talk. A marker stands alone on its line (white space around it does not matter, case
//! does; a quoted `> #lesson` is no marker). A block ends at its closing marker or is void: a blank
//! line, another opening marker, more than [`MAX_LINES`] lines or [`MAX_BYTES`] bytes void it, and
//! no block reaches into the next text block. A block in a code fence counts, but is marked
//! [`TagBlock::fenced`], because a fence is how a model quotes.

mod fence;
mod field;

use lessons_ledger::{Finding, Insight};
use lessons_lesson::lesson::MAX_TEXT_CHARS;

pub(crate) use fence::Fence;
use field::Fields;
pub use field::{FieldName, is_placeholder};

/// The most blocks of one text that are read; what is beyond is counted.
pub const MAX_BLOCKS: usize = 20;
/// The most lines between two markers.
pub const MAX_LINES: usize = 40;
/// The most bytes between two markers.
pub const MAX_BYTES: usize = 4096;
/// The shortest text of a cancel that counts as the start of a mistake, in characters. A shorter
/// one must be the whole mistake: `mistake: g` would otherwise take back half of everything.
pub const MIN_CANCEL_PREFIX_CHARS: usize = 20;

/// The tags of one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedTags {
    /// The blocks that count, in the order of the text.
    pub blocks: Vec<TagBlock>,
    /// Why the other blocks do not count.
    pub voided: Vec<VoidReason>,
    /// The number of blocks after the first [`MAX_BLOCKS`].
    pub excess: usize,
}

/// A block that counts, and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagBlock {
    /// The line of its opening marker in the text, from 1.
    pub line: usize,
    /// Whether it stands in a code fence.
    pub fenced: bool,
    /// The bytes between its markers.
    pub bytes: usize,
    /// The block itself.
    pub block: Block,
}

/// A block between two markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A lesson.
    Lesson(Box<Tag>),
    /// A lesson that is taken back.
    Cancel(Cancel),
}

/// A lesson as written: each field on one line, hidden characters removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tag {
    /// Its fields, as the candidate has them. What follows from them is not there yet.
    pub finding: Finding,
    /// Literal text of a command that makes the lesson pointless.
    pub unless: Option<String>,
    /// Whether hidden characters were removed.
    pub sanitised: bool,
}

impl Tag {
    /// Every text of the tag.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Finding { tools, trigger, path, mistake, fix, why, tags, agent, insight, .. } = &mut self.finding;
        let Insight { title, detail, worth, phase, .. } = insight;
        let given = [trigger, path, why, agent, &mut self.unless, title, detail, worth, phase];
        given.into_iter().flatten().chain([mistake, fix]).chain(tools).chain(tags)
    }
}

/// A cancel, which names trigger or mistake of a lesson. If it names both, both must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancel {
    /// The trigger of the lesson.
    pub trigger: Option<String>,
    /// The mistake of the lesson, or the start of it.
    pub mistake: Option<String>,
}

impl Cancel {
    /// Whether this takes back a lesson with `mistake` and `trigger`, compared in lower case.
    pub fn fits(&self, mistake: &str, trigger: Option<&str>) -> bool {
        let trigger_fits = self
            .trigger
            .as_ref()
            .is_none_or(|wanted| trigger.is_some_and(|found| found.to_lowercase() == wanted.to_lowercase()));
        let mistake_fits = self.mistake.as_ref().is_none_or(|wanted| {
            let (wanted, found) = (wanted.to_lowercase(), mistake.to_lowercase());
            let long_enough = wanted.chars().count() >= MIN_CANCEL_PREFIX_CHARS;
            wanted == found || (long_enough && found.starts_with(&wanted))
        });
        trigger_fits && mistake_fits && (self.trigger.is_some() || self.mistake.is_some())
    }
}

/// The reason why a block does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum VoidReason {
    /// A blank line before the closing marker.
    #[error("a blank line before the closing marker")]
    BlankLine,
    /// More than [`MAX_LINES`] lines.
    #[error("more than {MAX_LINES} lines")]
    TooManyLines,
    /// More than [`MAX_BYTES`] bytes.
    #[error("more than {MAX_BYTES} bytes")]
    TooManyBytes,
    /// Another block opens inside it.
    #[error("another block opens inside it")]
    Nested,
    /// A lesson and a cancel are mixed.
    #[error("a lesson and a cancel are mixed")]
    Interleaved,
    /// It never closes.
    #[error("no closing marker")]
    Unclosed,
    /// A field is there twice.
    #[error("`{0}:` twice")]
    Repeated(FieldName),
    /// A field that must be there is not.
    #[error("no `{0}:`")]
    Missing(FieldName),
    /// A field is longer than a lesson's text may be.
    #[error("`{0}:` is longer than {MAX_TEXT_CHARS} characters")]
    TooLong(FieldName),
    /// A field holds `<what went wrong>` or `...`.
    #[error("`{0}:` is a placeholder")]
    Placeholder(FieldName),
    /// A cancel that names neither trigger nor mistake.
    #[error("a cancel needs `trigger:` or `mistake:`")]
    NothingToCancel,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Lesson,
    Cancel,
}

impl BlockKind {
    /// The kind of block that a line opens, if it opens one.
    fn opened_by(line: &str) -> Option<Self> {
        match line {
            "#lesson" => Some(Self::Lesson),
            "#lesson:cancel" => Some(Self::Cancel),
            _ => None,
        }
    }
}

/// A block whose closing marker has not come yet.
struct OpenBlock<'t> {
    kind: BlockKind,
    line: usize,
    fenced: bool,
    lines: Vec<&'t str>,
    bytes: usize,
}

/// Reads every block of one text block of an assistant's message.
///
/// Linear in the text, and never holds more than one open block.
pub fn parse(text: &str) -> ParsedTags {
    let mut reader = TagReader::default();
    for (index, line) in text.split('\n').enumerate() {
        reader.line(index + 1, line);
    }
    reader.end(Some(VoidReason::Unclosed));
    reader.parsed
}

#[derive(Default)]
struct TagReader<'t> {
    parsed: ParsedTags,
    open: Option<OpenBlock<'t>>,
    opened: usize,
    fence: Fence,
}

impl<'t> TagReader<'t> {
    fn line(&mut self, number: usize, line: &'t str) {
        let mark = line.trim();
        match (self.open.as_ref().map(|open| open.kind), BlockKind::opened_by(mark)) {
            (None, Some(kind)) => self.open(kind, number),
            (None, None) => self.fence.process(line),
            (Some(kind), Some(other)) if kind == other => {
                self.end(Some(VoidReason::Nested));
                self.open(kind, number);
            }
            // Both are void: the fields that follow could belong to either.
            (Some(_), Some(_)) => self.end(Some(VoidReason::Interleaved)),
            (Some(kind), None) => match mark {
                "#/lesson:cancel" if kind == BlockKind::Lesson => self.end(Some(VoidReason::Interleaved)),
                "#/lesson" | "#/lesson:cancel" => self.end(None),
                "" => self.end(Some(VoidReason::BlankLine)),
                _ => self.text(line),
            },
        }
    }

    fn open(&mut self, kind: BlockKind, line: usize) {
        self.opened += 1;
        let fenced = self.fence.is_open();
        self.open = Some(OpenBlock { kind, line, fenced, lines: Vec::new(), bytes: 0 });
    }

    fn text(&mut self, line: &'t str) {
        self.fence.process(line);
        let Some(open) = &mut self.open else { return };
        open.bytes += line.len() + 1;
        open.lines.push(line);
        if open.lines.len() > MAX_LINES {
            self.end(Some(VoidReason::TooManyLines));
        } else if open.bytes > MAX_BYTES {
            self.end(Some(VoidReason::TooManyBytes));
        }
    }

    /// Ends the open block, if there is one: at its closing marker, or with the reason why it does not count.
    fn end(&mut self, void: Option<VoidReason>) {
        let Some(open) = self.open.take() else { return };
        if self.opened > MAX_BLOCKS {
            self.parsed.excess += 1;
            return;
        }
        let fields = void.map_or_else(|| Fields::read(&open.lines), Err);
        let block = fields.and_then(|fields| match open.kind {
            BlockKind::Lesson => fields.into_tag().map(|tag| Block::Lesson(tag.into())),
            BlockKind::Cancel => fields.into_cancel().map(Block::Cancel),
        });
        match block {
            Ok(block) => {
                let OpenBlock { line, fenced, bytes, .. } = open;
                self.parsed.blocks.push(TagBlock { line, fenced, bytes, block });
            }
            Err(reason) => self.parsed.voided.push(reason),
        }
    }
}

pub(crate) mod lines;
#[cfg(test)]
#[path = "tag/tests.rs"]
mod tests;
pub(crate) mod trial;
pub mod trigger;
