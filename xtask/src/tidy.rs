//! `cargo xtask tidy`: rules about our sources that the compiler does not know.

mod crates;
mod engines;
mod imports;
mod links;
mod sources;

use anyhow::{Result, ensure};

use crate::workspace::Workspace;

/// Checks all rules and lists all violations.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut findings = crates::forbidden_in_hooks(workspace)?;
    findings.extend(crates::not_downwards(&workspace.packages));
    findings.extend(sources::check(workspace)?);
    findings.extend(links::broken(&workspace.root, &sources::tracked(&workspace.root)?)?);
    findings.extend(imports::circle(&workspace.root, &workspace.packages)?);
    ensure!(findings.is_empty(), "rules are broken:\n  {}", findings.join("\n  "));
    println!("Tidy");
    Ok(())
}
