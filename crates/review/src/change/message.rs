//! What is said of one thing that was decided or done: one sentence for people, the same as fields for programs.

use std::fmt;

use serde::Serialize;

/// The answer of a verb about one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The result in one word for programs: `rejected`, `off`, `unchanged`.
    pub done: &'static str,
    /// The id of the lesson, candidate or change.
    pub id: String,
    /// The result in a sentence.
    pub message: String,
    /// The command that usually follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Message {
    /// An answer without a following command.
    pub fn new(done: &'static str, id: impl Into<String>, message: impl Into<String>) -> Self {
        Self { done, id: id.into(), message: message.into(), next: None }
    }

    /// The same answer with the command that usually follows.
    #[must_use]
    pub fn then(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.next {
            Some(next) => write!(f, "\nNext: {next}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_followed_by_the_next_command() {
        let said = Message::new("rejected", "3f2a", "candidate 3f2a is rejected").then("lessons candidates");
        assert_eq!(said.to_string(), "candidate 3f2a is rejected\nNext: lessons candidates");
    }
}
