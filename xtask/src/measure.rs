//! `cargo xtask bench` and `cargo xtask gates`: the cost of a call of the hook.
//!
//! The plugin is assembled first, so what is measured is what a user would get.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::elf::{self, Linkage};
use crate::workspace::Workspace;
use crate::{cargo, dist};

/// The hook that runs at every tool call.
const HOOK: &str = "lessons-pre-tool-use";
/// The package that it is built from.
const PACKAGE: &str = "lessons-hooks";
/// The list of its dependencies and their features. A feature that is switched on by accident costs every call.
const FEATURES: &str = "hooks/features.txt";

/// Measures times and writes them into BENCHMARKS.md.
pub(crate) fn bench(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let mut all = vec!["--document".into(), workspace.root.join("BENCHMARKS.md").into_os_string()];
    all.extend_from_slice(arguments);
    // Whoever asks what can be asked for should not wait for a build.
    let asks = arguments.iter().any(|argument| argument == "--help" || argument == "-h");
    let plugin = if asks { workspace.dist() } else { dist::run(workspace)? };
    harness(workspace, "table", &plugin, &all)
}

/// Checks all gates and lists those that were not passed.
pub(crate) fn gates(workspace: &Workspace) -> Result<()> {
    let plugin = dist::run(workspace)?;
    let checks = [
        ("the dynamic loader", no_loader(&plugin)),
        ("features", same_features(workspace)),
        ("counts", harness(workspace, "gates", &plugin, &[])),
    ];
    let mut failed = Vec::new();
    for (what, result) in checks {
        match result {
            Ok(()) => println!("Gate passed: {what}"),
            Err(error) => failed.push(format!("{what}: {error:#}")),
        }
    }
    ensure!(failed.is_empty(), "not every gate was passed:\n  {}", failed.join("\n  "));
    Ok(())
}

/// Writes the list of features again, for a person to review and commit.
pub(crate) fn renew_features(workspace: &Workspace) -> Result<()> {
    let path = workspace.root.join(FEATURES);
    fs::write(&path, features(&workspace.root)?).with_context(|| format!("cannot write {FEATURES}"))?;
    println!("Wrote {FEATURES}; see what changed: git diff {FEATURES}");
    Ok(())
}

fn no_loader(plugin: &Path) -> Result<()> {
    let program = plugin.join("bin").join(HOOK);
    let bytes = fs::read(&program).with_context(|| format!("cannot read {}", program.display()))?;
    let linkage = elf::linkage(&bytes)?;
    ensure!(linkage == Linkage::Static, "{HOOK} is {linkage:?}: more than the kernel is needed to load it");
    Ok(())
}

fn same_features(workspace: &Workspace) -> Result<()> {
    let path = workspace.root.join(FEATURES);
    let known = fs::read_to_string(&path).with_context(|| format!("cannot read {FEATURES}"))?;
    let found = features(&workspace.root)?;
    let changes = changes(&known, &found);
    ensure!(
        changes.is_empty(),
        "{PACKAGE} is not built from what {FEATURES} says:\n    {}\n  If that is meant: cargo xtask renew-features",
        changes.join("\n    ")
    );
    Ok(())
}

/// Lists the dependencies of the hook as `cargo tree` prints them: each package and feature with its user.
fn features(root: &Path) -> Result<String> {
    let output = cargo::command(root)
        .args(["tree", "--locked", "--package", PACKAGE, "--edges", "features,normal,build"])
        .args(["--target", "x86_64-unknown-linux-musl", "--charset", "ascii"])
        .output()
        .context("cannot start cargo tree")?;
    ensure!(output.status.success(), "cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(without_places(&String::from_utf8(output.stdout)?))
}

/// Removes the folder of this clone, which follows the names of our own packages.
fn without_places(tree: &str) -> String {
    let line = |line: &str| match line.split_once(" (/") {
        Some((before, rest)) => format!("{before}{}\n", rest.split_once(')').map_or("", |(_, after)| after)),
        None => format!("{line}\n"),
    };
    tree.lines().map(line).collect()
}

/// Lists the lines that are in one of two texts only, marked as in a patch.
fn changes(known: &str, found: &str) -> Vec<String> {
    let missing = |from: &str, other: &str, mark: char| -> Vec<String> {
        let plain = |line: &str| line.trim_start_matches(['|', '`', '-', ' ']).to_owned();
        let other: Vec<String> = other.lines().map(plain).collect();
        let mut lines: Vec<String> = from
            .lines()
            .map(plain)
            .filter(|line| !other.contains(line))
            .map(|line| format!("{mark} {line}"))
            .collect();
        lines.dedup();
        lines
    };
    let mut lines = missing(known, found, '-');
    lines.extend(missing(found, known, '+'));
    if lines.is_empty() && known != found {
        lines.push("the same packages and features, used by others".to_owned());
    }
    lines
}

/// Runs the harness. It is built without optimisation, as it only waits for the programs that it measures.
fn harness(workspace: &Workspace, verb: &str, plugin: &Path, arguments: &[OsString]) -> Result<()> {
    let work: PathBuf = workspace.target.join("bench");
    let status = cargo::command(&workspace.root)
        .args(["run", "--quiet", "--package", "lessons-bench", "--", verb])
        .arg("--plugin")
        .arg(plugin)
        .arg("--work")
        .arg(work)
        .args(arguments)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "see above");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_features_names_no_place() {
        let tree = "lessons-hooks v0.1.0 (/home/me/lessons/hooks)\n|-- lessons-decide v0.1.0 (/home/me/lessons/crates/decide) (*)\n";
        assert_eq!(without_places(tree), "lessons-hooks v0.1.0\n|-- lessons-decide v0.1.0 (*)\n");
    }

    #[test]
    fn what_came_and_what_went_is_named() {
        let known = "a v1\n|-- b v1\n`-- c feature \"x\"\n";
        let found = "a v1\n|-- b v2\n`-- c feature \"x\"\n";
        assert_eq!(changes(known, found), ["- b v1", "+ b v2"]);
        assert!(changes(known, known).is_empty());
        assert_eq!(changes("a\n|-- b\n`-- c\n", "a\n`-- b\n    `-- c\n").len(), 1);
    }
}
