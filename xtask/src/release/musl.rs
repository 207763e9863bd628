//! The choice between static and dynamic hooks on this machine.
//!
//! A hook starts at every tool call, and most of its time is spent starting: see BENCHMARKS.md.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::bounded;

/// The time limit for rustup to fetch the target, which has about 30 MB.
const FETCH_LIMIT: Duration = Duration::from_mins(3);

/// The way the hooks are built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookBuild {
    /// As static programs for this target.
    Static(String),
    /// As any other program, with the reason if this machine could have static ones.
    Native(Option<String>),
}

/// Decides how to build the hooks. If only the target is missing, rustup fetches it.
pub(crate) fn choose() -> Result<HookBuild> {
    let rustc = Rustc::ask()?;
    let Some(target) = target_for(&rustc.host) else { return Ok(HookBuild::Native(None)) };
    if !rustc.linker().is_file() {
        return Ok(HookBuild::Native(Some("this toolchain has no rust-lld".to_owned())));
    }
    if rustc.has(target) {
        return Ok(HookBuild::Static(target.to_owned()));
    }
    println!("Fetching the Rust target {target}");
    let fetched = bounded::output(Command::new("rustup").args(["target", "add", target]), FETCH_LIMIT);
    if rustc.has(target) {
        return Ok(HookBuild::Static(target.to_owned()));
    }
    let reason = match fetched {
        Ok(output) => last_line(&output.stderr),
        Err(error) => format!("{error:#}"),
    };
    Ok(HookBuild::Native(Some(format!("the Rust target {target} could not be fetched ({reason})"))))
}

/// Has rustup fetch a target if it is missing.
pub(crate) fn ensure_target(target: &str) -> Result<()> {
    let rustc = Rustc::ask()?;
    if rustc.has(target) {
        return Ok(());
    }
    println!("Fetching the Rust target {target}");
    let fetched = bounded::output(Command::new("rustup").args(["target", "add", target]), FETCH_LIMIT)?;
    ensure!(
        rustc.has(target),
        "the Rust target {target} could not be fetched: {}",
        last_line(&fetched.stderr)
    );
    Ok(())
}

/// Returns the target that this machine lacks for static hooks, with the command that installs it.
pub(crate) fn missing() -> Result<Option<(String, String)>> {
    let rustc = Rustc::ask()?;
    Ok(target_for(&rustc.host)
        .filter(|target| !rustc.has(target))
        .map(|target| (format!("the Rust target {target}"), format!("rustup target add {target}"))))
}

/// Returns the target for static hooks on `host`, if `.cargo/config.toml` has linker settings for it.
fn target_for(host: &str) -> Option<&'static str> {
    let (arch, system) = host.split_once('-')?;
    match arch {
        "x86_64" if system.contains("linux") => Some("x86_64-unknown-linux-musl"),
        "aarch64" if system.contains("linux") => Some("aarch64-unknown-linux-musl"),
        _ => None,
    }
}

struct Rustc {
    host: String,
    sysroot: PathBuf,
}

impl Rustc {
    fn ask() -> Result<Self> {
        let print = |arguments: &[&str]| -> Result<String> {
            let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            let output = Command::new(rustc).args(arguments).output().context("cannot start rustc")?;
            Ok(String::from_utf8(output.stdout)?)
        };
        let host = print(&["-vV"])?
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .context("rustc does not say what machine this is")?
            .to_owned();
        Ok(Self { host, sysroot: print(&["--print", "sysroot"])?.trim_end().into() })
    }

    fn has(&self, target: &str) -> bool {
        self.sysroot.join("lib/rustlib").join(target).join("lib").is_dir()
    }

    fn linker(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib").join(&self.host).join("bin/rust-lld")
    }
}

fn last_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().last().unwrap_or("no reason given").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linux_on_the_machines_we_have_settings_for_gets_static_hooks() {
        assert_eq!(target_for("x86_64-unknown-linux-gnu"), Some("x86_64-unknown-linux-musl"));
        assert_eq!(target_for("x86_64-unknown-linux-musl"), Some("x86_64-unknown-linux-musl"));
        assert_eq!(target_for("aarch64-unknown-linux-gnu"), Some("aarch64-unknown-linux-musl"));
        assert_eq!(target_for("aarch64-apple-darwin"), None);
        assert_eq!(target_for("riscv64gc-unknown-linux-gnu"), None);
    }
}
