//! The folders that events of colleagues come from, the projects for which an event counts there, what a folder holds by name,
//! and the reading of one file. Everything there is somebody else's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lessons_context::{Context, Result};
use lessons_home::files;
use lessons_ledger::events::shared::FileState;
use lessons_ledger::{Database, ProjectKey, projects};
use lessons_review::project_names;
use lessons_share::event::MAX_BYTES;
use lessons_share::{EventId, ProjectTag};
use lessons_store::shared_folder::PROJECT_FOLDER;
use lessons_store::{Peers, decisions::trust, shared_folder};

/// A folder with events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder.
    pub folder: PathBuf,
    /// The key of the project whose folder it is: an event for another one was put there by somebody else. Elsewhere an event
    /// may be switched on automatically for each project that is known on this machine.
    pub project: Option<String>,
}

/// The places that are looked through without being asked: those of the projects here, and the folders of the setting
/// `share.folders`.
pub fn standing(context: &Context) -> Result<Vec<Place>> {
    let mut places: Vec<Place> = Vec::new();
    let projects = project_roots(context)?.into_iter().filter_map(|root| of_project(&root));
    let named = context.settings()?.0.share_folders.into_iter().map(|folder| of_folder(&folder));
    for place in projects.chain(named) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

/// The roots of the projects whose shared lessons may be wanted: every project that is known here, once a peer is
/// trusted; before that only those whose own lessons are trusted.
fn project_roots(context: &Context) -> Result<BTreeSet<PathBuf>> {
    let mut roots: BTreeSet<PathBuf> =
        trust::trusted(&context.home)?.into_iter().map(|store| store.root.into()).collect();
    if context.home.database().exists() && !Peers::read(&context.home)?.0.is_empty() {
        let known = Database::open(&context.home)?.project_roots()?;
        roots.extend(known.into_iter().map(|(root, _)| PathBuf::from(root)));
    }
    Ok(roots)
}

/// The places of `lessons receive` without a folder: the standing ones, and the project here.
pub fn with_here(context: &Context) -> Result<Vec<Place>> {
    let mut places = standing(context)?;
    if let Some(here) = project_names::here().as_deref().and_then(of_project)
        && !places.contains(&here)
    {
        places.push(here);
    }
    Ok(places)
}

/// The folders in which a follower waits for events. That of a project may not be there yet.
pub fn watched(context: &Context) -> Result<Vec<PathBuf>> {
    let projects = project_roots(context)?.into_iter().map(|root| root.join(PROJECT_FOLDER[0]));
    let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    Ok(projects.filter(is_folder).chain(context.settings()?.0.share_folders).collect())
}

/// A folder that a person names. The shared folder of a project is that project's.
pub fn of_folder(folder: &Path) -> Place {
    let root = folder.parent().filter(|parent| parent.ends_with(PROJECT_FOLDER[0])).and_then(Path::parent);
    let own = root.filter(|_| folder.ends_with(PROJECT_FOLDER[1])).and_then(of_project);
    own.unwrap_or_else(|| Place { folder: folder.to_owned(), project: None })
}

/// The place of the project at `root`. `None` where it has none, or a link stands in its place: links are not followed.
pub fn of_project(root: &Path) -> Option<Place> {
    let folder = shared_folder::of_project(root).ok().filter(|folder| folder.is_dir())?;
    Some(Place { project: Some(projects::key_of(root).key), folder })
}

/// The projects on this machine, by each form in which an event may name them.
pub fn known_projects(
    context: &Context,
    database: &mut Database,
    places: &[Place],
) -> Result<BTreeMap<ProjectTag, String>> {
    let mut roots = database.project_roots()?;
    for place in places.iter().filter(|place| place.project.is_some()) {
        let Some(root) = place.folder.ancestors().nth(PROJECT_FOLDER.len()) else { continue };
        let ProjectKey { key, label } = projects::key_of(root);
        let root = root.to_string_lossy().into_owned();
        if !roots.iter().any(|(known, its)| *known == root && *its == key) {
            database.remember_project(&root, &key, &label, context.now_ms())?;
            roots.push((root, key));
        }
    }
    let mut known = BTreeMap::new();
    for (_, key) in roots {
        if let Ok(tag) = ProjectTag::of_key(&key) {
            known.insert(tag.hashed(), key.clone());
            known.insert(tag, key);
        }
    }
    Ok(known)
}

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
pub fn files_in(folder: &Path) -> Listing {
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
    let state = |found: Metadata| {
        let nanoseconds = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
        FileState { size: found.len(), written: nanoseconds.max(0).cast_unsigned() }
    };
    path.symlink_metadata().map_or(FileState { size: 0, written: 0 }, state)
}

/// Reads a file that may be anything: a link, a pipe, a device, or huge. Fails with the reason.
pub fn read_event(path: &Path) -> Result<Vec<u8>, String> {
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
    fn the_folder_of_a_project_counts_for_that_project_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("app");
        assert_eq!(of_project(&root), None);
        std::fs::create_dir_all(shared_folder::of_project(&root).unwrap()).unwrap();
        let place = of_project(&root).unwrap();
        assert_eq!(of_folder(&shared_folder::of_project(&root).unwrap()), place);
        assert_eq!(place.project, Some(projects::key_of(&root).key));
        assert_eq!(of_folder(dir.path()).project, None);
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (root, elsewhere) = (dir.path().join("app"), dir.path().join("elsewhere"));
        std::fs::create_dir_all(elsewhere.join("shared")).unwrap();
        std::fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(&elsewhere, root.join(".lessons")).unwrap();
        assert_eq!(of_project(&root), None);
        std::fs::remove_file(root.join(".lessons")).unwrap();
        std::fs::create_dir(root.join(".lessons")).unwrap();
        std::os::unix::fs::symlink(elsewhere.join("shared"), shared_folder::of_project(&root).unwrap())
            .unwrap();
        assert_eq!(of_project(&root), None);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
mod folder_tests {
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
        let listing = files_in(dir.path());
        assert_eq!(listing.events, [(id.parse().unwrap(), dir.path().join(format!("{id}.json")))]);
        assert_eq!((listing.foreign, listing.beyond), (3, 0));
        assert!(files_in(&dir.path().join("none")).unread.is_none());
        assert!(files_in(&dir.path().join("README.md")).unread.is_some());
    }

    #[test]
    fn links_pipes_and_huge_files_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("good"), "{}\n").unwrap();
        std::os::unix::fs::symlink(at("good"), at("link")).unwrap();
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::fs::write(at("huge"), vec![b' '; MAX_BYTES + 2]).unwrap();
        assert_eq!(read_event(&at("good")).unwrap(), b"{}");
        assert_eq!(read_event(&at("link")).unwrap_err(), "it is a link");
        assert!(read_event(&at("pipe")).is_err() && read_event(dir.path()).is_err());
        assert_eq!(read_event(&at("huge")).unwrap_err(), "it is larger than the 64 KiB of an event");
        assert!(state_of(&at("good")).size == 3 && state_of(&at("none")).size == 0);
    }
}
