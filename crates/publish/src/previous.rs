//! The lessons that were in force before a build, according to the index and the manifest that the build replaces.

use std::collections::{BTreeSet, HashSet};

use lessons_home::files;
use lessons_home::home::Home;
use lessons_index::manifest::{self, LateLesson, LostRefusal, Manifest, News, Weakened};
use lessons_index::{Corrupt, Index};
use lessons_lesson::compiled::Terms;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::When;
use lessons_manifest_builder::index::LoadedIndex;

use crate::publishing;

/// The lessons that were in force before a build.
pub enum Previous {
    /// No lessons: this is the first build.
    Nothing,
    /// The lessons and the news of the index before.
    Known {
        /// The ids of the lessons.
        ids: HashSet<QualifiedId>,
        /// Those that are told at the start of sessions.
        at_start: BTreeSet<QualifiedId>,
        /// Of those, the ones that came into force lately.
        late: Vec<LateLesson>,
        /// The lessons that had become active lately, newest first.
        news: Vec<News>,
        /// The ids of the lessons that refused calls, and of those that should have.
        refusals: BTreeSet<QualifiedId>,
        /// The lessons that stopped calls until somebody weakened them.
        weakened: Vec<Weakened>,
    },
    /// Unknown lessons: the index is of another version, or cannot be read.
    Unknown,
}

impl Previous {
    /// The lessons in force, according to the index. A manifest that does not belong to the index was left by a build that
    /// died before it replaced the index; its lessons are not news again.
    pub fn of(home: &Home, index: Option<&LoadedIndex>) -> Self {
        let is_left = index.is_none_or(|index| !publishing::is_of_manifest(index, home));
        let manifest = is_left.then(|| readable_manifest(home)).flatten();
        let Some(index) = index else {
            let nothing = !home.index().exists() && !home.manifest().exists();
            let unknown = if nothing { Self::Nothing } else { Self::Unknown };
            return manifest.map_or(unknown, |manifest| {
                let Manifest { lessons, late, news, lost_refusals, weakened, .. } = manifest;
                let terms = lessons.into_iter().map(|lesson| lesson.terms).collect();
                Self::known(terms, late, news, lost_refusals, weakened)
            });
        };
        let of_index = || {
            let notes = index.ask()?.build_notes()?;
            let (news, weakened) = match manifest {
                Some(manifest) => (manifest.news, manifest.weakened),
                None => (notes.news, notes.weakened),
            };
            let lessons = index.lessons()?;
            let late = late_lessons(&index.ask()?, &lessons)?;
            let terms = lessons.into_iter().map(|(_, terms)| terms).collect();
            Ok::<_, Corrupt>(Self::known(terms, late, news, notes.lost_refusals, weakened))
        };
        of_index().unwrap_or(Self::Unknown)
    }

    fn known(
        lessons: Vec<Terms>,
        late: Vec<LateLesson>,
        news: Vec<News>,
        lost: Vec<LostRefusal>,
        weakened: Vec<Weakened>,
    ) -> Self {
        let refusing = lessons.iter().filter(|terms| terms.mode.refuses()).map(|terms| terms.id.clone());
        let refusals = refusing.chain(lost.into_iter().map(|lost| lost.id)).collect();
        let at_start = lessons.iter().filter(|terms| terms.when == When::Session);
        Self::Known {
            at_start: at_start.map(|terms| terms.id.clone()).collect(),
            late,
            ids: lessons.into_iter().map(|terms| terms.id).collect(),
            news,
            refusals,
            weakened,
        }
    }
}

/// The lessons of an index that came into force lately, newest first.
fn late_lessons(index: &Index<'_>, lessons: &[(u32, Terms)]) -> Result<Vec<LateLesson>, Corrupt> {
    let late = index.late_lessons()?.into_iter().filter_map(|(position, at)| {
        let (_, terms) = lessons.iter().find(|(known, _)| *known == position)?;
        Some(LateLesson { id: terms.id.clone(), at })
    });
    Ok(late.collect())
}

/// The manifest, if there is one that can be read.
fn readable_manifest(home: &Home) -> Option<Manifest> {
    let bytes = files::read(&home.manifest(), manifest::MAX_BYTES).ok()??;
    Manifest::parse(&bytes).ok()
}
