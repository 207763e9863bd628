//! The installed copies of the plugin.
//!
//! Claude Code reads the files of a plugin where the marketplace names them, at every tool call. So that folder must
//! outlive the unpacked archive and change in one step:
//!
//! ```text
//! plugin/.claude-plugin/marketplace.json    names ./current
//! plugin/current -> 0.1.0-1a2b3c4d5e6f      switched by rename
//! plugin/0.1.0-1a2b3c4d5e6f/                a copy of the plugin
//! plugin/0.1.0-…/                           the one before, for what still runs from it
//! ```
//!
//! Observed with 2.1.329 and 2.1.197: Claude Code keeps `current` in the path it starts hooks by, so
//! a running session has the new hooks at its next tool call.
//!
//! Where Claude Code itself keeps the plugin, `current` leads to its folder and there is no copy. Each update comes with a
//! new folder, which [`follow`] makes the target.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use lessons_home::files;
use sha2::{Digest, Sha256};
use walkdir::{DirEntry, WalkDir};

use crate::error::{OrSay, Result};
use crate::machine::InstallFolders;
use crate::package::{Keeper, Package};

/// The number of copies that are kept.
const KEPT: usize = 2;

/// Copies a plugin into the data folder and makes it the one in use.
pub fn add(package: &Package, folders: &InstallFolders, now: SystemTime) -> Result<PathBuf> {
    let plugins = &folders.plugins;
    files::ensure_folder(plugins)?;
    let name = format!("{}-{}", package.version(), hash_tree(&package.folder)?);
    let copy = plugins.join(&name);
    if !copy.is_dir() {
        let new = plugins.join(format!(".copying-{}", std::process::id()));
        let moved = || fs::rename(&new, &copy).or_say(|| format!("cannot create {}", copy.display()));
        copy_tree(&package.folder, &new).and_then(|()| moved()).inspect_err(|_| {
            // The error matters more than what it leaves behind.
            let _ = fs::remove_dir_all(&new);
        })?;
    }
    // The newest is the one that was installed last, not the one that was built last.
    File::open(&copy)?.set_modified(now)?;
    write_marketplace(package, plugins)?;
    switch(&folders.current(), Path::new(&name))?;
    prune(plugins)?;
    Ok(copy)
}

/// Makes a plugin that Claude Code keeps the one in use, without a copy.
pub fn use_in_place(package: &Package, folders: &InstallFolders) -> Result<()> {
    files::ensure_folder(&folders.plugins)?;
    switch(&folders.current(), &package.folder)
}

/// Makes the plugin around this program the one in use, if another one that Claude Code kept was in use: Claude Code has
/// updated it.
pub fn follow(package: &Package, folders: &InstallFolders) -> Result<()> {
    // A copy of ours is named relative to the link.
    let leads_to_client = fs::read_link(folders.current()).is_ok_and(|target| target.is_absolute());
    if package.keeper == Keeper::Client && leads_to_client {
        switch(&folders.current(), &package.folder)?;
    }
    Ok(())
}

fn write_marketplace(package: &Package, plugins: &Path) -> Result<()> {
    let manifests = plugins.join(".claude-plugin");
    fs::create_dir_all(&manifests).or_say(|| format!("cannot create {}", manifests.display()))?;
    let new = manifests.join(format!(".marketplace-{}", std::process::id()));
    fs::write(&new, package.marketplace("./current"))?;
    fs::rename(&new, manifests.join("marketplace.json")).or_say(|| "cannot write marketplace.json")
}

/// Removes all but the latest copies.
fn prune(plugins: &Path) -> Result<()> {
    let mut copies = Vec::new();
    for entry in fs::read_dir(plugins)? {
        let entry = entry?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if entry.file_type()?.is_dir() && !hidden {
            copies.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    copies.sort();
    for (_, old) in copies.iter().rev().skip(KEPT) {
        fs::remove_dir_all(old).or_say(|| format!("cannot remove {}", old.display()))?;
    }
    Ok(())
}

/// The files and folders in a folder, each after the folder that holds it. Links are followed: a plugin folder must stand
/// alone.
fn entries(folder: &Path) -> impl Iterator<Item = walkdir::Result<DirEntry>> {
    WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter()
}

/// Copies a folder to `to`.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    let what = || format!("cannot copy {} to {}", from.display(), to.display());
    for entry in entries(from) {
        let entry = entry.or_say(what)?;
        let copy = to.join(entry.path().strip_prefix(from).or_say(what)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(copy).or_say(what)?;
        } else {
            fs::copy(entry.path(), copy).or_say(what)?;
        }
    }
    Ok(())
}

/// Hashes the names, permissions and bytes of all files in a folder. The result has 12 hex digits, enough to tell the
/// builds on one machine apart.
fn hash_tree(folder: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    for entry in entries(folder) {
        let listed = || format!("cannot list {}", folder.display());
        let entry = entry.or_say(listed)?;
        if entry.file_type().is_dir() {
            continue;
        }
        let path = entry.path();
        let bytes = fs::read(path).or_say(|| format!("cannot read {}", path.display()))?;
        hasher.update(path.strip_prefix(folder).or_say(listed)?.as_os_str().as_encoded_bytes());
        hasher.update([0]);
        hasher.update((entry.metadata().or_say(listed)?.permissions().mode() & 0o777).to_le_bytes());
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    Ok(format!("{:x}", hasher.finalize())[..12].to_owned())
}

/// Makes the link `link` point to `to`, in one step: a reader finds the old target or the new one.
pub(super) fn switch(link: &Path, to: &Path) -> Result<()> {
    let what = || format!("cannot switch {} to {}", link.display(), to.display());
    let folder = link.parent().or_say(what)?;
    let name = link.file_name().or_say(what)?.to_string_lossy();
    let new = folder.join(format!(".{name}-{}", std::process::id()));
    match fs::remove_file(&new) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error).or_say(what),
        _ => {}
    }
    symlink(to, &new).or_say(what)?;
    fs::rename(&new, link).or_say(what)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::package::tests::package;

    #[test]
    fn the_last_two_installed_stay_and_the_link_names_the_last() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        let mut clock = SystemTime::UNIX_EPOCH;
        let mut install = |content: &str| {
            clock += Duration::from_secs(1);
            add(&package(&scratch.path().join("unpacked"), "0.1.0", content), &folders, clock).unwrap()
        };
        let first = install("1");
        let second = install("2");
        // Going back to an older build makes that the latest again.
        assert_eq!(install("1"), first);
        assert_eq!(folders.current().canonicalize().unwrap(), first.canonicalize().unwrap());
        let third = install("3");
        assert!(first.is_dir() && third.is_dir() && !second.exists());
        assert_eq!(fs::read_to_string(folders.program("lessons")).unwrap(), "3");
        let marketplace = folders.plugins.join(".claude-plugin/marketplace.json");
        assert!(fs::read_to_string(marketplace).unwrap().contains("\"./current\""));
    }

    #[test]
    fn a_copy_outlives_the_unpacked_archive() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        let unpacked = scratch.path().join("unpacked");
        add(&package(&unpacked, "0.1.0", "1"), &folders, SystemTime::UNIX_EPOCH).unwrap();
        fs::remove_dir_all(unpacked).unwrap();
        assert_eq!(fs::read_to_string(folders.program("lessons")).unwrap(), "1");
    }

    #[test]
    fn the_command_follows_an_update_by_claude_code_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        let kept = |version: &str| {
            let mut package = package(&folders.client_plugins().join(version), version, version);
            package.keeper = Keeper::Client;
            package
        };
        let (old, new) = (kept("0.1.0"), kept("0.2.0"));
        follow(&old, &folders).unwrap();
        assert!(!folders.current().is_symlink(), "nobody asked for the command");
        use_in_place(&old, &folders).unwrap();
        follow(&new, &folders).unwrap();
        assert_eq!(fs::read_to_string(folders.program("lessons")).unwrap(), "0.2.0");
        let own = package(&scratch.path().join("unpacked"), "0.3.0", "own");
        add(&own, &folders, SystemTime::UNIX_EPOCH).unwrap();
        follow(&new, &folders).unwrap();
        assert_eq!(fs::read_to_string(folders.program("lessons")).unwrap(), "own");
    }

    #[test]
    fn a_copy_has_the_same_hash_and_a_changed_byte_name_or_permission_another() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir_all(at("a/bin")).unwrap();
        fs::write(at("a/bin/x"), "1").unwrap();
        fs::write(at("a/y"), "2").unwrap();
        symlink("y", at("a/z")).unwrap();
        copy_tree(&at("a"), &at("b")).unwrap();
        for (name, text) in [("bin/x", "1"), ("y", "2"), ("z", "2")] {
            assert_eq!(fs::read_to_string(at("b").join(name)).unwrap(), text);
        }
        assert!(!at("b/z").is_symlink());
        let first = hash_tree(&at("a")).unwrap();
        assert_eq!(first, hash_tree(&at("b")).unwrap());

        fs::set_permissions(at("b/y"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_ne!(first, hash_tree(&at("b")).unwrap());
        copy_tree(&at("a"), &at("c")).unwrap();
        fs::rename(at("c/y"), at("c/w")).unwrap();
        assert_ne!(first, hash_tree(&at("c")).unwrap());
        copy_tree(&at("a"), &at("d")).unwrap();
        fs::write(at("d/y"), "3").unwrap();
        assert_ne!(first, hash_tree(&at("d")).unwrap());
    }

    #[test]
    fn a_link_is_switched_also_when_it_was_not_there() {
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("current");
        switch(&link, Path::new("one")).unwrap();
        switch(&link, Path::new("two")).unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("two"));
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }
}
