//! The tools that build for other platforms, fetched from package registries and verified.
//!
//! zig is a C compiler for every platform in one package, with the C libraries' headers. For Linux it compiles SQLite and
//! mimalloc, and `rust-lld` links as `.cargo/config.toml` says. For macOS it links as well, called by `cargo-zigbuild`,
//! which knows how rustc calls Apple's linker.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::platform::{OLDEST_MACOS, Platform, System};
use crate::{bounded, cargo, release::musl};

/// The Python packages, with their checksums: zig, and what calls it.
const PACKAGES: &str = include_str!("tools.txt");

/// The time limit for fetching them; zig has 100 MB.
const LIMIT: Duration = Duration::from_mins(10);

/// The folder with the fetched tools.
pub(crate) struct ReleaseTools {
    bin: PathBuf,
}

impl ReleaseTools {
    /// Fetches the tools and the Rust targets that are missing.
    pub(crate) fn fetch(target_dir: &Path, platforms: &[Platform]) -> Result<Self> {
        for platform in platforms.iter().copied().chain([Platform::of_machine()?]) {
            musl::ensure_target(platform.target())?;
        }
        // Other versions are other tools.
        let digest = format!("{:x}", Sha256::digest(PACKAGES));
        let folder = target_dir.join("release-tools").join(&digest[..12]);
        let tools = Self { bin: folder.join("bin") };
        if tools.bin.join("cargo-zigbuild").is_file() {
            return Ok(tools);
        }
        println!("Fetching zig and cargo-zigbuild");
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let list = folder.join("tools.txt");
        fs::write(&list, PACKAGES).with_context(|| format!("cannot write {}", list.display()))?;
        let mut pip = Command::new(tools.bin.join("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--require-hashes"]);
        succeed(pip.arg("--requirement").arg(&list))?;
        Ok(tools)
    }

    /// A call of cargo that builds for a platform.
    pub(crate) fn cargo(&self, root: &Path, platform: Platform) -> Result<Command> {
        let mut cargo = cargo::command(root);
        cargo.env("PATH", self.path()?);
        match platform.system() {
            System::Linux => {
                let name = platform.target().replace('-', "_");
                cargo.arg("build");
                cargo.env(format!("CC_{name}"), self.c_compiler(platform)?);
                cargo.env(format!("AR_{name}"), self.wrapper("ar", "ar --")?);
            }
            System::Macos => {
                cargo.arg("zigbuild").env("MACOSX_DEPLOYMENT_TARGET", OLDEST_MACOS);
            }
        }
        Ok(cargo)
    }

    /// The C compiler for a Linux platform. cargo-zigbuild translates the arguments that zig does not know.
    fn c_compiler(&self, platform: Platform) -> Result<PathBuf> {
        let target = platform.target().replace("-unknown", "");
        self.wrapper(&format!("cc-{}", platform.name()), &format!("cc -- -target {target}"))
    }

    /// A program that calls a part of zig: what expects the path of a compiler takes no arguments with it.
    fn wrapper(&self, name: &str, part: &str) -> Result<PathBuf> {
        let path = self.bin.join(format!("zig-{name}"));
        let script = format!("#!/bin/sh\nexec cargo-zigbuild zig {part} \"$@\"\n");
        if fs::read_to_string(&path).ok().as_ref() != Some(&script) {
            fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(path)
    }

    /// The PATH with the tools in front.
    fn path(&self) -> Result<OsString> {
        let found = std::env::var_os("PATH").unwrap_or_default();
        std::env::join_paths(std::iter::once(self.bin.clone()).chain(std::env::split_paths(&found)))
            .context("the PATH cannot be extended")
    }
}

fn succeed(command: &mut Command) -> Result<()> {
    let output = bounded::output(command, LIMIT)?;
    let name = command.get_program().display();
    ensure!(output.status.success(), "{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
