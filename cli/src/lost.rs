//! Refusals that a build loses without a person's decision. The user is told of them at every session start.

use anyhow::Result;
use lessons_index::manifest::LostRefusal;
use lessons_ledger::database::Database;
use lessons_lesson::id::{Layer, LessonId, QualifiedId};
use lessons_lesson::lesson::{Lesson, Status};
use lessons_manifest_builder::compile::Built;
use lessons_manifest_builder::report::Reason;
use lessons_store::graph::Snapshot;
use lessons_store::graph::usable::Usable;

use crate::previous::Previous;

/// The user's lessons that refused calls before a build, or should have, and do so no more, although no command has
/// changed them: the accepted copies were replaced by other means, or nothing tells any more where a project is.
pub(crate) fn since(
    previous: &Previous,
    built: &Built,
    accepted: &Usable,
    database: &Database,
) -> Result<Vec<LostRefusal>> {
    let Previous::Known { refusals, .. } = previous else { return Ok(Vec::new()) };
    let manifest = &built.manifest;
    let mut lost = Vec::new();
    for id in refusals.iter().filter(|id| id.layer == Layer::User) {
        let is_compiled =
            || manifest.lessons.iter().any(|lesson| lesson.terms.id == *id && lesson.terms.mode.refuses());
        let is_known = || manifest.lost_refusals.iter().any(|lost| lost.id == *id);
        if is_compiled() || is_known() {
            continue;
        }
        let reason = match accepted.get(&id.id) {
            Some(lesson) if refuses(lesson) => unknown_project(built, id),
            _ if is_decided(database, &id.id)? => None,
            _ => Some(format!(
                "accepted.json has lost it, by other means than a command; `lessons accept` takes it from lessons.json, \
                 if that holds it, and `lessons log {}` shows what became of it",
                id.id
            )),
        };
        lost.extend(reason.map(|reason| LostRefusal { id: id.clone(), reason }));
    }
    Ok(lost)
}

fn refuses(lesson: &Lesson) -> bool {
    lesson.mode.refuses() && lesson.status == Status::Active
}

/// Why a lesson is left out whose projects were known before. Every other reason is a person's choice, or known already.
fn unknown_project(built: &Built, id: &QualifiedId) -> Option<String> {
    let noted = built.report.left_out.iter().find(|noted| noted.id == *id)?;
    matches!(noted.reason, Reason::UnknownProject { .. })
        .then(|| format!("{}; `lessons scan` looks for them", noted.reason))
}

/// Whether the last change that a command made to a lesson left it as one that refuses nothing, or took it out.
fn is_decided(database: &Database, id: &LessonId) -> Result<bool> {
    let Some(change) = database.last_change_of_lesson(id)? else { return Ok(false) };
    let field = |snapshot: &Snapshot, name: &str| snapshot.lesson.get(name)?.as_str().map(str::to_owned);
    let still_refuses = change.lesson_after().is_some_and(|after| {
        field(&after, "status").is_some_and(|status| status == "active")
            && field(&after, "mode").is_some_and(|mode| mode == "bump" || mode == "block")
    });
    Ok(change.is_redacted || !still_refuses)
}
