//! The origin of what a detector looks at: a line of a transcript.

use std::rc::Rc;

use crate::transcript::LineInfo;

/// The line of a transcript in which something happened.
#[derive(Debug, Clone)]
pub(crate) struct LineOrigin {
    /// The offset of the line, in bytes.
    pub(crate) offset: u64,
    /// The number of the line in its file, from 1.
    pub(crate) line: u64,
    /// Who spoke in the line, when, and in which folder.
    pub(crate) info: Rc<LineInfo>,
}
