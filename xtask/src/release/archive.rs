//! The archive of a platform: a folder that is a marketplace of one plugin, with a link to `lessons` on top.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::platform::{Platform, System};
use crate::workspace::Workspace;
use crate::{dist, release::folder};

/// The plugin in the folder that is packed.
pub(crate) const PLUGIN: &str = "plugins/lessons";

/// The files on top that are the clone's.
const TOP: [&str; 3] = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"];

/// What a person reads first after unpacking.
const README: &str = "\
# Lessons

    ./lessons install

installs the plugin into Claude Code, asks whether to link `lessons` into your PATH, and shows a built-in lesson arrive.
Afterwards you may delete this folder. `lessons uninstall` removes everything and keeps your lessons.

This folder is also a marketplace, for those who prefer Claude Code's own commands, and then has to stay where it is:

    /plugin marketplace add /path/to/this/folder
    /plugin install lessons@lessons

`plugins/lessons/README.md` says what Lessons does. `plugins/lessons/man` and `completions` beside it hold the manual
pages and shell completions; THIRD-PARTY.md the licences of everything that is linked in.
";

/// What the users of macOS must know.
const MACOS: &str = "
## On macOS

The programs for macOS are built on Linux and carry no signature of a registered developer. **They have never been run
by us**: if something does not work, build from source (`cargo xtask install`), and tell us. After a download with a
browser, macOS refuses to start them until you lift the quarantine of the unpacked folder:

    xattr -dr com.apple.quarantine .
";

/// Adds to a folder with a plugin what makes it an archive.
pub(crate) fn complete(workspace: &Workspace, platform: Platform, root: &Path) -> Result<()> {
    for name in TOP {
        folder::copy(&workspace.root.join(name), &root.join(name))?;
    }
    let readme = match platform.system() {
        System::Linux => README.to_owned(),
        System::Macos => format!("{README}{MACOS}"),
    };
    fs::write(root.join("README.md"), readme)?;
    fs::create_dir_all(root.join(".claude-plugin"))?;
    let marketplace = dist::marketplace(&workspace.root, &format!("./{PLUGIN}"))?;
    fs::write(root.join(".claude-plugin/marketplace.json"), marketplace)?;
    // A plugin with a marketplace of its own in it would be one in the other.
    fs::remove_file(root.join(PLUGIN).join(".claude-plugin/marketplace.json"))?;
    symlink(Path::new(PLUGIN).join("bin/lessons"), root.join("lessons")).context("cannot link lessons")
}

/// Packs the folder into `place`, with its checksum beside it. The same files make the same archive.
pub(crate) fn pack(root: &Path, place: &Path) -> Result<PathBuf> {
    let folder = root.parent().context("the folder is in no folder")?;
    let name = root.file_name().context("the folder has no name")?.to_string_lossy();
    let archive = place.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--mode=go-w"]);
    tar.args(["--use-compress-program=gzip -n -9", "-cf"])
        .arg(&archive)
        .arg("-C")
        .arg(folder)
        .arg(name.as_ref());
    let status = tar.status().context("cannot start tar")?;
    ensure!(status.success(), "tar failed: {status}");
    let bytes = fs::read(&archive).with_context(|| format!("cannot read {}", archive.display()))?;
    // As `sha256sum --check` reads it.
    let line = format!("{:x}  {name}.tar.gz\n", Sha256::digest(&bytes));
    fs::write(place.join(format!("{name}.tar.gz.sha256")), line)?;
    Ok(archive)
}

/// Puts the folder beside the archives as a marketplace that can be pushed to a branch.
pub(crate) fn publish_marketplace(platform: Platform, root: &Path, place: &Path) -> Result<()> {
    let marketplace = place.join(format!("marketplace-{}", platform.name()));
    if marketplace.exists() {
        fs::remove_dir_all(&marketplace)
            .with_context(|| format!("cannot remove {}", marketplace.display()))?;
    }
    fs::rename(root, &marketplace).with_context(|| format!("cannot create {}", marketplace.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_make_the_same_archive_with_the_right_checksum() {
        let scratch = tempfile::tempdir().unwrap();
        let archives = ["one", "two"].map(|side| {
            let place = scratch.path().join(side);
            let root = place.join("lessons-0");
            fs::create_dir_all(root.join("bin")).unwrap();
            fs::write(root.join("bin/x"), "1").unwrap();
            let archive = pack(&root, &place).unwrap();
            let check = Command::new("sha256sum")
                .args(["--check", "--quiet", "lessons-0.tar.gz.sha256"])
                .current_dir(&place)
                .status();
            assert!(check.unwrap().success());
            fs::read(archive).unwrap()
        });
        assert_eq!(archives[0], archives[1]);
    }

    #[test]
    fn only_the_users_of_macos_are_told_of_it() {
        assert!(MACOS.contains("never been run") && !README.contains("macOS"));
    }
}
