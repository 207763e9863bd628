//! The description of the machine that ran the measurements.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use nix::sys::statfs::{self, FsType, statfs};

/// Describes the machine and its load. `work` is on the file system of the claims on disk.
pub(crate) fn describe(work: &Path) -> Result<String> {
    let line =
        |path: &str| fs::read_to_string(path).map(|text| text.lines().next().unwrap_or_default().to_owned());
    let kernel = line("/proc/sys/kernel/osrelease").context("no /proc")?;
    let load = line("/proc/loadavg")?;
    let load: Vec<&str> = load.split(' ').take(3).collect();
    let cores = std::thread::available_parallelism()?;
    fs::create_dir_all(work)?;
    Ok(format!(
        "Machine: {}, {cores} cores, {}, Linux {kernel}, load {} before the first run. {}. Claims on disk are on \
         {}, claims in memory on {}.\n",
        processor()?,
        std::env::consts::ARCH,
        load.join(" "),
        compiler(),
        name(statfs(work)?.filesystem_type()),
        name(statfs("/dev/shm")?.filesystem_type())
    ))
}

fn processor() -> Result<String> {
    let text = fs::read_to_string("/proc/cpuinfo")?;
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    let virtual_machine = text.lines().any(|line| line.starts_with("flags") && line.contains(" hypervisor"));
    let model = model.map_or("unknown processor", str::trim);
    Ok(if virtual_machine { format!("{model} in a virtual machine") } else { model.to_owned() })
}

/// Returns the version of the compiler that built the plugin.
fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    version.unwrap_or_default()
}

fn name(kind: FsType) -> String {
    let known = [
        (statfs::EXT4_SUPER_MAGIC, "ext4"),
        (statfs::BTRFS_SUPER_MAGIC, "btrfs"),
        (statfs::OVERLAYFS_SUPER_MAGIC, "overlayfs"),
        (statfs::TMPFS_MAGIC, "tmpfs"),
    ];
    let found = known.into_iter().find(|(known, _)| *known == kind);
    found.map_or_else(|| format!("file system {:#x}", kind.0), |(_, name)| name.to_owned())
}
