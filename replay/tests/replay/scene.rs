//! A history in a folder, and lessons ready to be tried.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lessons_index::manifest::{Manifest, Settings};
use lessons_lesson::id::{Layer, LessonId, QualifiedId, TopicId};
use lessons_lesson::lesson::Lesson;
use lessons_lesson::payload::Contents;
use lessons_manifest_builder::compile::{self, Input};
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::single;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_replay::history::History;
use lessons_replay::trial::{Trial, TrialContext};
use serde_json::{Value, json};

/// Nothing of a real machine.
pub(crate) const CONTEXT: TrialContext<'_> =
    TrialContext { home: "/nowhere/lessons", user_home: None, now: 0 };

/// A folder with transcripts.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub(crate) fn write(&self, name: &str, lines: &[Value]) -> PathBuf {
        let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        self.write_raw(name, text.concat().as_bytes())
    }

    pub(crate) fn write_raw(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

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

pub(crate) fn lesson(id: &str, triggers: &[(TriggerKind, &str)]) -> Lesson {
    let topic = TopicId::new("git").unwrap();
    let mut lesson = Lesson::new(LessonId::new(id).unwrap(), "Use `git stash -u`.", topic, "2026-01-01");
    lesson.mistake = Some("It leaves files behind.".into());
    lesson.triggers = triggers.iter().map(|(kind, pattern)| Trigger::new(*kind, *pattern)).collect();
    lesson
}

pub(crate) fn stash() -> Lesson {
    lesson("stash", &[(TriggerKind::CommandPattern, r"\bgit\s+stash\b")])
}

pub(crate) fn compiled(lessons: &[Lesson]) -> Manifest {
    let built = compile::compile(&Input {
        layers: vec![LayerInput::user(lessons)],
        settings: Settings::default(),
        minimum_priority: 1,
        minimum_confidence: 0.0,
        off: BTreeMap::new(),
        sources: None,
        roots_of: &|key| vec![key.to_owned()],
        trusted: Vec::new(),
        news: Vec::new(),
        made_by: "",
        patterns: &Patterns::default(),
    });
    assert!(built.report.left_out.is_empty(), "{:?}", built.report.left_out);
    built.manifest
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
