use lessons_lesson::{Lesson, TopicId, When};
use lessons_share::event::Unsigned;
use lessons_share::{ProjectTag, SecretKey};

use super::*;
use crate::durable;

fn key(number: u8) -> SecretKey {
    SecretKey::of(&[number; 32]).unwrap()
}

fn lesson(rule: &str) -> SharedLesson {
    let id = LessonId::new("one").unwrap();
    let lesson = Lesson::new(id, rule, TopicId::new("git").unwrap(), "2026-01-01");
    let project = ProjectTag::of_key("github.com/acme/app").unwrap();
    SharedLesson::of(&Lesson { when: When::Session, ..lesson }, project)
}

fn put(folder: &Path, unsigned: Unsigned, key: &SecretKey) -> EventId {
    let event = unsigned.sign(key, &[0; 32]).unwrap();
    durable::create_for_others(&file_of(folder, event.id()), event.to_json().as_bytes()).unwrap();
    event.id()
}

fn share(folder: &Path, lesson: &SharedLesson, at: u64) -> EventId {
    put(folder, lesson.to_unsigned(key(7).public(), at), &key(7))
}

#[test]
fn what_was_shared_is_known_from_the_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    let id = LessonId::new("one").unwrap();
    let first = share(folder.path(), &lesson("First."), 10);
    let second = lesson("Second.").after(&lesson("First."), first);
    let newest = share(folder.path(), &second, 20);
    let own = OwnEvents::read(folder.path(), key(7).public()).unwrap();
    assert_eq!(own.newest(&id).map(|own| (own.event, own.shared.version)), Some((newest, 2)));
    assert_eq!((own.standing(&id).count(), own.last_said(&id)), (2, 20));
}

#[test]
fn what_was_withdrawn_stands_no_more_until_it_is_shared_again() {
    let folder = tempfile::tempdir().unwrap();
    let id = LessonId::new("one").unwrap();
    share(folder.path(), &lesson("First."), 10);
    let deletion = Deletion { lessons: [id.clone()].into(), ..Deletion::default() };
    put(folder.path(), deletion.to_unsigned(key(7).public(), 30), &key(7));
    let read = || OwnEvents::read(folder.path(), key(7).public()).unwrap();
    assert_eq!((read().standing(&id).count(), read().last_said(&id)), (0, 30));
    share(folder.path(), &lesson("Again."), 31);
    assert_eq!(read().standing(&id).count(), 1);
}

#[test]
fn others_forgeries_and_foreign_files_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let id = LessonId::new("one").unwrap();
    put(folder.path(), lesson("Theirs.").to_unsigned(key(8).public(), 10), &key(8));
    let mine = lesson("Mine.").to_unsigned(key(7).public(), 10).sign(&key(7), &[0; 32]).unwrap();
    let forged = mine.to_json().replace("Mine.", "Yours");
    std::fs::write(file_of(folder.path(), EventId::of([1; 32])), forged).unwrap();
    std::fs::write(folder.path().join("README.md"), mine.to_json()).unwrap();
    std::fs::create_dir(file_of(folder.path(), EventId::of([2; 32]))).unwrap();
    let own = OwnEvents::read(folder.path(), key(7).public()).unwrap();
    assert!(own.newest(&id).is_none());
    let claimed = claimed_authors(folder.path()).unwrap();
    assert_eq!(claimed, [(key(7).public(), 1), (key(8).public(), 1)].into());
    assert!(OwnEvents::read(&folder.path().join("none"), key(7).public()).unwrap().newest(&id).is_none());
}

#[test]
fn a_link_in_the_place_of_the_folder_is_refused() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(of_project(root.path()).unwrap(), root.path().join(".lessons/shared"));
    std::fs::create_dir(root.path().join(".lessons")).unwrap();
    std::os::unix::fs::symlink("/tmp", root.path().join(".lessons/shared")).unwrap();
    assert!(matches!(of_project(root.path()), Err(FileError::FolderLink { .. })));
}
