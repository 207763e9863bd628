//! What goes into a build.

use lessons_core::id::Layer;
use lessons_core::lesson::Lesson;

/// The lessons of one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerInput {
    /// Which layer.
    pub layer: Layer,
    /// Its lessons, whatever their status.
    pub lessons: Vec<Lesson>,
    /// For a project's store: the only root in which its lessons fire, whatever they say themselves.
    pub root: Option<String>,
}

impl LayerInput {
    /// The user's own lessons.
    pub fn user(lessons: Vec<Lesson>) -> Self {
        Self { layer: Layer::User, lessons, root: None }
    }

    /// The shipped lessons.
    pub fn seeds(lessons: Vec<Lesson>) -> Self {
        Self { layer: Layer::Seed, lessons, root: None }
    }

    /// The lessons of a trusted project store.
    pub fn project(root: String, lessons: Vec<Lesson>) -> Self {
        let layer = Layer::Project(lessons_core::id::ProjectHash::of_root(&root));
        Self { layer, lessons, root: Some(root) }
    }
}

/// Which lessons of the user's store a build takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acceptance {
    /// A person started this build: what stands in the store is accepted.
    ByPerson,
    /// Nobody did: only lessons whose digest a person has accepted before. Others are listed.
    Only(std::collections::HashSet<String>),
}

/// A lesson that is switched off for a while or for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// Until somebody switches it on.
    ForEver,
    /// Until then, in milliseconds since 1970.
    Until(u64),
}
