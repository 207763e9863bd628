//! The places that events of colleagues come from, and the projects for which an event counts there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_ledger::database::Database;
use lessons_ledger::projects::{self, ProjectKey};
use lessons_review::project_names;
use lessons_share::project_tag::ProjectTag;
use lessons_store::peers::Peers;
use lessons_store::shared_folder::{self, PROJECT_FOLDER};
use lessons_store::trust;

/// A folder with events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder.
    pub folder: PathBuf,
    /// For which project an event may be switched on automatically.
    pub scope: PlaceScope,
}

/// The projects for which an event may be switched on automatically at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceScope {
    /// The project with this key, whose folder it is: an event for another one was put there by somebody else.
    Project(String),
    /// Each project that is known on this machine.
    AnyKnown,
}

impl PlaceScope {
    /// Whether an event for the project `key` counts there.
    pub fn includes(&self, key: &str) -> bool {
        match self {
            Self::Project(own) => own == key,
            Self::AnyKnown => true,
        }
    }
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
    if context.home.database().exists() && Peers::read(&context.home)?.peers().next().is_some() {
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
    own.unwrap_or_else(|| Place { folder: folder.to_owned(), scope: PlaceScope::AnyKnown })
}

/// The place of the project at `root`. `None` where it has none, or a link stands in its place: links are not followed.
pub fn of_project(root: &Path) -> Option<Place> {
    let folder = shared_folder::of_project(root).ok().filter(|folder| folder.is_dir())?;
    Some(Place { scope: PlaceScope::Project(projects::key_of(root).key), folder })
}

/// The projects on this machine, by each form in which an event may name them.
pub fn known_projects(
    context: &Context,
    database: &mut Database,
    places: &[Place],
) -> Result<BTreeMap<ProjectTag, String>> {
    let mut roots = database.project_roots()?;
    for place in places.iter().filter(|place| matches!(place.scope, PlaceScope::Project(_))) {
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
        let key = projects::key_of(&root).key;
        assert!(place.scope.includes(&key) && !place.scope.includes("github.com/acme/other"));
        let other = of_folder(dir.path());
        assert!(other.scope.includes("github.com/acme/other"));
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
