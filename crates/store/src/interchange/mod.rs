//! Lessons graphs of other tools: written so that they can read them, read from them, and two branches'
//! versions of one made one. [`read_older`] reads the layout that such graphs had before they were one file.
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
//! // All of a file comes in, or nothing of it; each lesson may be cleaned first.
//! let mut own = Graph::empty("lessons.json");
//! let imported = interchange::import(&mut own, "theirs.json", text, &mut |lesson| lesson.mistake = None)?;
//! assert_eq!(imported.added[0].as_str(), "a");
//!
//! // What one branch changed is changed; what both changed in different ways would be among the conflicts.
//! let ours = String::from_utf8(text.to_vec())?.replace("Git", "Version control");
//! let merged = interchange::merge(text, ours.as_bytes(), &own.to_bytes())?;
//! assert_eq!(merged.conflicts, [""; 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ahead;
mod braces;
mod export;
mod import;
mod merge;
mod older;

pub use export::{Exported, LeftOut, export};
pub use import::{ImportError, Imported, import};
pub use merge::{MergeError, Merged, merge};
pub use older::{Faults, read_older};
