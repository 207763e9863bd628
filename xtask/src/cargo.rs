//! Calls of cargo from within a task.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A program that cargo has built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its name, without a folder.
    pub(crate) name: String,
    /// The path of the file.
    pub(crate) path: PathBuf,
}

/// Makes a command of the cargo that runs this task, so that its children have the same toolchain.
pub(crate) fn command(root: &Path) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.current_dir(root);
    command
}

/// Returns the output of `cargo metadata`.
pub(crate) fn metadata(root: &Path, arguments: &[&str]) -> Result<Value> {
    let output = command(root)
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata failed");
    serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")
}

/// A package of ours whose programs are built.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Package<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// The features to switch on, separated by commas.
    pub(crate) features: &'a str,
    /// The target triple, if it is not the default one.
    pub(crate) target: Option<&'a str>,
}

/// Builds every program of a package for release. The call of cargo is its own, so that no other package can switch on
/// features of shared dependencies.
pub(crate) fn release(root: &Path, package: Package<'_>) -> Result<Vec<Program>> {
    let mut cargo = command(root);
    cargo.args(["build", "--quiet", "--release", "--bins", "--package", package.name]);
    cargo.args(["--features", package.features]);
    cargo.arg("--message-format=json-render-diagnostics");
    if let Some(target) = package.target {
        cargo.args(["--target", target]);
        // Either of these would replace what .cargo/config.toml says about the linker.
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    }
    let mut child = cargo.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let stdout = child.stdout.take().context("cargo has no output")?;
    let programs = follow(BufReader::new(stdout));
    ensure!(child.wait()?.success(), "cargo could not build {}; its reason is above", package.name);
    programs
}

/// Reads cargo's messages to their end, shows the progress on a terminal, and collects the programs.
fn follow(messages: impl BufRead) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    let mut progress = std::io::stderr();
    let shown = progress.is_terminal();
    for (done, line) in messages.lines().enumerate() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        let name = message["target"]["name"].as_str().unwrap_or_default();
        if shown {
            write!(progress, "\r\x1b[K  {done}: {name}")?;
            progress.flush()?;
        }
        if let Some(path) = message["executable"].as_str() {
            programs.push(Program { name: name.to_owned(), path: path.into() });
        }
    }
    if shown {
        write!(progress, "\r\x1b[K")?;
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_libraries_and_build_scripts() {
        let messages = br#"{"reason":"compiler-artifact","target":{"name":"serde"},"executable":null}
{"reason":"build-script-executed"}
{"reason":"compiler-artifact","target":{"name":"lessons"},"executable":"/t/release/lessons"}
{"reason":"build-finished","success":true}
"#;
        let programs = follow(messages.as_slice()).unwrap();
        assert_eq!(programs, [Program { name: "lessons".into(), path: "/t/release/lessons".into() }]);
    }
}
