//! The workspace: its folders and packages, as cargo sees them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cargo;

/// The workspace of this clone.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The folder of the workspace's Cargo.toml.
    pub(crate) root: PathBuf,
    /// The target folder, which the environment may have moved elsewhere.
    pub(crate) target: PathBuf,
    /// The version that all our crates share.
    pub(crate) version: String,
    /// Our own packages, as `cargo metadata` lists them.
    pub(crate) packages: Vec<Value>,
}

impl Workspace {
    /// Asks cargo about the workspace that this program was built from.
    pub(crate) fn find() -> Result<Self> {
        let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = xtask.parent().context("xtask lies in no workspace")?.to_owned();
        let metadata = cargo::metadata(&root, &["--no-deps"])?;
        let target = metadata["target_directory"].as_str().context("cargo names no target folder")?;
        let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
        let version = packages
            .iter()
            .find(|package| package["name"] == "xtask")
            .and_then(|package| package["version"].as_str())
            .context("cargo names no version")?;
        Ok(Self { root, target: target.into(), version: version.to_owned(), packages })
    }

    /// Returns the folder of the assembled plugin. `marketplace.json` names this path, so it does not follow a target
    /// folder that the environment moved.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("target").join("dist").join("lessons")
    }
}
