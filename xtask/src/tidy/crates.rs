//! The rules about dependencies: which crate may use which, and what no hook may link.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo;
use crate::workspace::Workspace;

/// Packages that must never be linked into a hook: databases, async runtimes, networks, argument parsers,
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

/// The floors of the workspace, from the ground up. A crate may use the crates of lower floors, and no crate of its own
/// floor or a higher one, so no circle of crates is possible. Integration tests may use any crate.
const FLOORS: [&[&str]; 19] = [
    &["lessons-text", "xtask"],
    &["lessons-shell", "lessons-pattern"],
    &["lessons-lesson"],
    &["lessons-home", "lessons-client", "lessons-incident", "lessons-share"],
    &["lessons-index"],
    &["lessons-recall", "lessons-decide"],
    &["lessons-store", "lessons-hooks"],
    &["lessons-ledger", "lessons-manifest-builder"],
    &["lessons-scanner"],
    &["lessons-replay"],
    &["lessons-effect"],
    &["lessons-context"],
    &["lessons-incident-check", "lessons-setup"],
    &["lessons-publish"],
    &["lessons-review"],
    &["lessons-sharing", "lessons-doctor"],
    &["lessons-cli"],
    &["lessons-bench"],
    &["lessons-tests"],
];

/// Finds what must not be linked in the dependency trees of the hooks: of all packages below the folder `hooks`.
pub(super) fn forbidden_in_hooks(workspace: &Workspace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for hook in packages_below(&workspace.root.join("hooks"), &workspace.packages) {
        findings.extend(forbidden_in(&workspace.root, hook)?);
    }
    Ok(findings)
}

fn packages_below<'p>(folder: &Path, packages: &'p [Value]) -> impl Iterator<Item = &'p str> {
    let is_below = move |package: &&Value| {
        package["manifest_path"].as_str().is_some_and(|manifest| Path::new(manifest).starts_with(folder))
    };
    packages.iter().filter(is_below).filter_map(|package| package["name"].as_str())
}

fn forbidden_in(root: &Path, hook: &str) -> Result<Vec<String>> {
    let output = cargo::command(root)
        .args(["tree", "--locked", "--package", hook, "--edges", "normal"])
        .args(["--target", "all", "--prefix", "none", "--format", "{p}"])
        .output()
        .context("cannot start cargo tree")?;
    ensure!(output.status.success(), "cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout)?;
    ensure!(tree.lines().count() > 1, "cargo tree does not show what {hook} uses");
    Ok(forbidden(&tree).map(|name| format!("{hook} must not link {name}")).collect())
}

fn forbidden(tree: &str) -> impl Iterator<Item = &'static str> {
    NOT_IN_HOOKS
        .into_iter()
        .filter(move |name| tree.lines().any(|line| line.split(' ').next() == Some(*name)))
}

/// Finds dependencies between our own crates that do not lead down, and crates that have no floor.
pub(super) fn not_downwards(packages: &[Value]) -> Vec<String> {
    let floor_of = |name: &str| FLOORS.iter().position(|floor| floor.contains(&name));
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(floor) = floor_of(name) else {
            findings.push(format!("{name} has no floor in {}", file!()));
            continue;
        };
        let used = package["dependencies"].as_array().into_iter().flatten();
        let linked = used.filter(|dependency| dependency["kind"].as_str() != Some("dev"));
        for used in linked.filter_map(|dependency| dependency["name"].as_str()) {
            if floor_of(used).is_some_and(|used| used >= floor) {
                findings.push(format!("{name} must not use {used}, which is on no lower floor"));
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
    fn a_dependency_must_lead_to_a_lower_floor() {
        let uses = |name: &str, used: &str| json!({"name": name, "dependencies": [{"name": used}]});
        let (ground, first) = (FLOORS[0][0], FLOORS[1]);
        assert!(not_downwards(&[uses(ground, "serde"), uses(first[0], ground)]).is_empty());
        let tests = json!({"name": ground, "dependencies": [{"name": first[0], "kind": "dev"}]});
        assert!(not_downwards(&[tests]).is_empty());
        assert_eq!(not_downwards(&[uses(ground, first[0]), uses(first[0], "serde")]).len(), 1);
        assert_eq!(not_downwards(&[uses(first[0], first[1])]).len(), 1);
        assert_eq!(not_downwards(&[uses("stray", "serde")]).len(), 1);
    }

    #[test]
    fn every_package_below_a_folder_is_found() {
        let package = |name: &str, manifest: &str| json!({"name": name, "manifest_path": manifest});
        let packages = [
            package("a", "/w/hooks/Cargo.toml"),
            package("b", "/w/hooks/fast/Cargo.toml"),
            package("c", "/w/hooks-more/Cargo.toml"),
        ];
        assert_eq!(packages_below(Path::new("/w/hooks"), &packages).collect::<Vec<_>>(), ["a", "b"]);
    }
}
