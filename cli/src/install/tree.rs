//! Operations on whole folders: copy, hash, switch.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Copies a file or a folder to `to`. Links are followed: a plugin folder must stand alone.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    let what = || format!("cannot copy {} to {}", from.display(), to.display());
    if !from.is_dir() {
        fs::copy(from, to).with_context(what)?;
        return Ok(());
    }
    fs::create_dir_all(to).with_context(what)?;
    for entry in fs::read_dir(from).with_context(what)? {
        let entry = entry.with_context(what)?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Lists all files below `folder`, sorted, with paths relative to it.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("cannot list {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder)?.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Hashes the names, permissions and bytes of all files in a folder. The result has 12 hex digits, enough to tell the
/// builds on one machine apart.
pub(super) fn hash(folder: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    for name in files(folder)? {
        let path = folder.join(&name);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mode = fs::metadata(&path)?.permissions().mode() & 0o777;
        hasher.update(name.as_os_str().as_encoded_bytes());
        hasher.update([0]);
        hasher.update(mode.to_le_bytes());
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    Ok(format!("{:x}", hasher.finalize())[..12].to_owned())
}

/// Makes the link `link` point to `to`, in one step: a reader finds the old target or the new one.
pub(super) fn switch(link: &Path, to: &Path) -> Result<()> {
    let what = || format!("cannot switch {} to {}", link.display(), to.display());
    let folder = link.parent().with_context(what)?;
    let name = link.file_name().with_context(what)?.to_string_lossy();
    let new = folder.join(format!(".{name}-{}", std::process::id()));
    match fs::remove_file(&new) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error).with_context(what),
        _ => {}
    }
    symlink(to, &new).with_context(what)?;
    fs::rename(&new, link).with_context(what)
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
        assert_eq!(files(&at("b")).unwrap(), ["bin/x", "y", "z"].map(PathBuf::from));
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
