//! The real Claude Code client that the tests drive: fetched, verified, kept.
//!
//! Two versions are pinned, by the checksum of their package. The package holds one native program, so neither
//! Node nor an install script is needed; `npm` is only used because it knows where packages come from on this
//! machine. A client ends up at `<target>/claude-code/<version>/claude`, where the tests look for it, and gets
//! there by a rename: what is there is whole and was verified.

pub(crate) mod agents;
pub(crate) mod validate;

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha512};

use crate::programs::on_path;

/// A version of the client that the tests are run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pin {
    /// The version that everything was observed with.
    Current,
    /// The version that npm installs on Node 20.
    Node20,
}

impl Pin {
    /// Every pinned version.
    pub(crate) const ALL: [Self; 2] = [Self::Current, Self::Node20];

    /// The version as the registry spells it.
    pub(crate) const fn version(self) -> &'static str {
        match self {
            Self::Current => "2.1.332",
            Self::Node20 => "2.1.197",
        }
    }
}

/// The packages, each with its SHA-512 as `sha512sum` prints it.
///
/// Source: `npm view PACKAGE@VERSION dist.integrity`, which is the same digest in base64.
const PACKAGES: &str = include_str!("client/clients.txt");

/// The SHA-512 of a package in a version.
fn sha512(package: &str, pin: Pin) -> Result<&'static str> {
    let name = format!("{package}@{}", pin.version());
    let found = PACKAGES.lines().find_map(|line| line.strip_prefix(&name)?.strip_prefix(' '));
    found.with_context(|| format!("no checksum of {name} is known"))
}

/// The package for a kind of machine, without its scope.
fn package(os: &str, arch: &str) -> Result<&'static str> {
    match (os, arch) {
        ("linux", "x86_64") => Ok("claude-code-linux-x64"),
        ("linux", "aarch64") => Ok("claude-code-linux-arm64"),
        ("macos", "x86_64") => Ok("claude-code-darwin-x64"),
        ("macos", "aarch64") => Ok("claude-code-darwin-arm64"),
        _ => bail!("no client is pinned for {os} on {arch}; the real-client tests run on Linux and macOS"),
    }
}

/// The scope that the packages are published under.
const SCOPE: &str = "@anthropic-ai";

/// The variable with the address of the registry, for a machine without npm. npm reads the same variable.
const REGISTRY: &str = "npm_config_registry";

/// Returns the path of a pinned client below the target folder, whether or not it exists.
pub(crate) fn path(target_dir: &Path, pin: Pin) -> PathBuf {
    target_dir.join("claude-code").join(pin.version()).join("claude")
}

/// A requirement of [`fetch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientRequirement {
    /// The name of the requirement and its purpose.
    pub(crate) what: String,
    /// The package that brings it, if there is one.
    pub(crate) package: Option<&'static str>,
}

/// Lists the requirements that this machine does not meet. There are none once all clients are fetched.
pub(crate) fn missing(target_dir: &Path) -> Vec<ClientRequirement> {
    let mut missing = Vec::new();
    if Pin::ALL.iter().all(|pin| path(target_dir, *pin).is_file()) {
        return missing;
    }
    if let Err(error) = package(env::consts::OS, env::consts::ARCH) {
        missing.push(ClientRequirement { what: error.to_string(), package: None });
    }
    if !on_path("tar") {
        let what = "`tar`, to unpack the Claude Code client that the tests drive".to_owned();
        missing.push(ClientRequirement { what, package: Some("tar") });
    }
    if let Err(error) = Downloader::find() {
        missing.push(ClientRequirement { what: error.to_string(), package: Some("npm") });
    }
    missing
}

/// Returns the program of a pinned client. It is fetched and verified first if it does not exist.
pub(crate) fn fetch(target_dir: &Path, pin: Pin) -> Result<PathBuf> {
    let program = path(target_dir, pin);
    if program.is_file() {
        return Ok(program);
    }
    let package = package(env::consts::OS, env::consts::ARCH)?;
    let clients = target_dir.join("claude-code");
    fs::create_dir_all(&clients).with_context(|| format!("cannot create {}", clients.display()))?;
    let scratch = tempfile::Builder::new()
        .prefix(".fetching-")
        .tempdir_in(&clients)
        .with_context(|| format!("cannot create a folder in {}", clients.display()))?;

    let archive = Downloader::find()?.download(package, pin.version(), scratch.path())?;
    verify(&archive, sha512(package, pin)?)?;
    let unpacked = unpack(&archive, scratch.path())?;
    publish(&unpacked, &clients.join(pin.version()))?;
    ensure!(program.is_file(), "{} is still missing after it was fetched", program.display());
    Ok(program)
}

/// The program that downloads packages.
enum Downloader {
    Npm,
    Curl { registry: String },
}

impl Downloader {
    fn find() -> Result<Self> {
        if on_path("npm") {
            return Ok(Self::Npm);
        }
        match env::var(REGISTRY) {
            Ok(registry) if !registry.is_empty() && on_path("curl") => Ok(Self::Curl { registry }),
            _ => bail!(
                "`npm` (of any version), to fetch the Claude Code client that the tests drive; \
                 or `curl` with {REGISTRY} set to the address of a package registry"
            ),
        }
    }

    /// Downloads one package into `folder`.
    fn download(&self, package: &str, version: &str, folder: &Path) -> Result<PathBuf> {
        let archive = folder.join(format!("{package}.tgz"));
        match self {
            Self::Npm => {
                // In a folder of its own: the archive's name is npm's business, and differs between versions.
                let packed = folder.join("packed");
                fs::create_dir(&packed).context("cannot create a folder to download into")?;
                run(Command::new("npm")
                    .args(["pack", "--silent", "--ignore-scripts"])
                    .arg(format!("{SCOPE}/{package}@{version}"))
                    .current_dir(&packed))?;
                let entry = fs::read_dir(&packed)
                    .context("cannot list what npm downloaded")?
                    .next()
                    .with_context(|| format!("npm pack left no archive of {package}@{version}"))?;
                fs::rename(entry.context("cannot list what npm downloaded")?.path(), &archive)
                    .context("cannot move what npm downloaded")?;
            }
            Self::Curl { registry } => {
                let base = registry.trim_end_matches('/');
                run(Command::new("curl")
                    .args(["--fail", "--silent", "--show-error", "--location", "--retry", "3", "--output"])
                    .arg(&archive)
                    .arg(format!("{base}/{SCOPE}/{package}/-/{package}-{version}.tgz")))?;
            }
        }
        Ok(archive)
    }
}

/// Refuses an archive that is not the pinned one.
fn verify(archive: &Path, expected: &str) -> Result<()> {
    let mut file = File::open(archive).with_context(|| format!("cannot open {}", archive.display()))?;
    let mut hasher = Sha512::new();
    io::copy(&mut file, &mut hasher).with_context(|| format!("cannot read {}", archive.display()))?;
    let found = format!("{:x}", hasher.finalize());
    ensure!(
        found == expected,
        "the downloaded client is not the pinned one: its SHA-512 is {found}, expected {expected}"
    );
    Ok(())
}

/// Unpacks the one file we want, and returns the folder that holds it.
fn unpack(archive: &Path, folder: &Path) -> Result<PathBuf> {
    run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder).arg("package/claude"))?;
    Ok(folder.join("package"))
}

/// Moves a folder into place, unless another fetch was faster.
fn publish(folder: &Path, place: &Path) -> Result<()> {
    match fs::rename(folder, place) {
        Err(_) if place.join("claude").is_file() => Ok(()),
        done => done.with_context(|| format!("cannot move the client to {}", place.display())),
    }
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.stdout(Stdio::null()).status().with_context(|| format!("cannot start {program}"))?;
    ensure!(status.success(), "{program} failed ({status}) while fetching the Claude Code client");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_and_platform_has_a_checksum_of_its_own() {
        let machines = [("linux", "x86_64"), ("linux", "aarch64"), ("macos", "x86_64"), ("macos", "aarch64")];
        let packages = machines.map(|(os, arch)| package(os, arch).unwrap());
        let of = |pin: Pin| packages.map(|package| sha512(package, pin).unwrap());
        let mut sums: Vec<&str> = Pin::ALL.into_iter().flat_map(of).collect();
        assert!(sums.iter().all(|sum| sum.len() == 128 && sum.bytes().all(|b| b.is_ascii_hexdigit())));
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), 8);
    }

    #[test]
    fn an_archive_that_is_not_the_pinned_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("claude.tgz");
        fs::write(&archive, "abc").unwrap();
        // The SHA-512 of "abc", from FIPS 180-2, appendix C.1.
        let abc = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                   2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        verify(&archive, abc).unwrap();
        fs::write(&archive, "abcd").unwrap();
        assert!(verify(&archive, abc).unwrap_err().to_string().contains("not the pinned one"));
    }

    #[test]
    fn a_client_that_is_already_there_is_used_as_it_is() {
        let target = tempfile::tempdir().unwrap();
        let program = path(target.path(), Pin::Node20);
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, "").unwrap();
        assert_eq!(fetch(target.path(), Pin::Node20).unwrap(), program);
    }

    #[test]
    fn a_machine_that_no_client_exists_for_is_named() {
        assert!(package("freebsd", "x86_64").unwrap_err().to_string().contains("freebsd"));
    }

    #[test]
    fn losing_the_race_to_another_fetch_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["mine", "theirs"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("claude"), name).unwrap();
        }
        publish(&folder.path().join("mine"), &folder.path().join("theirs")).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("theirs/claude")).unwrap(), "theirs");
    }
}
