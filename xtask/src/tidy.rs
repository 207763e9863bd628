//! `cargo xtask tidy`: the rules of the house that no compiler knows.

mod crates;
mod engines;
#[allow(dead_code, reason = "joins the rules once the last circle is gone")]
mod imports;
mod sources;

use anyhow::{Result, ensure};

use crate::workspace::Workspace;

/// Checks all rules, and names all places where one is broken.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut findings = crates::forbidden_in_hooks(workspace)?;
    findings.extend(crates::not_downwards(&workspace.packages));
    findings.extend(engines::undeclared(&workspace.packages));
    findings.extend(sources::check(workspace)?);
    ensure!(findings.is_empty(), "the house is not tidy:\n  {}", findings.join("\n  "));
    println!("Tidy");
    Ok(())
}
