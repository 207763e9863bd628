//! The link by which a shell finds `lessons`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::user_home::UserHome;
use crate::{folder, programs};

/// The state of the link after an attempt to create it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LinkState {
    /// A shell finds our program.
    Found,
    /// The link exists, but its folder is not on the PATH.
    NotOnPath,
    /// The link exists, but a shell finds another program of that name first.
    Hidden(String),
    /// A file that is not ours has the path of the link, and stays.
    Foreign,
}

/// Links `lessons` into `~/.local/bin`, unless a file that is not ours is there.
pub(crate) fn create(home: &UserHome) -> Result<LinkState> {
    let link = home.link();
    if link.symlink_metadata().is_ok() && !is_ours(home, &link) {
        return Ok(LinkState::Foreign);
    }
    let folder = link.parent().context("the link has no folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    folder::switch(&link, &home.program("lessons"))?;
    let on_path =
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|one| one == folder));
    Ok(match programs::find("lessons") {
        _ if !on_path => LinkState::NotOnPath,
        Some(found) if found != link => LinkState::Hidden(found.display().to_string()),
        _ => LinkState::Found,
    })
}

/// Removes the link if it is ours, and returns whether it existed.
pub(crate) fn remove(home: &UserHome) -> Result<bool> {
    let link = home.link();
    if !is_ours(home, &link) {
        return Ok(false);
    }
    fs::remove_file(&link).with_context(|| format!("cannot remove {}", link.display()))?;
    Ok(true)
}

fn is_ours(home: &UserHome, link: &Path) -> bool {
    fs::read_link(link).is_ok_and(|target| target.starts_with(home.plugins()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn our_link_is_made_made_again_and_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let home = UserHome::scratch(scratch.path()).unwrap();
        assert_eq!(create(&home).unwrap(), LinkState::NotOnPath);
        assert_eq!(create(&home).unwrap(), LinkState::NotOnPath);
        assert_eq!(fs::read_link(home.link()).unwrap(), home.program("lessons"));
        assert!(remove(&home).unwrap());
        assert!(!remove(&home).unwrap());
    }

    #[test]
    fn what_is_not_ours_stays() {
        let scratch = tempfile::tempdir().unwrap();
        let home = UserHome::scratch(scratch.path()).unwrap();
        fs::create_dir_all(home.link().parent().unwrap()).unwrap();
        fs::write(home.link(), "mine").unwrap();
        assert_eq!(create(&home).unwrap(), LinkState::Foreign);
        assert!(!remove(&home).unwrap());
        fs::remove_file(home.link()).unwrap();
        symlink("/nowhere/lessons", home.link()).unwrap();
        assert_eq!(create(&home).unwrap(), LinkState::Foreign);
        assert_eq!(fs::read_link(home.link()).unwrap(), Path::new("/nowhere/lessons"));
    }
}
