//! `lessons test`: every lesson on its own examples.

use std::fmt;

use anyhow::Result;
use lessons_core::id::QualifiedId;
use lessons_core::lesson::{SampleCall, Status};
use lessons_core::wording::counted;
use lessons_manifest_builder::examples;
use lessons_manifest_builder::patterns::Patterns;
use serde::Serialize;

use crate::app::{App, Exit};
use crate::verbs::list;

/// What the examples said.
#[derive(Debug, Serialize)]
struct Tried {
    lessons: usize,
    examples: usize,
    failures: Vec<Failure>,
}

#[derive(Debug, Serialize)]
struct Failure {
    id: QualifiedId,
    /// The example; none where the lesson cannot be tried at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<SampleCall>,
    why: String,
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let patterns = Patterns::default();
    let mut tried = Tried { lessons: 0, examples: 0, failures: Vec::new() };
    for (id, lesson) in list::every(app)? {
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
