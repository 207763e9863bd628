//! Everything that is wrong or doubtful in a graph, each thing by itself: one broken entry never hides
//! the others.
//!
//! Errors are what keeps something from working; warnings are worth a look. A change may not introduce
//! an error (see [`crate::transaction`]), but it never asks for what needs a look at the disk: whether a
//! glob matches a file of a project is judged only where somebody asks for it, with the project's
//! [`Files`].
//!
//! ```
//! use lessons_store::graph::{Graph, Origin};
//! use lessons_store::validate;
//!
//! let text = br#"{
//!   "version": 1,
//!   "lessons": { "a": { "rule": "Say why.", "topics": ["git"], "triggers": ["t1"], "evidence": [],
//!                       "status": "active", "createdAt": "2026-01-31" } },
//!   "topics": { "git": { "summary": "Git" } },
//!   "triggers": { "t1": { "kind": "command_pattern", "pattern": "(?=x)y" } }
//! }"#;
//! let graph = Graph::parse("lessons.json", text, Origin::Own)?;
//! let findings = validate::findings(&graph, None);
//! assert_eq!(findings[0].flaw.code, "UNSAFE_TRIGGER_PATTERN");
//! # Ok::<(), lessons_store::graph::UnreadableGraph>(())
//! ```

mod files;
mod health;
mod nodes;

use lessons_lesson::validate::Level;

use crate::graph::Graph;
use crate::problem::Problem;

pub use self::files::Files;
pub use self::health::{FANOUT, LONG_KEYWORD};
pub(crate) use self::health::{fanouts, of_trigger};
pub use self::nodes::normal_rule;

/// All findings, errors first, in the order of the file.
pub fn findings(graph: &Graph, files: Option<&Files>) -> Vec<Problem> {
    let mut all = graph.problems().to_vec();
    all.extend(nodes::problems(graph));
    all.extend(health::problems(graph, files));
    all.sort_by_key(|problem| std::cmp::Reverse(problem.flaw.level == Level::Error));
    all
}
