//! The input of a build: lessons by layer, and the switches that turn them off.

use lessons_lesson::{Layer, Lesson};

/// The lessons of one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerInput<'a> {
    /// The layer of these lessons.
    pub layer: Layer,
    /// Its lessons, whatever their status.
    pub lessons: Vec<&'a Lesson>,
    /// For a project's store: the only root in which its lessons fire, whatever they say themselves.
    pub root: Option<String>,
}

impl<'a> LayerInput<'a> {
    /// The lessons of a layer that holds in every project.
    pub fn of(layer: Layer, lessons: impl IntoIterator<Item = &'a Lesson>) -> Self {
        Self { layer, lessons: lessons.into_iter().collect(), root: None }
    }

    /// The lessons of a trusted project store.
    pub fn project(root: String, lessons: impl IntoIterator<Item = &'a Lesson>) -> Self {
        let layer = Layer::Project(lessons_lesson::id::ProjectHash::of_root(&root));
        Self { layer, lessons: lessons.into_iter().collect(), root: Some(root) }
    }
}

/// A lesson that is switched off for a while or for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// Off until a person switches it on.
    ForEver,
    /// Until then, in milliseconds since 1970.
    Until(u64),
}
