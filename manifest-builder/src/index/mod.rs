//! The manifest as an index; see [`lessons_core::index`].
//!
//! - [`keys`]: under which keys each trigger is found.
//! - `layout`: everything in its place.

pub mod keys;
mod layout;

pub use layout::{Draft, draft};
