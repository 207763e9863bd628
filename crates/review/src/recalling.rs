//! Recall for programs: the lessons in force that concern a question asked in a project.

use std::path::Path;

use lessons_context::context::Context;
use lessons_context::error::{Error, Result};
use lessons_home::home::Home;
use lessons_home::machine::ThisMachine;
use lessons_index::matching::holds_at;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::Lesson;
use lessons_lesson::project::ProjectLocation;
use lessons_publish::in_force;

use crate::lookup;
use crate::search::{self, Holding};

/// Returns the lessons in force that concern a question in words, best first: those that hold in the project at `project`,
/// an absolute path, and have the most words of `query` in any of their texts. It reads the data folder `home`, writes
/// nothing, and counts nothing as told.
///
/// ```
/// use std::path::Path;
///
/// use lessons_context::context::Context;
/// use lessons_publish::building;
/// use lessons_review::recalling::recall;
/// use lessons_home::home::Home;
///
/// let folder = tempfile::tempdir()?;
/// let home = Home::at(folder.path().join("lessons"));
/// // The first build brings the built-in lessons into force.
/// building::build(&Context::at(home.clone()))?;
///
/// let found = recall(&home, Path::new("/srv/app"), "git stash untracked")?;
/// let (id, lesson) = &found[0];
/// assert!(lesson.rule.contains("stash"), "{id}: {}", lesson.rule);
/// # Ok::<(), lessons_context::error::Error>(())
/// ```
pub fn recall(home: &Home, project: &Path, query: &str) -> Result<Vec<(QualifiedId, Lesson)>> {
    let context = Context::at(home.clone());
    let place = ProjectLocation::at(project.to_str(), &ThisMachine);
    let Some(index) = in_force::index(&context).map_err(Error::Failed)? else { return Ok(Vec::new()) };
    let corrupt = |error| Error::Failed(in_force::cannot_be_read(&context, error));
    let terms = index.lessons().map_err(corrupt)?.into_iter().map(|(_, terms)| terms);
    let now = context.now_ms();
    let here: std::collections::BTreeSet<QualifiedId> =
        terms.filter(|terms| !terms.is_off(&now) && holds_at(terms, &place)).map(|terms| terms.id).collect();
    let mut lessons = lookup::every_lesson(&context)?;
    lessons.retain(|(id, _)| here.contains(id));
    Ok(search::ranked(lessons, query, Holding::MostWords))
}
