//! A file of decisions, which are carried out together.

use std::path::Path;

use anyhow::{Context, Result, bail};
use lessons_context::error::Refused;
use serde::Deserialize;

use super::Decision;
use crate::ui::json_input::{self, Input};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    decisions: Vec<Decision>,
}

/// Reads a file of decisions that are carried out together; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<Decision>> {
    let Input { name, bytes } = Input::read(path)?;
    parse(&bytes).with_context(|| name)
}

fn parse(bytes: &[u8]) -> Result<Vec<Decision>> {
    let file: File = serde_json::from_slice(bytes).map_err(|error| {
        let error = json_input::complaint(&error);
        Refused(format!("{error}; `lessons review --help` shows what a file of decisions looks like"))
    })?;
    if file.decisions.is_empty() {
        bail!(Refused("there is no decision in it".into()));
    }
    Ok(file.decisions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_a_whole_or_not_at_all() {
        let good = br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}]}"#;
        assert_eq!(parse(good).unwrap().len(), 1);
        for bad in [
            &b"[]"[..],
            br#"{"decisions": []}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}, {}]}"#,
            br#"{"decisions": [{"do": "skip", "candidate": "3f2a"}], "apply": true}"#,
            b"",
        ] {
            let error = parse(bad).unwrap_err();
            assert!(error.is::<Refused>(), "{error}");
        }
    }
}
