//! A history of sessions in a folder of its own, for scans and replays.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lessons_bench::transcripts::HistoryFacts;
use tempfile::TempDir;

use super::scratch::Scratch;

/// The size of the large history, in bytes.
pub(crate) const BYTES: u64 = 1_000_000_000;

/// A temporary folder of the client with transcripts in it.
pub(crate) struct HistoryFolder {
    folder: TempDir,
    /// The counts of the transcripts.
    pub(crate) facts: HistoryFacts,
}

impl HistoryFolder {
    /// Makes the folder and lets `write` fill its folder of projects.
    pub(crate) fn write(
        scratch: &Scratch,
        write: impl FnOnce(&Path) -> std::io::Result<HistoryFacts>,
    ) -> Result<Self> {
        let folder = scratch.temporary_folder()?;
        let facts = write(&folder.path().join("projects")).context("cannot write a history")?;
        Ok(Self { folder, facts })
    }

    /// Returns the value for `CLAUDE_CONFIG_DIR`.
    pub(crate) fn config(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder with the transcripts.
    pub(crate) fn projects(&self) -> PathBuf {
        self.folder.path().join("projects")
    }
}
