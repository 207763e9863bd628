//! The index: the compiled lessons in binary, the only form that anything is matched against.
//!
//! `lesson-manifest.idx` stands beside the manifest and is made from the same lessons. Hooks, session start and every command
//! ask it through the same functions. Nothing in it is parsed as a whole:
//!
//! | part | what a reader does with it |
//! |---|---|
//! | [`header`] | reads it: the settings, and where the parts are |
//! | [`postings`] of triggers without a key | always looks at them |
//! | [`filter`] | asks for every gram of the call; most calls end here |
//! | [`directory`], [`bucket`]s | from a key that may be there to its postings: which triggers, and which [grams](required) else the call must hold |
//! | [`prefixes`] | the same question for contents, in one pass |
//! | triggers, lessons ([`storage`], [`record`]) | only those that are left, each by one read |
//! | session lessons, build notes | session start reads them |
//! | rules | `lessons query` ranks by their words |
//! | pattern notes | the next build and `lessons explain` read them |
//!
//! A key is a [gram](key) of which every text that a trigger matches must hold one; the builder chooses it. Triggers without
//! a key are in one list that is always looked at.
//!
//! Every byte that is used has been checked by the sum of its block, bucket or record, and the directory by that of the
//! bucket to which it led. So random damage is seen where it is read; and whatever the bytes are, reading them is safe,
//! and linear in their number.

pub mod block;
pub mod bucket;
mod candidates;
pub mod corrupt;
pub mod directory;
pub mod file;
pub mod filter;
pub mod header;
pub mod key;
pub mod manifest;
pub mod matched;
pub mod matching;
pub mod postings;
pub mod prefixes;
pub mod reader;
pub mod record;
pub mod required;
mod search;
pub mod spot;
pub mod storage;
pub mod tracer;
pub mod views;

pub use candidates::TriggerResults;
pub use corrupt::Corrupt;
pub use reader::{Index, part};
