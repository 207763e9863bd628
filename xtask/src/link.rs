//! The link by which a shell finds `lessons`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::place::Place;
use crate::{folder, programs};

/// What became of the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Linked {
    /// A shell finds it.
    Yes,
    /// It is there, but its folder is not on the PATH.
    NotOnPath,
    /// It is there, but a shell finds another program of that name first.
    Hidden(String),
    /// Something that is not ours is in its place, and stays.
    Foreign,
}

/// Links `lessons` into `~/.local/bin`, unless something else is there.
pub(crate) fn create(place: &Place) -> Result<Linked> {
    let link = place.link();
    if link.symlink_metadata().is_ok() && !is_ours(place, &link) {
        return Ok(Linked::Foreign);
    }
    let folder = link.parent().context("the link has no folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    folder::switch(&link, &place.program("lessons"))?;
    let on_path =
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|one| one == folder));
    Ok(match programs::find("lessons") {
        _ if !on_path => Linked::NotOnPath,
        Some(found) if found != link => Linked::Hidden(found.display().to_string()),
        _ => Linked::Yes,
    })
}

/// Removes the link if it is ours. Says whether it was there.
pub(crate) fn remove(place: &Place) -> Result<bool> {
    let link = place.link();
    if !is_ours(place, &link) {
        return Ok(false);
    }
    fs::remove_file(&link).with_context(|| format!("cannot remove {}", link.display()))?;
    Ok(true)
}

fn is_ours(place: &Place, link: &Path) -> bool {
    fs::read_link(link).is_ok_and(|target| target.starts_with(place.plugins()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn our_link_is_made_made_again_and_removed() {
        let home = tempfile::tempdir().unwrap();
        let place = Place::scratch(home.path()).unwrap();
        assert_eq!(create(&place).unwrap(), Linked::NotOnPath);
        assert_eq!(create(&place).unwrap(), Linked::NotOnPath);
        assert_eq!(fs::read_link(place.link()).unwrap(), place.program("lessons"));
        assert!(remove(&place).unwrap());
        assert!(!remove(&place).unwrap());
    }

    #[test]
    fn what_is_not_ours_stays() {
        let home = tempfile::tempdir().unwrap();
        let place = Place::scratch(home.path()).unwrap();
        fs::create_dir_all(place.link().parent().unwrap()).unwrap();
        fs::write(place.link(), "mine").unwrap();
        assert_eq!(create(&place).unwrap(), Linked::Foreign);
        assert!(!remove(&place).unwrap());
        fs::remove_file(place.link()).unwrap();
        symlink("/nowhere/lessons", place.link()).unwrap();
        assert_eq!(create(&place).unwrap(), Linked::Foreign);
        assert_eq!(fs::read_link(place.link()).unwrap(), Path::new("/nowhere/lessons"));
    }
}
