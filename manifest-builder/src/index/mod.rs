//! The manifest as an index; see [`lessons_core::index`].
//!
//! - [`keys`]: under which keys each trigger is found.
//! - `keyed`: from keys to triggers.
//! - `layout`: everything in its place.

mod keyed;
pub mod keys;
mod layout;

pub use layout::{Draft, draft};
