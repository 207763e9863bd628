//! A history in a folder, and lessons ready to be tried.

use std::path::Path;

use lessons_index::manifest::{Manifest, Settings};
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::Lesson;
use lessons_lesson::payload::Contents;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::single;
use lessons_pattern::trigger::TriggerKind;
use lessons_replay::history::History;
use lessons_replay::trial::{Trial, TrialContext};
use serde_json::{Value, json};

pub(crate) use crate::transcripts::{Scene, compiled, lesson};

/// Nothing of a real machine.
pub(crate) const CONTEXT: TrialContext<'_> =
    TrialContext { home: "/nowhere/lessons", user_home: None, now: 0 };

impl Scene {
    pub(crate) fn history(&self) -> History {
        History::read(&[self.root()], Contents::Keep, &())
    }
}

/// A line with a call. `number` makes its ids and its time.
pub(crate) fn call(number: u32, tool: &str, input: &Value) -> Value {
    json!({
        "type": "assistant", "uuid": format!("u{number}"), "sessionId": "s", "cwd": "/srv/app",
        "timestamp": format!("2026-01-01T00:{:02}:{:02}Z", number / 60, number % 60),
        "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": format!("t{number}"), "name": tool, "input": input},
        ]},
    })
}

pub(crate) fn bash(number: u32, command: &str) -> Value {
    call(number, "Bash", &json!({"command": command}))
}

/// The result of the call with this number.
pub(crate) fn result(number: u32, error: Option<&str>) -> Value {
    json!({
        "type": "user", "uuid": format!("r{number}"), "cwd": "/srv/app",
        "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": format!("t{number}"), "is_error": error.is_some(),
             "content": error.unwrap_or("fine")},
        ]},
    })
}

pub(crate) fn stash() -> Lesson {
    lesson("stash", &[(TriggerKind::CommandPattern, r"\bgit\s+stash\b")])
}

pub(crate) fn trial(lesson: &Lesson) -> Trial {
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    let roots = Some(lesson.scope.projects.clone()).filter(|projects| !projects.is_empty());
    let patterns = Patterns::default();
    let alone = single::alone(&id, lesson, roots, Settings::default(), &patterns).unwrap();
    Trial::new(alone, &patterns).unwrap()
}

/// A lesson among others.
pub(crate) fn among(lesson: &Lesson, others: Manifest) -> Trial {
    trial(lesson).among(others, &Patterns::default()).unwrap()
}

/// A folder that stands for a project on this disk.
pub(crate) fn project(scene: &Scene, name: &str) -> String {
    let folder = scene.root().join(name);
    std::fs::create_dir_all(Path::new(&folder).join(".git")).unwrap();
    folder.to_str().unwrap().to_owned()
}
