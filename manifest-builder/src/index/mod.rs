//! The index of a manifest, in the format of [`lessons_index`].
//!
//! - `trigger`: a trigger with everything that an index holds about it.
//! - [`keys`]: the choice of keys for each trigger.
//! - `keyed`: the postings, from keys to triggers.
//! - `body`: the part behind the header, written piece by piece.
//! - `layout`: the order of the parts.
//! - [`loaded`]: an index that is held as a whole.
//! - `error`: the errors of building an index.

mod body;
mod error;
mod keyed;
pub mod keys;
mod layout;
pub mod loaded;
mod trigger;

pub use error::IndexError;
pub use layout::{ManifestFile, in_memory, write};
pub use loaded::LoadedIndex;
