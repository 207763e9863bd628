//! JSON that is safe to print, and warnings.

use std::fmt::Write as _;
use std::io::Write as _;

pub use lessons_context::sentence;
use lessons_context::{Coded, Error, Exit, Refused};
use lessons_text::neutral;
use serde_json::Value;

use crate::ui::paint::Paint;

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
}

/// JSON that is safe on a terminal: hidden characters become escapes, so that programs still read the same text.
pub fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Outside of strings, JSON has no hidden characters but line feeds and tabs.
        if matches!(c, '\n' | '\t') || !neutral::is_hidden(c) {
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
pub fn neutral_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(neutral::line(&text)),
        Value::Array(items) => items.into_iter().map(neutral_json).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, neutral_json(value))).collect(),
        other => other,
    }
}

/// Prints warnings on standard error.
pub(crate) fn warn(warnings: impl IntoIterator<Item = impl AsRef<str>>) {
    let name = Paint::of_stderr().warning("warning:");
    for warning in warnings {
        beside(&format!("{name} {}", neutral::visible(warning.as_ref())));
    }
}

/// Says something about the output beside it.
pub(crate) fn note(text: &str) {
    beside(&format!("lessons: {}", neutral::visible(text)));
}

/// Prints a line on standard error. If that is closed, it is lost.
pub(crate) fn beside(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// What has a code among the error and its causes.
pub fn coded(error: &anyhow::Error) -> Option<&Coded> {
    error.chain().find_map(|cause| {
        cause.downcast_ref().or_else(|| cause.downcast_ref::<Error>().and_then(Error::coded))
    })
}

/// The exit status that goes with the error.
pub fn exit(error: &anyhow::Error) -> Exit {
    let is_refused = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<Refused>() || cause.downcast_ref().is_some_and(|it: &Error| it.exit() == Exit::Refused)
    };
    match coded(error) {
        Some(coded) => coded.exit,
        None if error.chain().any(is_refused) => Exit::Refused,
        None => Exit::Findings,
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
}
