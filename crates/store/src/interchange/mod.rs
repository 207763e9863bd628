//! The exchange of lessons graphs: export for other tools, import from them, and the merge of two branches' versions.
//! [`lines`] and [`read_lines`]: one lesson a line. [`read_older`] reads the layout of several files that such graphs had at first.
//!
//! ```
//! use lessons_store::graph::{Graph, Origin};
//! use lessons_store::interchange;
//!
//! let text = br#"{
//!   "version": 1,
//!   "lessons": { "a": { "rule": "Say why.", "mistake": "Nobody knew.", "topics": ["git"], "triggers": [],
//!                       "evidence": [], "status": "active", "createdAt": "2026-01-31" } },
//!   "topics": { "git": { "summary": "Git" } }, "triggers": {}
//! }"#;
//! let exported = interchange::export(&Graph::parse("lessons.json", text, Origin::Own)?);
//! assert_eq!(exported.left_out[0].fields, ["mistake"]);
//!
//! // What cannot be imported is left out by name; each lesson may be changed first, with a note about it.
//! let mut own = Graph::empty("lessons.json");
//! let imported = interchange::import(&mut own, "theirs.json", text, &mut |lesson| {
//!     lesson.mistake = None;
//!     Ok(vec!["without its mistake".to_owned()])
//! })?;
//! assert_eq!(imported.added[0].0.as_str(), "a");
//!
//! // A change of one branch is taken; different changes of the same field would be conflicts.
//! let ours = String::from_utf8(text.to_vec())?.replace("Git", "Version control");
//! let merged = interchange::merge(text, ours.as_bytes(), &own.to_bytes())?;
//! assert_eq!(merged.conflicts, [""; 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod export;
mod import;
mod jsonl;
mod merge;
mod older;

pub use export::{Exported, LeftOut, export};
pub use import::{ImportError, Imported, import, lesson_in_braces};
pub use jsonl::{EvidenceIn, Lines, lines, read_lines};
pub use merge::{MergeError, Merged, merge};
pub use older::{Faults, read_older};
