//! `lessons test`: run the examples of every lesson.

use std::path::Path;

use anyhow::{Context, Result};
use lessons_context::error::Exit;
use lessons_home::files;
use lessons_lesson::id::{Layer, ProjectHash, QualifiedId};
use lessons_lesson::lesson::{Lesson, SampleCall, Status};
use lessons_manifest_builder::examples::try_lesson;
use lessons_manifest_builder::patterns::Patterns;
use lessons_review::{lookup, project_names};
use lessons_store::graph::{Graph, Origin};
use lessons_store::load;
use lessons_store::trust::PROJECT_STORE;
use lessons_text::wording::counted;
use serde_json::json;

use crate::app::App;
use crate::ui::answer::Answer;

/// The lessons of the named store, or all lessons. Those of this project are taken as they are in its folder, not as
/// approved: a test brings nothing into force.
fn lessons(app: &App, file: Option<&Path>) -> Result<Vec<(QualifiedId, Lesson)>> {
    if let Some(path) = file {
        let graph = graph(path)?.with_context(|| format!("there is no {}", path.display()))?;
        return Ok(of_layer(&graph, &Layer::User));
    }
    let mut all = lookup::stored_lessons(app)?;
    if let Some(root) = project_names::here() {
        let layer = Layer::Project(ProjectHash::of_root(&root.to_string_lossy()));
        if let Some(graph) = graph(&PROJECT_STORE.iter().fold(root, |path, part| path.join(part)))? {
            all.retain(|(id, _)| id.layer != layer);
            all.extend(of_layer(&graph, &layer));
        }
    }
    Ok(all)
}

fn graph(path: &Path) -> Result<Option<Graph>> {
    let Some(bytes) = files::read_foreign(path, load::MAX_BYTES)? else { return Ok(None) };
    Ok(Some(Graph::parse(path, &bytes, Origin::Project).with_context(|| path.display().to_string())?))
}

fn of_layer(graph: &Graph, layer: &Layer) -> Vec<(QualifiedId, Lesson)> {
    let of = |lesson: &Lesson| (QualifiedId { layer: layer.clone(), id: lesson.id.clone() }, lesson.clone());
    graph.lessons().map(of).collect()
}

/// What keeps lessons of the named store from being tried as they are written: a trigger that is not read, a field that is
/// missing.
fn errors(file: Option<&Path>) -> Result<Vec<String>> {
    let graph = file.map(graph).transpose()?.flatten();
    let problems = graph.iter().flat_map(Graph::problems).filter(|problem| problem.is_error());
    Ok(problems.map(ToString::to_string).collect())
}

pub(crate) fn run(app: &App, file: Option<&Path>) -> Result<Exit> {
    let patterns = Patterns::default();
    let mut lines = errors(file)?;
    let mut failures: Vec<Answer> =
        lines.iter().map(|why| Answer::new(Vec::new(), json!({ "why": why }))).collect();
    let (mut tried, mut examples) = (0, 0);
    let mut failed = |id: &QualifiedId, why: &str, call: Option<SampleCall>| {
        lines.push(format!("{id}: {why}"));
        failures.push(Answer::new(Vec::new(), json!({ "id": id, "why": why })).given("call", call));
    };
    for (id, lesson) in lessons(app, file)? {
        if lesson.status != Status::Active || lesson.examples.is_empty() {
            continue;
        }
        tried += 1;
        examples += lesson.examples.fires.len() + lesson.examples.quiet.len();
        match try_lesson(&id, &lesson, &patterns) {
            Ok(failing) => {
                for it in failing {
                    failed(&id, &it.to_string(), Some(it.sample.clone()));
                }
            }
            // It cannot be compiled.
            Err(why) => failed(&id, &why, None),
        }
    }
    let (of_lessons, in_all) = (counted(tried, "lesson"), counted(examples, "example"));
    lines.push(format!("{in_all} of {of_lessons} tried, {} failed", failures.len()));
    let is_fine = failures.is_empty();
    app.answer(&Answer::new(lines, json!({ "lessons": tried, "examples": examples, "failures": failures })))?;
    Ok(if is_fine { Exit::Done } else { Exit::Findings })
}
