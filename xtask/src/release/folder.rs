//! Operations on whole folders: copy, list, measure.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Copies a file or a folder to `to`. Links are followed: a plugin folder must stand alone.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
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
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
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

/// Returns the size of all files below `folder` in bytes.
pub(crate) fn size(folder: &Path) -> Result<u64> {
    files(folder)?.iter().try_fold(0, |sum, name| Ok(sum + fs::metadata(folder.join(name))?.len()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_copy_has_every_file_and_no_link() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir_all(at("a/bin")).unwrap();
        fs::write(at("a/bin/x"), "1").unwrap();
        fs::write(at("a/y"), "2").unwrap();
        symlink("y", at("a/z")).unwrap();
        copy(&at("a"), &at("b")).unwrap();
        assert_eq!(files(&at("b")).unwrap(), ["bin/x", "y", "z"].map(PathBuf::from));
        assert!(!at("b/z").is_symlink());
        assert_eq!(size(&at("b")).unwrap(), 3);
    }
}
