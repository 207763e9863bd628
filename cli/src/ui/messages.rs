//! Answers of verbs that did something: one sentence for people, the same as fields for programs.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use lessons_review::change::Unchanged;
use lessons_text::neutral;
use serde::Serialize;

pub use lessons_context::error::sentence;

use crate::ui::paint::Paint;

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

impl From<Unchanged> for Message {
    fn from(Unchanged { id, message, next }: Unchanged) -> Self {
        Self::new("unchanged", id, message).then(next)
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

/// JSON that is safe on a terminal: hidden characters become escapes, so that programs still read the same text.
pub fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Outside of strings, JSON has no hidden characters but line feeds and tabs.
        if matches!(c, '\n' | '\t') || !lessons_text::neutral::is_hidden(c) {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// The same JSON with every string made neutral, for an agent to read.
pub fn neutral_json(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(lessons_text::neutral::line(&text)),
        Value::Array(items) => items.into_iter().map(neutral_json).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, neutral_json(value))).collect(),
        other => other,
    }
}

/// Prints warnings on standard error.
pub(crate) fn warn(warnings: impl IntoIterator<Item = impl AsRef<str>>) {
    let name = Paint::of_stderr().warning("warning:");
    for warning in warnings {
        // If standard error is closed, the warning is lost.
        let _ = writeln!(std::io::stderr(), "{name} {}", neutral::visible(warning.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_after_its_hidden_characters_are_escaped() {
        let text = "a\u{202e}b\u{9b}c\u{e0041}\n\"é";
        let shown = visible_json(&serde_json::to_string(text).unwrap());
        assert_eq!(shown, r#""a\u202eb\u009bc\udb40\udc41\n\"é""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }

    #[test]
    fn every_text_of_a_value_is_neutral_for_an_agent() {
        let value = serde_json::json!({"a": ["x\u{1b}[2J\ny"], "n": 1});
        assert_eq!(neutral_json(value), serde_json::json!({"a": ["x[2J y"], "n": 1}));
    }

    #[test]
    fn a_sentence_is_followed_by_the_next_command() {
        let said = Message::new("rejected", "3f2a", "candidate 3f2a is rejected").then("lessons candidates");
        assert_eq!(said.to_string(), "candidate 3f2a is rejected\nNext: lessons candidates");
    }
}
