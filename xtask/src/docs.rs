//! `cargo xtask docs`: writes what README.md and docs/ show of the program.
//!
//! The tests in `tests/tests/cli/docs/shown.rs` make the picture of the review screen, the exchange with the hook and the
//! help of every verb. Usually they compare them with the files; here they write them.

use anyhow::{Context, Result, ensure};

use crate::cargo;
use crate::workspace::Workspace;

/// The variable that makes these tests write.
const WRITE: &str = "LESSONS_WRITE_DOCS";

/// Writes the files.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let status = cargo::command(&workspace.root)
        .args(["test", "--package", "lessons-tests", "--test", "cli", "docs::shown::"])
        .env(WRITE, "1")
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "not everything was written");
    Ok(())
}
