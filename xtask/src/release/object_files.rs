//! What a finished program must be, on each platform.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::macho;
use super::platform::{Platform, System};
use crate::{dist, release::elf};

/// Checks every program of a plugin: for Linux that it is static, for macOS what it loads and whether it is signed.
pub(super) fn check(platform: Platform, plugin: &Path) -> Result<()> {
    let hooks = dist::hook_programs(&plugin.join("hooks/hooks.json"))?;
    for name in hooks.iter().map(String::as_str).chain(dist::COMMANDS) {
        let path = plugin.join("bin").join(name);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let checked = match platform.system() {
            System::Linux => elf::ensure_static(&bytes),
            System::Macos => macho::check(&bytes, platform),
        };
        checked.with_context(|| format!("{name} for {}", platform.name()))?;
    }
    Ok(())
}
