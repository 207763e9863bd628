//! An answer of a verb: lines for people, and fields for programs.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// An answer.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Answer {
    fields: Value,
    #[serde(skip)]
    lines: Vec<String>,
}

impl Answer {
    /// An answer with these lines, and these fields (an object or a list).
    pub(crate) fn new(lines: Vec<String>, fields: Value) -> Self {
        Self { fields, lines }
    }

    /// The answer with one more field, unless there is nothing to say in it.
    #[must_use]
    pub(crate) fn given(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or_default();
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if let Some(fields) = self.fields.as_object_mut().filter(|_| !is_empty) {
            fields.insert(name.to_owned(), value);
        }
        self
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}
