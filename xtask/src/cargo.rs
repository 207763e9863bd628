//! Calls of cargo from within a task.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
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
    /// The profile of Cargo.toml.
    pub(crate) profile: &'a str,
    /// The target triple, if it is not the default one.
    pub(crate) target: Option<&'a str>,
}

/// The hooks. Every microsecond of theirs is paid at every tool call.
pub(crate) fn hooks(target: Option<&str>) -> Package<'_> {
    Package { name: "lessons-hooks", profile: "release", target }
}

/// The commands. A person waits for their build.
pub(crate) fn commands(target: Option<&str>) -> Package<'_> {
    Package { name: "lessons-cli", profile: "commands", target }
}

/// Builds every program of a package with a call of `cargo build` or of something like it, which shows its progress. The
/// call is its own, so that no other package can switch on features of shared dependencies.
pub(crate) fn build(mut cargo: Command, package: Package<'_>) -> Result<Vec<Program>> {
    cargo.args(["--profile", package.profile, "--bins", "--package", package.name]);
    cargo.arg("--message-format=json-render-diagnostics");
    if let Some(target) = package.target {
        cargo.args(["--target", target]);
        // Either of these would replace what .cargo/config.toml says about the linker.
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    }
    let mut child = cargo.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let stdout = child.stdout.take().context("cargo has no output")?;
    let programs = programs(BufReader::new(stdout));
    ensure!(child.wait()?.success(), "cargo could not build {}; its reason is above", package.name);
    programs
}

/// Reads cargo's messages to their end and collects the programs.
fn programs(messages: impl BufRead) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for line in messages.lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        let name = message["target"]["name"].as_str();
        if let (Some(name), Some(path)) = (name, message["executable"].as_str()) {
            programs.push(Program { name: name.to_owned(), path: path.into() });
        }
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
        let programs = super::programs(messages.as_slice()).unwrap();
        assert_eq!(programs, [Program { name: "lessons".into(), path: "/t/release/lessons".into() }]);
    }
}
