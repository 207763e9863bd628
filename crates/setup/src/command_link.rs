//! The link by which a shell finds `lessons`.

use std::fs;
use std::path::Path;

use lessons_text::shell_word::quoted_path as quoted;

use crate::copies;
use crate::error::{OrSay, Result};
use crate::machine::{InstallFolders, on_path};

/// Links `lessons` into `~/.local/bin`, unless a file that is not ours is there. Returns how it went, for a person.
pub fn create(folders: &InstallFolders) -> Result<String> {
    let link = folders.command_link();
    let (shown, program) = (link.display(), folders.program("lessons"));
    if link.symlink_metadata().is_ok() && !is_ours(folders, &link) {
        return Ok(format!("Not linked: {shown} exists and is not ours. Use {}", quoted(&program)));
    }
    let folder = link.parent().or_say(|| "the link has no folder")?;
    fs::create_dir_all(folder).or_say(|| format!("cannot create {}", folder.display()))?;
    copies::switch(&link, &program)?;
    let is_on_path =
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|one| one == folder));
    Ok(match on_path("lessons") {
        _ if !is_on_path => format!(
            "Linked {shown}. Its folder is not on your PATH; add this line to the start-up file of your shell:\n  \
             export PATH=\"$HOME/.local/bin:$PATH\""
        ),
        Some(found) if found != link => {
            format!("Linked {shown}, but your shell finds {} first", found.display())
        }
        _ => format!("Linked {shown}"),
    })
}

/// Removes the link if it is ours, and returns whether it existed.
pub fn remove(folders: &InstallFolders) -> Result<bool> {
    let link = folders.command_link();
    if !is_ours(folders, &link) {
        return Ok(false);
    }
    fs::remove_file(&link).or_say(|| format!("cannot remove {}", link.display()))?;
    Ok(true)
}

/// Whether the link leads into an installation of ours.
pub fn is_ours(folders: &InstallFolders, link: &Path) -> bool {
    fs::read_link(link).is_ok_and(|target| target.starts_with(&folders.plugins))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn our_link_is_made_made_again_and_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        for _ in 0..2 {
            assert!(create(&folders).unwrap().contains("Its folder is not on your PATH"));
        }
        assert_eq!(fs::read_link(folders.command_link()).unwrap(), folders.program("lessons"));
        assert!(remove(&folders).unwrap());
        assert!(!remove(&folders).unwrap());
    }

    #[test]
    fn what_is_not_ours_stays() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        fs::create_dir_all(folders.command_link().parent().unwrap()).unwrap();
        fs::write(folders.command_link(), "mine").unwrap();
        assert!(create(&folders).unwrap().starts_with("Not linked"));
        assert!(!remove(&folders).unwrap());
        fs::remove_file(folders.command_link()).unwrap();
        symlink("/nowhere/lessons", folders.command_link()).unwrap();
        assert!(create(&folders).unwrap().starts_with("Not linked"));
        assert_eq!(fs::read_link(folders.command_link()).unwrap(), Path::new("/nowhere/lessons"));
    }
}
