//! JSON from a person: a file, or standard input.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_context::Refused;
pub(crate) use lessons_review::typed::{complaint, understood};
use serde_json::Value;

/// The most bytes that are read.
const LIMIT: u64 = 4 << 20;

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
