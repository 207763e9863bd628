//! Transcripts in a folder, and compiled lessons: for the tests of calls and for those of what followed.

use std::path::PathBuf;

use lessons_index::manifest::Manifest;
use lessons_lesson::id::{Layer, LessonId, TopicId};
use lessons_lesson::lesson::Lesson;
use lessons_manifest_builder::compile::{self, Input};
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use serde_json::Value;

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
}

pub(crate) fn lesson(id: &str, triggers: &[(TriggerKind, &str)]) -> Lesson {
    let topic = TopicId::new("git").unwrap();
    let mut lesson = Lesson::new(LessonId::new(id).unwrap(), "Use `git stash -u`.", topic, "2026-01-01");
    lesson.mistake = Some("It leaves files behind.".into());
    lesson.triggers = triggers.iter().map(|(kind, pattern)| Trigger::new(*kind, *pattern)).collect();
    lesson
}

pub(crate) fn compiled(lessons: &[Lesson]) -> Manifest {
    let patterns = Patterns::default();
    let layers = Input::of_layers(vec![LayerInput::of(Layer::User, lessons)], &patterns);
    let built = compile::compile(&Input { roots_of: &|key| vec![key.to_owned()], ..layers });
    assert!(built.report.left_out.is_empty(), "{:?}", built.report.left_out);
    built.manifest
}
