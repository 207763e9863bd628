//! The installed copies of the plugin.
//!
//! The client reads the files of a plugin where the marketplace names them, at every tool call. So that folder must
//! outlive `cargo clean` and change in one step:
//!
//! ```text
//! plugin/.claude-plugin/marketplace.json    names ./current
//! plugin/current -> 0.1.0-1a2b3c4d5e6f      switched by rename
//! plugin/0.1.0-1a2b3c4d5e6f/                a copy of target/dist/lessons
//! plugin/0.1.0-…/                           the one before, for what still runs from it
//! ```
//!
//! Observed with 2.1.329 and 2.1.197: the client keeps `current` in the path it starts hooks by, so
//! a running session has the new hooks at its next tool call.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::user_home::UserHome;
use crate::{dist, folder};

/// The number of copies that are kept.
const KEPT: usize = 2;

/// Copies the plugin at `from` into the data folder and makes it the one in use.
pub(crate) fn add(
    root: &Path,
    from: &Path,
    version: &str,
    home: &UserHome,
    now: SystemTime,
) -> Result<PathBuf> {
    home.create_data()?;
    let plugins = home.plugins();
    let name = format!("{version}-{}", folder::hash(from)?);
    let copy = plugins.join(&name);
    if !copy.is_dir() {
        let scratch = tempfile::Builder::new().prefix(".copying-").tempdir_in(&plugins)?;
        let new = scratch.path().join("plugin");
        folder::copy(from, &new)?;
        fs::rename(&new, &copy).with_context(|| format!("cannot create {}", copy.display()))?;
    }
    // The newest is the one that was installed last, not the one that was built last.
    File::open(&copy)?.set_modified(now)?;
    write_marketplace(root, &plugins)?;
    folder::switch(&home.current(), Path::new(&name))?;
    prune(&plugins)?;
    Ok(copy)
}

fn write_marketplace(root: &Path, plugins: &Path) -> Result<()> {
    let manifests = plugins.join(".claude-plugin");
    fs::create_dir_all(&manifests).with_context(|| format!("cannot create {}", manifests.display()))?;
    let new = manifests.join(format!(".marketplace-{}", std::process::id()));
    fs::write(&new, dist::marketplace(root, "./current")?)?;
    fs::rename(&new, manifests.join("marketplace.json")).context("cannot write marketplace.json")
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
        fs::remove_dir_all(old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_last_two_installed_stay_and_the_link_names_the_last() {
        let scratch = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let home = UserHome::scratch(scratch.path()).unwrap();
        let dist = scratch.path().join("dist");
        fs::create_dir(&dist).unwrap();
        let mut clock = SystemTime::UNIX_EPOCH;
        let mut install = |content: &str| {
            fs::write(dist.join("bin"), content).unwrap();
            clock += Duration::from_secs(1);
            add(root, &dist, "0.1.0", &home, clock).unwrap()
        };
        let first = install("1");
        let second = install("2");
        // Going back to an older build makes that the latest again.
        assert_eq!(install("1"), first);
        assert_eq!(home.current().canonicalize().unwrap(), first.canonicalize().unwrap());
        let third = install("3");
        assert!(first.is_dir() && third.is_dir() && !second.exists());
        assert_eq!(fs::read_to_string(home.current().join("bin")).unwrap(), "3");
        let marketplace = home.plugins().join(".claude-plugin/marketplace.json");
        assert!(fs::read_to_string(marketplace).unwrap().contains("\"./current\""));
    }
}
