//! What was in force before a build, according to the index and the manifest that the build replaces.

use lessons_home::files;
use lessons_home::home::Home;
use lessons_index::manifest::{self, Manifest, Settings};
use lessons_lesson::id::QualifiedId;
use lessons_manifest_builder::index::LoadedIndex;

use crate::publishing;

/// What was in force before a build, empty before the first. `None` if it is unknown: the index is of another version, or
/// cannot be read, so that no lesson can be called new.
///
/// A manifest that does not belong to the index was left by a build that died before it replaced the index; its lessons are
/// not news again.
pub fn manifest(home: &Home, index: Option<&LoadedIndex>) -> Option<Manifest> {
    let is_left = index.is_none_or(|index| !publishing::is_of_manifest(index, home));
    let left = is_left.then(|| readable_manifest(home)).flatten();
    let Some(index) = index else {
        let is_first = !home.index().exists() && !home.manifest().exists();
        return left.or_else(|| is_first.then(|| Manifest::new(Settings::default(), "")));
    };
    let mut manifest = index.manifest().ok()?;
    if let Some(left) = left {
        (manifest.news, manifest.weakened) = (left.news, left.weakened);
    }
    Some(manifest)
}

/// The lessons that refused calls, and those that should have.
pub fn refusals(previous: &Manifest) -> impl Iterator<Item = &QualifiedId> {
    let refusing = previous.lessons.iter().map(|lesson| &lesson.terms).filter(|terms| terms.mode.refuses());
    refusing.map(|terms| &terms.id).chain(previous.lost_refusals.iter().map(|lost| &lost.id))
}

/// The manifest, if there is one that can be read.
fn readable_manifest(home: &Home) -> Option<Manifest> {
    let bytes = files::read(&home.manifest(), manifest::MAX_BYTES).ok()??;
    Manifest::parse(&bytes).ok()
}
