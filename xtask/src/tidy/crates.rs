//! Which crate may use which.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo;

/// What must never be linked into a hook: databases, async runtimes, networks, argument parsers,
/// file watchers. A hook that has none of them cannot wait for anything.
const NOT_IN_HOOKS: [&str; 12] = [
    "async-std",
    "clap",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "notify",
    "reqwest",
    "rusqlite",
    "socket2",
    "tiny_http",
    "tokio",
    "ureq",
];

/// The staircase: each crate with the ones of ours that it may use. Tests may use all.
const STAIRCASE: [(&str, &[&str]); 10] = [
    ("lessons-core", &[]),
    ("lessons-fast-hook", &["lessons-core"]),
    ("lessons-hooks", &["lessons-core"]),
    ("lessons-store", &["lessons-core"]),
    ("lessons-scanner", &["lessons-core", "lessons-store"]),
    ("lessons-manifest-builder", &["lessons-core", "lessons-store"]),
    ("lessons-replay", &["lessons-core", "lessons-scanner", "lessons-manifest-builder"]),
    (
        "lessons-cli",
        &["lessons-core", "lessons-store", "lessons-scanner", "lessons-manifest-builder", "lessons-replay"],
    ),
    ("lessons-bench", &["lessons-core", "lessons-store", "lessons-manifest-builder"]),
    ("xtask", &[]),
];

/// Packages in the hooks' dependency tree that must not be there.
pub(super) fn forbidden_in_hooks(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for hook in ["lessons-hooks", "lessons-fast-hook"] {
        findings.extend(forbidden_in(root, hook)?);
    }
    Ok(findings)
}

fn forbidden_in(root: &Path, hook: &str) -> Result<Vec<String>> {
    let output = cargo::command(root)
        .args(["tree", "--locked", "--package", hook, "--edges", "normal"])
        .args(["--target", "all", "--prefix", "none", "--format", "{p}"])
        .output()
        .context("cannot start cargo tree")?;
    ensure!(output.status.success(), "cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout)?;
    ensure!(tree.contains("lessons-core "), "cargo tree does not show what {hook} uses");
    Ok(forbidden(&tree).map(|name| format!("{hook} must not link {name}")).collect())
}

fn forbidden(tree: &str) -> impl Iterator<Item = &'static str> {
    NOT_IN_HOOKS
        .into_iter()
        .filter(move |name| tree.lines().any(|line| line.split(' ').next() == Some(*name)))
}

/// Dependencies between our own crates that go up or across the staircase, tests included.
pub(super) fn wrong_arrows(packages: &[Value]) -> Vec<String> {
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        if name == "lessons-tests" {
            continue;
        }
        let Some((_, may)) = STAIRCASE.iter().find(|(crate_name, _)| *crate_name == name) else {
            findings.push(format!("{name} has no place on the staircase of crates"));
            continue;
        };
        let used = package["dependencies"].as_array().into_iter().flatten();
        for used in used.filter_map(|dependency| dependency["name"].as_str()) {
            // A crate may use itself: that is how its own tests switch on a feature.
            if used != name && ours.contains(&used) && !may.contains(&used) {
                findings.push(format!("{name} must not use {used}"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_whole_package_names_count() {
        let tree = "lessons-hooks v0.1.0 (/p)\nclap_lex v0.7.0\nnotify-types v1\nserde v1.0.0\n";
        assert_eq!(forbidden(tree).count(), 0);
        let tree = "lessons-hooks v0.1.0 (/p)\nclap v4.5.0\ntokio v1.0.0 (*)\n";
        assert_eq!(forbidden(tree).collect::<Vec<_>>(), ["clap", "tokio"]);
    }

    #[test]
    fn an_arrow_up_the_staircase_is_found_and_one_down_is_not() {
        let uses = |name: &str, used: &str| json!({"name": name, "dependencies": [{"name": used}]});
        let good = [uses("lessons-core", "serde"), uses("lessons-store", "lessons-core")];
        assert!(wrong_arrows(&good).is_empty());
        let bad = [uses("lessons-core", "lessons-store"), uses("lessons-store", "serde")];
        assert_eq!(wrong_arrows(&bad), ["lessons-core must not use lessons-store"]);
        assert_eq!(wrong_arrows(&[uses("stray", "serde")]).len(), 1);
    }
}
