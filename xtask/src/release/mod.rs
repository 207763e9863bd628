//! `cargo xtask release`: what people without Rust install, for every platform, from one Linux machine.
//!
//! - [`platform`]: the platforms. [`tools`]: the compiler and linker for them, fetched from package registries.
//! - [`notices`]: the licences of everything that is linked in. [`archive`]: the folder that is packed.
//! - [`object_files`] and [`macho`]: what a finished program must be. [`proof`]: running it where there is neither Rust nor glibc.
//! - [`readiness`]: what must not be published.

mod archive;
pub(crate) mod elf;
pub(crate) mod folder;
mod macho;
pub(crate) mod musl;
mod notices;
mod object_files;
pub(crate) mod platform;
mod proof;
pub(crate) mod readiness;
mod tools;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::cargo::{self, Program};
use crate::dist;
use crate::workspace::Workspace;
use platform::Platform;
use tools::ReleaseTools;

/// Builds, packs and checks the given platforms, or all if none is given.
pub(crate) fn run(workspace: &Workspace, given: &[Platform]) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "a release is built on Linux");
    let platforms = if given.is_empty() { &Platform::ALL[..] } else { given };
    proof::ensure_possible(platforms)?;
    let tools = ReleaseTools::fetch(&workspace.target, platforms)?;
    let place = place(workspace);
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    // Completions and manual pages come from a `lessons` that runs here.
    let native = Platform::of_machine()?;
    let describing = program(&build(workspace, &tools, native)?, "lessons")?;
    let mut report = Vec::new();
    for &platform in platforms {
        let programs = build(workspace, &tools, platform)?;
        let scratch = tempfile::Builder::new().prefix(".packing-").tempdir_in(&place)?;
        let root = scratch.path().join(platform.archive_name(&workspace.version));
        let plugin = root.join(archive::PLUGIN);
        dist::assemble(&workspace.root, &plugin, programs.iter())?;
        dist::write_pages(&plugin, &describing)?;
        notices::write(workspace, platform, &root)?;
        archive::complete(workspace, platform, &root)?;
        object_files::check(platform, &plugin)?;
        let archive = archive::pack(&root, &place)?;
        let proved = proof::run(platform, &archive)?;
        let (size, unpacked) = (fs::metadata(&archive)?.len() / 1024, folder::size(&plugin)? / 1024);
        archive::publish_marketplace(platform, &root, &place)?;
        report.push(format!("{}: {size} KiB, unpacked {unpacked} KiB; {proved}", archive.display()));
    }
    println!("\n{}", report.join("\n"));
    Ok(())
}

/// The folder of archives and marketplaces.
fn place(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target").join("dist").join("release")
}

fn build(workspace: &Workspace, tools: &ReleaseTools, platform: Platform) -> Result<Vec<Program>> {
    println!("\nBuilding for {}", platform.name());
    let target = Some(platform.target());
    let mut programs = Vec::new();
    for package in [cargo::hooks(target), cargo::commands(target)] {
        programs.extend(cargo::build(tools.cargo(&workspace.root, platform)?, package)?);
    }
    Ok(programs)
}

fn program(programs: &[Program], name: &str) -> Result<PathBuf> {
    let found = programs.iter().find(|program| program.name == name);
    Ok(found.with_context(|| format!("there is no program {name}"))?.path.clone())
}
