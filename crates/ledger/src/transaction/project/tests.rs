use lessons_lesson::{Lesson, LessonId, TopicId};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_store::{StoreLocation, durable::lock};

use super::*;
use crate::transaction::run_in;
use crate::undo::{UndoError, undo};

/// A data folder and a project, and the lock of the one.
struct Scene {
    folder: tempfile::TempDir,
    lock: Lock,
    database: Database,
    root: ProjectRoot,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("data"));
        let lock = Lock::acquire(&home, lock::PATIENCE).unwrap();
        let database = Database::open(&home).unwrap();
        let project = folder.path().join("app");
        std::fs::create_dir(&project).unwrap();
        let root = ProjectRoot::new(&project).unwrap();
        Self { folder, lock, database, root }
    }

    fn add(&mut self, id: &str, rule: &str) -> u64 {
        let lesson = lesson(id, rule);
        self.change(|graph| graph.put(&lesson)).unwrap()
    }

    fn change<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        &mut self,
        edit: impl FnOnce(&mut Graph) -> Result<(), E>,
    ) -> Option<u64> {
        let store = StoreLocation::Project(self.root.clone());
        let deed = Deed::new("a person", "added", 1_769_817_600_000);
        run_in(&store, &self.lock, &mut self.database, &deed, |graph, _| edit(graph)).unwrap().1
    }

    fn undo(&mut self, number: u64) -> Result<u64, UndoError> {
        let deed = Deed::new("a person", "undone", 1_769_817_600_001);
        undo(&self.lock, &mut self.database, number, &deed).map(|undone| undone.change)
    }

    /// What a colleague does to the file.
    fn write_by_hand(&self, lessons: &[Lesson]) {
        let mut graph = Graph::empty("/x");
        for lesson in lessons {
            graph.put(lesson).unwrap();
        }
        std::fs::create_dir_all(self.root.folder()).unwrap();
        std::fs::write(self.root.store(), graph.to_bytes()).unwrap();
    }

    /// The ids of the file.
    fn written(&self) -> Vec<String> {
        let bytes = std::fs::read(self.root.store()).unwrap_or_default();
        let graph = Graph::parse("/x", &bytes, lessons_store::graph::Origin::Project);
        graph.map(|graph| graph.ids().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// The ids and rules that are in force.
    fn approved(&self) -> Vec<String> {
        let approved = trust::approved(self.lock.home()).unwrap();
        let lessons = approved.into_iter().flat_map(|approved| approved.lessons);
        lessons.map(|lesson| format!("{}: {}", lesson.id, lesson.rule)).collect()
    }

    fn names_in_project(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path().join("app")).unwrap().flatten();
        let inner = std::fs::read_dir(self.root.folder()).into_iter().flatten().flatten();
        entries.chain(inner).map(|entry| entry.file_name().into_string().unwrap()).collect()
    }
}

fn lesson(id: &str, rule: &str) -> Lesson {
    let (id, topic) = (LessonId::new(id).unwrap(), TopicId::new("git").unwrap());
    let mut lesson = Lesson::new(id, rule, topic, "2026-01-31");
    lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, r"\bgit\s+stash\b")];
    lesson
}

#[test]
fn the_first_lesson_makes_the_store_and_is_trusted_and_undo_takes_both_away() {
    let mut scene = Scene::new();
    let first = scene.add("a", "Say it.");
    assert_eq!((scene.written(), scene.approved()), (vec!["a".into()], vec!["a: Say it.".into()]));
    assert_eq!(scene.names_in_project(), [".lessons", "lessons.json"]);
    let second = scene.add("b", "Say more.");
    assert_eq!(scene.approved().len(), 2);
    let without = scene.undo(first).unwrap();
    assert_eq!((scene.written(), scene.approved()), (vec!["b".into()], vec!["b: Say more.".into()]));
    scene.undo(without).unwrap();
    scene.undo(second).unwrap();
    assert_eq!((scene.written(), scene.approved()), (vec!["a".into()], vec!["a: Say it.".into()]));
    let undone = scene.undo(first).unwrap();
    assert!(scene.names_in_project().is_empty() && scene.approved().is_empty());
    scene.undo(undone).unwrap();
    assert_eq!((scene.written(), scene.approved()), (vec!["a".into()], vec!["a: Say it.".into()]));
}

#[test]
fn what_a_colleague_wrote_is_not_approved_along() {
    let mut scene = Scene::new();
    scene.add("a", "Say it.");
    scene.write_by_hand(&[lesson("a", "Say it louder."), lesson("theirs", "Obey.")]);
    scene.add("b", "Say more.");
    assert_eq!(scene.written(), ["a", "b", "theirs"]);
    assert_eq!(scene.approved(), ["a: Say it.", "b: Say more."]);
    let own = lesson("theirs", "Obey me.");
    scene.change(|graph| graph.put(&own));
    assert_eq!(scene.approved().len(), 2, "to edit a lesson of theirs does not accept it");
    scene.change(|graph| {
        graph.restore([("a", None)]);
        Ok::<_, std::fmt::Error>(())
    });
    assert_eq!(scene.approved(), ["b: Say more."]);
}

#[test]
fn a_store_that_nobody_trusted_is_written_and_stays_untrusted() {
    let mut scene = Scene::new();
    scene.write_by_hand(&[lesson("theirs", "Obey.")]);
    let number = scene.add("b", "Say more.");
    assert_eq!(scene.written(), ["b", "theirs"]);
    assert!(scene.approved().is_empty());
    scene.undo(number).unwrap();
    assert_eq!(scene.written(), ["theirs"]);
}

#[test]
fn an_empty_store_is_trusted_with_its_first_lesson_and_is_not_removed() {
    let mut scene = Scene::new();
    scene.write_by_hand(&[]);
    let number = scene.add("b", "Say more.");
    assert_eq!(scene.approved(), ["b: Say more."]);
    scene.undo(number).unwrap();
    assert!(scene.root.store().exists() && scene.approved().is_empty());
}

#[test]
fn a_project_that_is_gone_keeps_nobody_from_changing_anything() {
    let mut scene = Scene::new();
    let number = scene.add("a", "Say it.");
    std::fs::write(scene.root.store(), "<<<<<<< ours").unwrap();
    let error = scene.undo(number).unwrap_err();
    assert!(error.to_string().contains("lessons.json"), "{error}");
    std::fs::remove_dir_all(scene.root.folder()).unwrap();
    assert!(matches!(scene.undo(number), Err(UndoError::NotAsLeft { .. })));
    scene.add("b", "Say more.");
    assert_eq!(scene.written(), ["b"]);
    assert_eq!(scene.approved(), ["a: Say it.", "b: Say more."], "nobody has approved that it is gone");
}
