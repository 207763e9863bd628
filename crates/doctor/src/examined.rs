//! What the checks look at, read once.

use std::collections::HashSet;
use std::error::Error;

use lessons_context::context::Context;
use lessons_ledger::database::Database;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, Status};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_store::config::Config;

/// The result of a check or a fix. What kept it from being done is told and handled by nobody, so any error will do.
pub(crate) type CheckResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The data that the checks share, read once.
pub(crate) struct Examined<'a> {
    pub(crate) context: &'a Context,
    pub(crate) config: Config,
    pub(crate) index: Option<LoadedIndex>,
    /// Every lesson of every layer.
    pub(crate) lessons: Vec<(QualifiedId, Lesson)>,
    pub(crate) database: Option<Database>,
}

impl Examined<'_> {
    /// The active lessons in the manifest.
    pub(crate) fn in_force(&self) -> impl Iterator<Item = &(QualifiedId, Lesson)> {
        let compiled: HashSet<QualifiedId> =
            self.index.iter().flat_map(|index| index.ids().unwrap_or_default()).collect();
        self.lessons
            .iter()
            .filter(move |(id, lesson)| lesson.status == Status::Active && compiled.contains(id))
    }
}
