//! Floors: programs that do next to nothing, so that their time is the time of starting a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The source of a program that only ends.
const EMPTY: &str = include_str!("../floors/empty.rs");
/// The source of a program that reads its input and writes two bytes.
const DRAIN: &str = include_str!("../floors/drain.rs");

#[cfg(target_arch = "x86_64")]
const TARGET: &str = "x86_64-unknown-linux-musl";
#[cfg(target_arch = "aarch64")]
const TARGET: &str = "aarch64-unknown-linux-musl";

/// The compiled floors.
#[derive(Debug)]
pub(crate) struct Floors {
    /// The exit floor, which only ends.
    pub(crate) empty: PathBuf,
    /// The floor of input and output, which reads its input and writes two bytes.
    pub(crate) drain: PathBuf,
}

/// The compiler options for a program of a single object, without start-up code and libraries.
const BARE: [&str; 14] = [
    "--target",
    TARGET,
    "-C",
    "panic=abort",
    "-C",
    "relocation-model=static",
    "-C",
    "linker=rust-lld",
    "-C",
    "linker-flavor=ld.lld",
    "-C",
    "link-self-contained=no",
    "-C",
    "strip=symbols",
];

/// Compiles the floors into `folder`.
pub(crate) fn compile(folder: &Path) -> Result<Floors> {
    Ok(Floors { empty: program(folder, "empty", EMPTY)?, drain: program(folder, "drain", DRAIN)? })
}

fn program(folder: &Path, name: &str, source: &str) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let (from, to) = (folder.join(format!("{name}.rs")), folder.join(name));
    fs::write(&from, source)?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--edition", "2024", "-C", "opt-level=3"])
        .args(BARE)
        .arg("-o")
        .args([&to, &from])
        .output()
        .context("cannot start rustc")?;
    ensure!(
        output.status.success(),
        "cannot compile the floor {name}; it may need: rustup target add {TARGET}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(to)
}
