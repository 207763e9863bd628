//! Refusals that a build loses without a person's decision. The user is told of them at every session start.

use std::collections::{BTreeSet, HashSet};

use lessons_context::error::Result;
use lessons_index::manifest::{LostRefusal, Manifest};
use lessons_ledger::database::Database;
use lessons_lesson::id::{Layer, LessonId, ProjectHash, QualifiedId};
use lessons_lesson::lesson::{Lesson, Status};
use lessons_manifest_builder::compile::Built;
use lessons_manifest_builder::report::Reason;
use lessons_store::graph::Graph;
use lessons_store::graph::Snapshot;
use lessons_store::trust::{Approved, COPY_UNUSABLE};

use crate::previous::refusals;

/// The lessons that refused calls before a build, or should have, and do so no more, although no command has changed
/// them: accepted or trusted copies were replaced by other means, or nothing tells any more where a project is.
pub fn since(
    previous: Option<&Manifest>,
    built: &Built,
    accepted: &Graph,
    trusted: &[Approved],
    database: &Database,
) -> Result<Vec<LostRefusal>> {
    let refusals: BTreeSet<&QualifiedId> = previous.into_iter().flat_map(refusals).collect();
    let manifest = &built.manifest;
    let compiled = manifest.lessons.iter().map(|lesson| &lesson.terms).filter(|terms| terms.mode.refuses());
    let known = manifest.lost_refusals.iter().map(|lost| &lost.id);
    let accounted_for: HashSet<&QualifiedId> = compiled.map(|terms| &terms.id).chain(known).collect();
    let mut lost = Vec::new();
    for id in refusals.into_iter().filter(|id| !accounted_for.contains(id)) {
        let reason = match &id.layer {
            Layer::User => of_own(&id.id, built, accepted, database)?,
            Layer::Project(project) => of_project(project, trusted, database)?,
            // A built-in lesson ends with an update or by a setting, and those of colleagues refuse nothing.
            Layer::Seed | Layer::Peer(_) => None,
        };
        lost.extend(reason.map(|reason| LostRefusal { id: id.clone(), reason }));
    }
    Ok(lost)
}

/// Why one of the user's own lessons was lost; `None` where a person decided that.
fn of_own(id: &LessonId, built: &Built, accepted: &Graph, database: &Database) -> Result<Option<String>> {
    Ok(match accepted.get(id) {
        Some(lesson) if refuses(lesson) => unknown_project(built, id),
        _ if is_decided(database, id)? => None,
        _ => Some(format!(
            "decisions.json has lost it, by other means than a command; `lessons accept` takes it from lessons.json, if \
             that holds it, and `lessons log {id}` shows what became of it"
        )),
    })
}

/// Why a lesson of a trusted project was lost: the copy that was approved cannot be used any more, or nothing says any more
/// that it was approved. `None` where a person decided that.
fn of_project(project: &ProjectHash, trusted: &[Approved], database: &Database) -> Result<Option<String>> {
    let remedy = "`lessons trust` in its project approves it again";
    let Some(approved) = trusted.iter().find(|it| ProjectHash::of_root(&it.store.root) == *project) else {
        let lost = || {
            format!(
                "decisions.json has lost the trust in its project, by other means than a command; {remedy}"
            )
        };
        return Ok((!database.is_trust_withdrawn(project)?).then(lost));
    };
    let unusable = approved.problems.iter().find(|problem| problem.flaw.code == COPY_UNUSABLE);
    Ok(unusable.map(|problem| format!("{}; {remedy}", problem.flaw.what)))
}

fn refuses(lesson: &Lesson) -> bool {
    lesson.mode.refuses() && lesson.status == Status::Active
}

/// Why a lesson is left out whose projects were known before. Every other reason is a person's choice, or known already.
fn unknown_project(built: &Built, id: &LessonId) -> Option<String> {
    let is_it = |id_of: &QualifiedId| id_of.layer == Layer::User && id_of.id == *id;
    let noted = built.report.left_out.iter().find(|noted| is_it(&noted.id))?;
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
