//! A file of decisions, which are carried out together.

use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_context::error::Refused;
use serde::Deserialize;

use super::Decision;
use crate::ui::json_input::{self, Input};

/// Decisions that are carried out together.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) decisions: Vec<Decision>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    decisions: Vec<Decision>,
}

impl Batch {
    /// Reads a file of decisions; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let Input { name, bytes } = Input::read(path)?;
        Self::parse(&bytes).with_context(|| name)
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let file: File = serde_json::from_slice(bytes).map_err(|error| {
            let error = json_input::complaint(&error);
            Refused(format!("{error}; `lessons review --help` shows what a file of decisions looks like"))
        })?;
        if file.decisions.is_empty() {
            bail!(Refused("there is no decision in it".into()));
        }
        Ok(Self { decisions: file.decisions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_a_whole_or_not_at_all() {
        let good = br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}]}"#;
        assert_eq!(Batch::parse(good).unwrap().decisions.len(), 1);
        for bad in [
            &b"[]"[..],
            br#"{"decisions": []}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}, {}]}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}], "apply": true}"#,
            b"",
        ] {
            let error = Batch::parse(bad).unwrap_err();
            assert!(error.is::<Refused>(), "{error}");
        }
    }
}
