//! Folders with events: what is in them by name, and the reading of one file. Everything there is somebody else's.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lessons_home::files;
use lessons_ledger::shared_events::FileState;
use lessons_share::event::{EventId, MAX_BYTES};
use lessons_store::shared_folder;

/// The most files of a folder that are looked at. A folder that has more is being flooded.
const MOST_FILES: usize = 100_000;

/// What a folder holds, by name alone.
#[derive(Debug, Default)]
pub struct Listing {
    /// The files that are named like events.
    pub events: Vec<(EventId, PathBuf)>,
    /// The number of other files.
    pub foreign: usize,
    /// The number of files that were not looked at, beyond the most.
    pub beyond: usize,
    /// Why the folder could not be listed.
    pub unread: Option<String>,
}

/// Lists a folder. One that is not there is empty.
pub fn list(folder: &Path) -> Listing {
    let mut listing = Listing::default();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return listing,
        Err(error) => {
            listing.unread = Some(format!("{}: {error}", folder.display()));
            return listing;
        }
    };
    for (number, entry) in entries.flatten().enumerate() {
        if number >= MOST_FILES {
            listing.beyond += 1;
            continue;
        }
        let name = entry.file_name();
        let id = name.to_str().and_then(shared_folder::id_of);
        match id {
            Some(id) => listing.events.push((id, entry.path())),
            None => listing.foreign += 1,
        }
    }
    listing.events.sort_unstable();
    listing
}

/// The state of a file; zeros for one that is not there.
pub fn state_of(path: &Path) -> FileState {
    let found = path.symlink_metadata().ok();
    found.map_or(FileState { size: 0, written: 0 }, |found| FileState {
        size: found.len(),
        written: found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec()),
    })
}

/// Reads a file that may be anything: a link, a pipe, a device, or huge. Fails with the reason.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let file = files::open_regular(path).map_err(|error| match error.raw_os_error() {
        Some(code) if code == nix::errno::Errno::ELOOP as i32 => "it is a link".to_owned(),
        _ => error.to_string(),
    })?;
    // The newline at the end of a file is no part of an event.
    let limit = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > limit {
        return Err(format!("it is larger than the {} KiB of an event", MAX_BYTES >> 10));
    }
    Ok(bytes.trim_ascii_end().to_vec())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_full_of_other_things_is_listed_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let id = "ab".repeat(32);
        for name in
            [format!("{id}.json"), id.clone(), format!("{}.json", "AB".repeat(32)), "README.md".into()]
        {
            std::fs::write(dir.path().join(name), "x").unwrap();
        }
        let listing = list(dir.path());
        assert_eq!(listing.events, [(id.parse().unwrap(), dir.path().join(format!("{id}.json")))]);
        assert_eq!((listing.foreign, listing.beyond), (3, 0));
        assert!(list(&dir.path().join("none")).unread.is_none());
        assert!(list(&dir.path().join("README.md")).unread.is_some());
    }

    #[test]
    fn links_pipes_and_huge_files_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("good"), "{}\n").unwrap();
        std::os::unix::fs::symlink(at("good"), at("link")).unwrap();
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::fs::write(at("huge"), vec![b' '; MAX_BYTES + 2]).unwrap();
        assert_eq!(read(&at("good")).unwrap(), b"{}");
        assert_eq!(read(&at("link")).unwrap_err(), "it is a link");
        assert!(read(&at("pipe")).is_err() && read(dir.path()).is_err());
        assert_eq!(read(&at("huge")).unwrap_err(), "it is larger than the 64 KiB of an event");
        assert!(state_of(&at("good")).size == 3 && state_of(&at("none")).size == 0);
    }
}
