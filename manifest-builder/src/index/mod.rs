//! The manifest as an index; see [`lessons_core::index`].
//!
//! - [`keys`]: under which keys each trigger is found.
//! - `layout`: everything in its place.

pub mod keys;
mod known;
mod layout;

pub use known::{automata_of, verify};
pub use layout::{Automata, Draft, IndexError, draft};
