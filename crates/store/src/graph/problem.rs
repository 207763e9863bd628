//! Problems of a store, worded so that a person can fix them.

use std::fmt;
use std::path::PathBuf;

pub use lessons_lesson::validate::{Flaw, Level};
use lessons_text::neutral;

/// A flaw and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file that holds it.
    pub file: PathBuf,
    /// The lesson, topic or trigger; `None` means the file as a whole.
    pub node: Option<Node>,
    /// The fault, and the way to fix it.
    pub flaw: Flaw,
}

lessons_text::named! {
    /// A kind of node of a lessons graph, in the order of the file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum NodeKind {
        /// A key of `lessons`.
        Lesson = "lesson",
        /// A key of `topics`.
        Topic = "topic",
        /// A key of `triggers`.
        Trigger = "trigger",
    }
}

/// A node of a lessons graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// The id that it has in its file, which may be any text.
    pub id: String,
}

impl Problem {
    /// Returns whether it keeps something from working.
    pub fn is_error(&self) -> bool {
        self.flaw.level == Level::Error
    }

    /// Returns the lesson that it is about, if any.
    pub fn lesson(&self) -> Option<&str> {
        self.node.as_ref().filter(|node| node.kind == NodeKind::Lesson).map(|node| node.id.as_str())
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, shown(&self.id))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file.display())?;
        if let Some(node) = &self.node {
            write!(f, "{node}: ")?;
        }
        write!(f, "{}", self.flaw)
    }
}

/// Returns the error of a node that does not have the form of its kind.
pub(crate) fn invalid(what: impl Into<String>, hint: impl Into<String>) -> Flaw {
    Flaw::error("SCHEMA_INVALID", what, hint)
}

/// Returns hostile text fit for a message: at most 80 characters, hidden ones made visible.
pub(crate) fn shown(text: &str) -> String {
    let seen: String =
        text.chars().take(81).map(|c| if neutral::is_hidden(c) { '\u{fffd}' } else { c }).collect();
    neutral::shortened(&seen, 80)
}

/// Returns the first `most` items, each on a line of its own, and the number of the others.
pub fn listed(items: &[impl fmt::Display], most: usize) -> String {
    let mut lines: Vec<String> = items.iter().take(most).map(|item| format!("\n  {item}")).collect();
    if items.len() > most {
        lines.push(format!("\n  and {} more", items.len() - most));
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_the_file_the_id_and_what_to_do() {
        let problem = Problem {
            file: "/h/lessons.json".into(),
            node: Some(Node { kind: NodeKind::Lesson, id: "a\u{1b}[2J".into() }),
            flaw: Flaw::error("EMPTY_RULE", "the rule is empty", "write what to do instead"),
        };
        assert_eq!(
            problem.to_string(),
            "/h/lessons.json: lesson `a\u{fffd}[2J`: the rule is empty; write what to do instead (EMPTY_RULE)"
        );
    }

    #[test]
    fn a_long_id_is_cut_in_messages() {
        assert_eq!(shown(&"é".repeat(100)).chars().count(), 80);
    }
}
