//! `cargo xtask bench` and `cargo xtask gates`: the cost of a call of the hook.
//!
//! The plugin is assembled first, so what is measured is what a user would get.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;
use crate::{cargo, dist, release::elf};

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

fn no_loader(plugin: &Path) -> Result<()> {
    let program = plugin.join("bin").join(HOOK);
    let bytes = fs::read(&program).with_context(|| format!("cannot read {}", program.display()))?;
    elf::ensure_static(&bytes).with_context(|| format!("more than the kernel is needed to load {HOOK}"))
}

/// Compares the features with the list that was reviewed and committed. Where they differ, the found ones lie below the
/// target folder.
fn same_features(workspace: &Workspace) -> Result<()> {
    let found = workspace.target.join("features.txt");
    fs::write(&found, features(&workspace.root)?)
        .with_context(|| format!("cannot write {}", found.display()))?;
    let mut diff = Command::new("git");
    diff.args(["diff", "--no-index", "--unified=0", FEATURES]).arg(&found).current_dir(&workspace.root);
    ensure!(
        diff.status().context("cannot start git")?.success(),
        "{PACKAGE} is not built from what {FEATURES} says. If that is meant: cp {} {FEATURES}",
        found.display()
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

/// Runs the bench `hook`. It is built without optimisation, as it only waits for the programs that it measures.
fn harness(workspace: &Workspace, verb: &str, plugin: &Path, arguments: &[OsString]) -> Result<()> {
    let work: PathBuf = workspace.target.join("bench");
    let status = cargo::command(&workspace.root)
        .args([
            "bench",
            "--quiet",
            "--profile",
            "dev",
            "--package",
            "lessons-bench",
            "--bench",
            "hook",
            "--",
            verb,
        ])
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
}
