//! `cargo xtask docs`: writes what README.md and docs/ show of the program.
//!
//! The tests in `tests/tests/cli/seeing/docs/shown.rs` draw the review screen and a blocked call, and write
//! the help of every verb, `manifest-builder/tests/guards.rs` the table of losses. Usually they compare them with the files;
//! here they write them.

use anyhow::{Context, Result, ensure};

use crate::cargo;
use crate::workspace::Workspace;

/// The variable that makes these tests write.
const WRITE: &str = "LESSONS_WRITE_DOCS";

/// Writes the files.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    for (package, test, filter) in
        [("lessons-manifest-builder", "guards", "reported"), ("lessons-tests", "cli", "docs::shown::")]
    {
        let status = cargo::command(&workspace.root)
            .args(["test", "--package", package, "--test", test, filter])
            .env(WRITE, "1")
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "not everything was written");
    }
    Ok(())
}
