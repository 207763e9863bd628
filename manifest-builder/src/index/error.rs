//! The errors of building an index.

use std::io;

use lessons_index::Corrupt;
use lessons_pattern::PatternError;

/// The reason why an index cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A pattern is none. A manifest that was compiled holds no such.
    #[error("`{pattern}`: {source}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The fault of the pattern.
        source: PatternError,
    },
    /// The index cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The written index cannot be read back, which would be a defect of this program.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
}
