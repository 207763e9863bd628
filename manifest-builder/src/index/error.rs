//! Why there is no index.

use std::io;

use lessons_index::Corrupt;
use lessons_pattern::PatternError;

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A pattern is none. A manifest that was compiled holds no such.
    #[error("`{pattern}`: {source}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: PatternError,
    },
    /// It cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What was written cannot be read. It never happens with what this program writes.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
}
