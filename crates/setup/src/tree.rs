//! Operations on whole folders: copy, hash, switch.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use sha2::{Digest, Sha256};
use walkdir::{DirEntry, WalkDir};

use crate::error::{OrSay, SetupError};

/// The files and folders in a folder, each after the folder that holds it. Links are followed: a plugin folder must stand
/// alone.
fn entries(folder: &Path) -> impl Iterator<Item = walkdir::Result<DirEntry>> {
    WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter()
}

/// Copies a folder to `to`.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), SetupError> {
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
pub(super) fn hash(folder: &Path) -> Result<String, SetupError> {
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
pub(super) fn switch(link: &Path, to: &Path) -> Result<(), SetupError> {
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
    use super::*;

    #[test]
    fn a_copy_has_the_same_hash_and_a_changed_byte_name_or_permission_another() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir_all(at("a/bin")).unwrap();
        fs::write(at("a/bin/x"), "1").unwrap();
        fs::write(at("a/y"), "2").unwrap();
        symlink("y", at("a/z")).unwrap();
        copy(&at("a"), &at("b")).unwrap();
        for (name, text) in [("bin/x", "1"), ("y", "2"), ("z", "2")] {
            assert_eq!(fs::read_to_string(at("b").join(name)).unwrap(), text);
        }
        assert!(!at("b/z").is_symlink());
        let first = hash(&at("a")).unwrap();
        assert_eq!(first, hash(&at("b")).unwrap());

        fs::set_permissions(at("b/y"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_ne!(first, hash(&at("b")).unwrap());
        copy(&at("a"), &at("c")).unwrap();
        fs::rename(at("c/y"), at("c/w")).unwrap();
        assert_ne!(first, hash(&at("c")).unwrap());
        copy(&at("a"), &at("d")).unwrap();
        fs::write(at("d/y"), "3").unwrap();
        assert_ne!(first, hash(&at("d")).unwrap());
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
