//! JSON that others wrote.

use lessons_context::error::{Refused, Result};
use lessons_text::neutral::{line, shortened};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cleaning;

/// The longest error message about it, in characters.
const MAX_COMPLAINT_CHARS: usize = 500;

/// Converts JSON into a type; `what` names the type in an error.
pub fn understood<T: DeserializeOwned>(value: Value, what: &str) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Refused(format!("{what}: {}", complaint(&error))).into())
}

/// A serde error, shortened: it may quote the input, secrets included.
pub fn complaint(error: &serde_json::Error) -> String {
    shortened(&line(&cleaning::cleaned(&error.to_string())), MAX_COMPLAINT_CHARS)
}
