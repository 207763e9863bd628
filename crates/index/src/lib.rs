//! The index: the compiled lessons in binary, the only form that calls are matched against.
//!
//! `lesson-manifest.idx` is built from the same lessons as the manifest beside it. Hooks, session start and every command
//! search it with the same functions. No reader parses the whole file:
//!
//! | part | use by a reader |
//! |---|---|
//! | [`header`] | the settings and the positions of the parts; read first |
//! | [`postings`] of triggers without a key | read for every call |
//! | [`filter`] | tested with every gram of the call; most calls end here |
//! | [`directory`], [`bucket`]s | from a key to its postings: its triggers, and the [grams](required) that the call must contain besides |
//! | [`prefixes`] | the filter for file contents, tested in one pass |
//! | triggers, lessons ([`storage`], [`record`]) | one read for each trigger or lesson that is left |
//! | session lessons, build notes | read by session start |
//! | session lessons that came into force lately | read at a call of the main thread, where there are any |
//! | rules | ranked by `lessons query` |
//! | pattern notes | read by the next build and `lessons explain` |
//!
//! A key is a [gram](key), chosen by the builder so that every text that a trigger matches contains one of its keys.
//!
//! In reading order:
//!
//! - [`manifest`]: the same lessons as JSON, for people and their tools.
//! - [`key`], [`required`], [`postings`], [`block`], [`bucket`], [`directory`], [`filter`], [`prefixes`], [`header`],
//!   [`storage`], [`record`]: the format, with the code that writes and reads each part.
//! - [`corrupt`]: the error for bytes that no builder writes.
//! - [`reader`], [`file`](mod@file): an open index in memory, and the one of a data folder.
//! - [`views`]: the texts of a call that triggers look at. `target`: the path that its state is about.
//! - `search`, [`matching::trials`]: from those texts to the triggers that match, and to their lessons.
//! - [`matching`], [`matching::matched`]: the lessons that match a call, best first, and the outcome for each.
//!   `exceptions`: what excuses a command.
//! - [`matching::tracer`], [`spot`]: observers of a search, and the place where a trigger matched, for `lessons explain`.
//!
//! Invariants: a reader checks the checksum of every block, bucket and record that it uses, so it reports random damage
//! instead of answering from it. Reading arbitrary bytes is safe, and linear in their number. A published index is never
//! changed in place.

pub mod block;
pub mod bucket;
pub mod corrupt;
pub mod directory;
mod exceptions;
pub mod file;
pub mod filter;
pub mod header;
pub mod key;
pub mod manifest;
pub mod matching;
pub mod postings;
pub mod prefixes;
pub mod reader;
pub mod record;
pub mod required;
mod search;
pub mod spot;
pub mod storage;
mod target;
pub mod views;

pub use file::IndexFile;
pub use header::{Identity, Part};
pub use manifest::{LessonEntry, Manifest, Settings, TriggerEntry, TrustedRoot};
pub use matching::matched::{Match, Mismatch};
pub use matching::tracer::Tracer;
pub use record::{Test, Value};
pub use views::Views;

pub use corrupt::{Corrupt, Result};
pub use reader::{Index, part};
