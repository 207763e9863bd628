//! Texts that give the agent orders: what they raise, and what they are like.
//!
//! - [`kind`]: the types of incidents and the kinds of sources. Of what a tool brought, also the [source](kind::Source).
//! - [`finding`]: the rules that a text raises, close together.
//! - [`pattern`]: the text of an incident as it is kept, and the id made of it.
//! - [`sketch`], [`likeness`]: how much of a pattern stands in a text, and where.
//! - [`trust`]: how far a text can be trusted, given where it comes from.
//! - [`index`]: the incidents as a file that hooks read.
//! - [`response`]: the strings in the response of a tool, and what the client adds to results.
//! - [`withheld`]: the record that a hook leaves of a text that it withheld.
//!
//! Invariants: nothing here reads a file, a clock or the environment. Every text and every byte is hostile: reading them
//! never panics, and takes time linear in their length.

pub mod finding;
pub mod index;
pub mod kind;
pub mod likeness;
pub mod pattern;
pub mod response;
pub mod sentence;
pub mod sketch;
pub mod trust;
pub mod withheld;

pub use finding::Rule;
pub use index::{CheckSettings, IncidentIndex};
pub use kind::{IncidentType, Severity, SourceKind, Standing};
pub use pattern::{IncidentId, Pattern};
pub use sketch::Sketch;
pub use trust::{Origin, Trust};
