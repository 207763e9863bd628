//! What a person gives: JSON mostly, in a file or on standard input.

use std::io::Read;

use crate::prelude::*;
pub(crate) use lessons_review::typed::{complaint, understood};

/// The most bytes of JSON that are read.
const LIMIT: u64 = 4 << 20;

/// The input, not yet parsed.
#[derive(Debug)]
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Input {
    /// Reads at most so many bytes of a file; `-` is standard input.
    pub(crate) fn read(path: &Path, most: u64) -> Result<Self> {
        let (name, source): (String, Box<dyn Read>) = if path == Path::new("-") {
            ("standard input".to_owned(), Box::new(std::io::stdin().lock()))
        } else {
            let name = path.display().to_string();
            let file = std::fs::File::open(path).with_context(|| name.clone())?;
            (name, Box::new(file))
        };
        let mut bytes = Vec::new();
        source.take(most + 1).read_to_end(&mut bytes).with_context(|| name.clone())?;
        if bytes.len() as u64 > most {
            bail!(Refused(format!("{name} is larger than the {} MiB that are read", most >> 20)));
        }
        Ok(Self { name, bytes })
    }

    /// Reads JSON.
    pub(crate) fn json(path: &Path) -> Result<Self> {
        Self::read(path, LIMIT)
    }

    /// Parses the input as any JSON.
    pub(crate) fn value(&self) -> Result<Value> {
        serde_json::from_slice(&self.bytes)
            .map_err(|error| Refused(format!("{}: {}", self.name, complaint(&error))).into())
    }
}
