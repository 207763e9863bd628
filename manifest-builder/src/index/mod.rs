//! The manifest as an index; see [`lessons_index`].
//!
//! - [`keys`]: under which keys each trigger is found.
//! - `keyed`: from keys to triggers.
//! - `trigger`: a trigger with everything that an index says of it.
//! - `body`: what is behind the header, written piece by piece.
//! - `layout`: the parts, one after another.
//! - [`loaded`]: an index that is read as a whole.

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
