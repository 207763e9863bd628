//! The manifest as an index; see [`lessons_core::index`].
//!
//! - [`keys`]: under which keys each trigger is found.
//! - `keyed`: from keys to triggers.
//! - `tried`: a trigger with everything that is known of it.
//! - `body`: what stands behind the header, written piece by piece.
//! - `layout`: everything in its place.
//! - [`whole`]: what the next build reads of it.

mod body;
mod keyed;
pub mod keys;
mod layout;
mod tried;
pub mod whole;

use std::io;

use lessons_core::pattern::PatternError;

pub use layout::{Published, in_memory, write};

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
    /// What the next build asks of the manifest cannot be put into bytes.
    #[error(transparent)]
    Former(#[from] serde_json::Error),
}
