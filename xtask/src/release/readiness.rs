//! What must not be published: a README with a placeholder in it, a version that the changelog does not date.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;

/// The placeholder in the address of the archives. Its name can never be registered (RFC 2606).
pub(crate) const PLACEHOLDER: &str = "lessons.example";

/// Fails if the clone must not be published as it is.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let read = |name: &str| {
        fs::read_to_string(workspace.root.join(name)).with_context(|| format!("cannot read {name}"))
    };
    let mut findings = Vec::new();
    findings.extend(placeholder(&read("README.md")?));
    findings.extend(undated(&read("CHANGELOG.md")?, &workspace.version));
    let output = Command::new("git")
        .args(["status", "--porcelain"])
        .current_dir(&workspace.root)
        .output()
        .context("cannot start git")?;
    if !output.stdout.is_empty() {
        findings.push("the clone has changes that are not committed".to_owned());
    }
    ensure!(findings.is_empty(), "this must not be published:\n  {}", findings.join("\n  "));
    Ok(())
}

fn placeholder(readme: &str) -> Option<String> {
    let line = readme.lines().position(|line| line.contains(PLACEHOLDER))?;
    Some(format!("README.md:{}: {PLACEHOLDER} is a placeholder; write the real address", line + 1))
}

/// A version in the changelog has a date once it is released.
fn undated(changelog: &str, version: &str) -> Option<String> {
    let heading = changelog.lines().find(|line| line.starts_with(&format!("## {version}")));
    match heading {
        None => Some(format!("CHANGELOG.md says nothing of {version}")),
        Some(heading) if heading.contains("not yet") => {
            Some(format!("CHANGELOG.md says that {version} is not yet released; write the date"))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_refused_with_its_line() {
        let found = placeholder("a\nhttps://lessons.example/x\n").unwrap();
        assert!(found.starts_with("README.md:2:"), "{found}");
        assert_eq!(placeholder("https://real.org/x"), None);
    }

    #[test]
    fn the_readme_of_this_clone_has_the_placeholder_or_an_address() {
        let readme = include_str!("../../../README.md");
        assert!(readme.contains("linux-x86-64.tar.gz"), "the README does not say where archives are");
    }

    #[test]
    fn a_version_that_is_not_released_is_refused() {
        assert!(undated("## 0.1.0 (not yet released)\n", "0.1.0").is_some());
        assert!(undated("## 0.0.9 (2026-01-01)\n", "0.1.0").is_some());
        assert_eq!(undated("## 0.1.0 (2026-12-01)\n", "0.1.0"), None);
    }
}
