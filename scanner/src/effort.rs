//! How much is done at once, and how often: what bounds the memory and the time of a scan.

use crate::line::Limits;

/// How much is done at once, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// What a step may take in memory, about, in bytes.
    pub(crate) room: usize,
    /// How many times a session is listened through.
    pub(crate) passes: usize,
    /// What is done with a very long line.
    pub(crate) long_lines: LongLines,
}

/// What is done with a line that is too long to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongLines {
    /// It is passed over, and counted.
    PassedOver,
    /// A line longer than so many bytes is left to a scan with more room, and everything after it.
    Left(usize),
}

/// Bytes per read of who stays small.
const SMALL_CHUNK: usize = 64 << 10;

impl Effort {
    /// Four MiB hold the blocks of hundreds of long sessions, and honest ones come nowhere near so many passes.
    pub(crate) const WHOLE: Self = Self { room: 4 << 20, passes: 32, long_lines: LongLines::PassedOver };
    /// For who promises to stay small: whatever is written, less than 16 MiB are enough.
    pub(crate) const SMALL: Self = Self { room: 1 << 20, passes: 32, long_lines: LongLines::Left(512 << 10) };
}

impl LongLines {
    /// How a file is read.
    pub(crate) fn limits(self) -> Limits {
        match self {
            Self::PassedOver => Limits::default(),
            Self::Left(line) => Limits { chunk: SMALL_CHUNK, line },
        }
    }

    /// Whether reading ends before such a line.
    pub(crate) fn are_left(self) -> bool {
        matches!(self, Self::Left(_))
    }
}
