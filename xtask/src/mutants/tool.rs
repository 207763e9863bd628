//! The program `cargo-mutants`: installed, asked for the mutants that it can make, and run.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cargo;
use crate::workspace::Workspace;

/// The version that is installed and run. Another version may make other mutants.
const VERSION: &str = "27.1.0";

/// The result of testing one mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MutantOutcome {
    /// A test failed, or did not end.
    Caught,
    /// All tests passed.
    Missed,
    /// The mutant did not compile.
    Unviable,
}

/// An installed `cargo-mutants` with the workspace that it mutates.
pub(super) struct MutationTool<'w> {
    workspace: &'w Workspace,
    program: PathBuf,
}

impl<'w> MutationTool<'w> {
    /// Installs the program below the target folder, unless it is there in the right version.
    pub(super) fn install(workspace: &'w Workspace) -> Result<Self> {
        let folder = workspace.target.join("tools");
        let program = folder.join("bin").join("cargo-mutants");
        let installed = Command::new(&program).args(["mutants", "--version"]).output();
        let is_installed =
            installed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim().ends_with(VERSION));
        if !is_installed {
            println!("Installing cargo-mutants {VERSION}");
            let status = cargo::command(&workspace.root)
                .args(["install", "--quiet", "--locked", "--version", VERSION, "cargo-mutants", "--root"])
                .arg(&folder)
                .status()
                .context("cannot start cargo")?;
            ensure!(status.success(), "cargo could not install cargo-mutants; its reason is above");
        }
        Ok(Self { workspace, program })
    }

    /// Lists the names of all mutants of some files and folders, given by their paths in the workspace.
    pub(super) fn list(&self, paths: &[&str]) -> Result<Vec<String>> {
        let mut command = self.command();
        command.args(["--list", "--json"]);
        for path in paths {
            let is_folder = self.workspace.root.join(path).is_dir();
            command.arg("--file").arg(if is_folder { format!("{path}/**/*.rs") } else { (*path).to_owned() });
        }
        let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo-mutants")?;
        ensure!(output.status.success(), "cargo-mutants cannot list the mutants");
        let listed: Vec<Value> =
            serde_json::from_slice(&output.stdout).context("cargo-mutants printed no list")?;
        listed
            .iter()
            .map(|mutant| Ok(mutant["name"].as_str().context("a mutant has no name")?.to_owned()))
            .collect()
    }

    /// Tests mutants with the tests of their own crate. The logs go below the target folder into `mutants/NAME`.
    pub(super) fn test(&self, mutants: &[String], name: &str) -> Result<Vec<(String, MutantOutcome)>> {
        let folder = self.workspace.target.join("mutants").join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let mut command = self.command();
        command.arg("--no-times").arg("--output").arg(&folder);
        for mutant in mutants {
            let file = mutant.split(':').next().unwrap_or_default();
            command.arg("--file").arg(file).arg("--re").arg(exact(mutant));
        }
        let status = command.status().context("cannot start cargo-mutants")?;
        // Exit codes of cargo-mutants: 0 for all caught, 2 for some missed, 3 for tests that did not end.
        if !matches!(status.code(), Some(0 | 2 | 3)) {
            bail!(
                "cargo-mutants failed ({status}); its reason is above, and its logs are in {}",
                folder.display()
            );
        }
        let report = folder.join("mutants.out").join("outcomes.json");
        let bytes = fs::read(&report).with_context(|| format!("cannot read {}", report.display()))?;
        let mut outcomes = outcomes(&serde_json::from_slice(&bytes).context("outcomes.json is no JSON")?)?;
        // This version tests the mutants that delete a field of a struct (`..base`) even if no `--re` matches them.
        outcomes.retain(|(mutant, _)| mutants.contains(mutant));
        ensure!(
            outcomes.len() == mutants.len(),
            "cargo-mutants tested {} mutants instead of {}",
            outcomes.len(),
            mutants.len()
        );
        Ok(outcomes)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["mutants", "--no-config"]).current_dir(&self.workspace.root);
        command
    }
}

/// Reads the outcomes of the mutants from a report of cargo-mutants.
fn outcomes(report: &Value) -> Result<Vec<(String, MutantOutcome)>> {
    let entries = report["outcomes"].as_array().context("the report has no outcomes")?;
    let mut found = Vec::new();
    for entry in entries {
        // The entry without a mutant is the test of the unchanged workspace.
        let Some(name) = entry["scenario"]["Mutant"]["name"].as_str() else { continue };
        let outcome = match entry["summary"].as_str() {
            Some("CaughtMutant" | "Timeout") => MutantOutcome::Caught,
            Some("MissedMutant") => MutantOutcome::Missed,
            Some("Unviable") => MutantOutcome::Unviable,
            other => bail!("cargo-mutants says {other:?} of {name}"),
        };
        found.push((name.to_owned(), outcome));
    }
    Ok(found)
}

/// Makes a regular expression that matches `text` and nothing else.
fn exact(text: &str) -> String {
    let mut pattern = String::from("^");
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('$');
    pattern
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_matched_as_it_is() {
        assert_eq!(exact("a.rs:1:2: replace <T as X>::f -> Vec<u8> with vec![0] (x || y)"), {
            r"^a\.rs:1:2: replace <T as X>::f \-> Vec<u8> with vec!\[0\] \(x \|\| y\)$"
        });
    }

    #[test]
    fn every_outcome_of_the_tool_is_understood_and_an_unknown_one_is_an_error() {
        let of = |summary: &str| json!({"scenario": {"Mutant": {"name": summary}}, "summary": summary});
        let baseline = json!({"scenario": "Baseline", "summary": "Success"});
        let known = ["CaughtMutant", "Timeout", "MissedMutant", "Unviable"];
        let report =
            json!({ "outcomes": [baseline, of(known[0]), of(known[1]), of(known[2]), of(known[3])] });
        let found: Vec<MutantOutcome> =
            outcomes(&report).unwrap().into_iter().map(|(_, outcome)| outcome).collect();
        let expected =
            [MutantOutcome::Caught, MutantOutcome::Caught, MutantOutcome::Missed, MutantOutcome::Unviable];
        assert_eq!(found, expected);
        assert!(outcomes(&json!({ "outcomes": [of("Failure")] })).is_err());
        assert!(outcomes(&json!({})).is_err());
    }
}
