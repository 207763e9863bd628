//! The budget of a scan: what bounds its memory and its time.

use crate::transcript::line::Limits;

/// The budget of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanBudget {
    /// The memory that one step may take, about, in bytes.
    pub(crate) memory: usize,
    /// The number of times that a session may be compared with its own tags.
    pub(crate) passes: usize,
    /// The treatment of very long lines.
    pub(crate) long_lines: LongLines,
}

/// The treatment of a line that is too long to be kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongLines {
    /// It is skipped, and counted.
    Skip,
    /// A line longer than so many bytes is left, with everything after it, to a scan with a larger budget.
    Leave(usize),
}

/// The bytes per read within a small budget.
const SMALL_CHUNK: usize = 64 << 10;

impl ScanBudget {
    /// The budget of a scan that a person waits for. Four MiB hold the tags of hundreds of long sessions, and honest
    /// sessions need far fewer passes.
    pub(crate) const FULL: Self = Self { memory: 4 << 20, passes: 32, long_lines: LongLines::Skip };
    /// The budget of a scan in the background: the process stays below 16 MiB, whatever is written.
    pub(crate) const SMALL: Self =
        Self { memory: 1 << 20, passes: 32, long_lines: LongLines::Leave(512 << 10) };
}

impl LongLines {
    /// The limits for reading a file.
    pub(crate) fn limits(self) -> Limits {
        match self {
            Self::Skip => Limits::default(),
            Self::Leave(line) => Limits { chunk: SMALL_CHUNK, line },
        }
    }

    /// Whether reading ends before a long line.
    pub(crate) fn are_left(self) -> bool {
        matches!(self, Self::Leave(_))
    }
}
