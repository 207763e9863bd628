//! `lessons test`: run the examples of every lesson.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use lessons_context::error::Exit;
use lessons_home::files;
use lessons_lesson::id::{Layer, ProjectHash, QualifiedId};
use lessons_lesson::lesson::{Lesson, SampleCall, Status};
use lessons_manifest_builder::examples;
use lessons_manifest_builder::patterns::Patterns;
use lessons_review::{lookup, project_names};
use lessons_store::graph::{Graph, Origin};
use lessons_store::load;
use lessons_store::trust::PROJECT_STORE;
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;

/// The result of one example.
#[derive(Debug, Serialize)]
struct Tried {
    lessons: usize,
    examples: usize,
    failures: Vec<Failure>,
}

#[derive(Debug, Serialize)]
struct Failure {
    id: QualifiedId,
    /// The example; `None` if the lesson cannot be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<SampleCall>,
    why: String,
}

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

pub(crate) fn run(app: &App, file: Option<&Path>) -> Result<Exit> {
    let patterns = Patterns::default();
    let mut tried = Tried { lessons: 0, examples: 0, failures: Vec::new() };
    for (id, lesson) in lessons(app, file)? {
        if lesson.status != Status::Active || lesson.examples.is_empty() {
            continue;
        }
        tried.lessons += 1;
        tried.examples += lesson.examples.fires.len() + lesson.examples.quiet.len();
        match examples::try_lesson(&id, &lesson, &patterns) {
            Ok(failing) => tried.failures.extend(failing.into_iter().map(|failing| Failure {
                id: id.clone(),
                why: failing.to_string(),
                call: Some(failing.sample),
            })),
            Err(why) => tried.failures.push(Failure { id, call: None, why }),
        }
    }
    app.answer(&tried)?;
    Ok(if tried.failures.is_empty() { Exit::Done } else { Exit::Findings })
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{}: {}", failure.id, failure.why)?;
        }
        write!(
            f,
            "{} of {} tried, {} failed",
            counted(self.examples, "example"),
            counted(self.lessons, "lesson"),
            self.failures.len()
        )
    }
}
