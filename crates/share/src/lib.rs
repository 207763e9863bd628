//! Lessons that travel: signed events, and what may be read from one.
//!
//! - [`event`]: an event of NIP-01, from hostile bytes to a verified one, and back.
//! - [`key`]: the keys and signatures of BIP-340, over secp256k1. Also as people copy and type them.
//! - [`shared_lesson`]: a lesson as the content and tags of an event, kind 4129.
//! - [`project_tag`]: the project that a shared lesson is for.
//! - [`portable`]: what of a text means something on one machine only.
//! - [`deletion`]: the author's wish that an event is used no more, kind 5 (NIP-09).
//!
//! Invariants: nothing here reads a file, a clock, the environment or a source of randomness. Bytes are hostile: reading
//! them is bounded by [`event::MAX_BYTES`] and never panics. What has not been verified has another type than what has.

pub mod deletion;
pub mod event;
mod hex;
pub mod key;
pub mod portable;
pub mod project_tag;
pub mod shared_lesson;

pub use deletion::Deletion;
pub use event::{EventId, Unverified, Verified};
pub use key::{PublicKey, SecretKey};
pub use project_tag::ProjectTag;
pub use shared_lesson::SharedLesson;
