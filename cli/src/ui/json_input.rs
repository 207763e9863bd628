//! JSON from a person: a file, or standard input.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_context::error::Refused;
use lessons_review::cleaning;
use lessons_text::neutral::{line, shortened};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The most bytes that are read.
const LIMIT: u64 = 4 << 20;
/// The longest error message about the input, in characters.
const MAX_COMPLAINT_CHARS: usize = 500;

/// The input, not yet parsed.
#[derive(Debug)]
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Input {
    /// Reads a file; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        let (name, read) = if path == Path::new("-") {
            let stdin = std::io::stdin().take(LIMIT + 1).read_to_end(&mut bytes);
            ("standard input".to_owned(), stdin)
        } else {
            let file =
                std::fs::File::open(path).and_then(|file| file.take(LIMIT + 1).read_to_end(&mut bytes));
            (path.display().to_string(), file)
        };
        read.with_context(|| name.clone())?;
        if bytes.len() as u64 > LIMIT {
            bail!(Refused(format!("{name} is larger than the {} MiB that are read", LIMIT >> 20)));
        }
        Ok(Self { name, bytes })
    }

    /// Parses the input as any JSON.
    pub(crate) fn value(&self) -> Result<Value> {
        serde_json::from_slice(&self.bytes)
            .map_err(|error| Refused(format!("{}: {}", self.name, complaint(&error))).into())
    }
}

/// Converts JSON into a type; `what` names the type in an error.
pub(crate) fn understood<T: DeserializeOwned>(value: Value, what: &str) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Refused(format!("{what}: {}", complaint(&error))).into())
}

/// A serde error, shortened: it may quote the input, secrets included.
pub(crate) fn complaint(error: &serde_json::Error) -> String {
    shortened(&line(&cleaning::cleaned(&error.to_string())), MAX_COMPLAINT_CHARS)
}
