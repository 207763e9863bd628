use super::*;
use crate::journal::JournalEntry;
use lessons_lesson::{Lesson, Mode, TopicId};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_store::durable::lock::PATIENCE;
use lessons_store::load;
use std::convert::Infallible;

struct Scratch {
    home: Home,
    _dir: tempfile::TempDir,
}

fn scratch() -> Scratch {
    let dir = tempfile::tempdir().unwrap();
    Scratch { home: Home::at(dir.path().join("data")), _dir: dir }
}

fn lesson(id: &str) -> Lesson {
    let topic = TopicId::new("shell").unwrap();
    let mut lesson = Lesson::new(LessonId::new(id).unwrap(), "Do it.", topic, "2026-01-01");
    lesson.triggers.push(Trigger::new(TriggerKind::CommandPattern, "git stash"));
    lesson
}

fn deed() -> Deed {
    Deed::new("person", "add", 1_000)
}

fn change(home: &Home, edit: impl FnOnce(&mut Graph)) -> Result<Option<u64>, LedgerError> {
    let lock = Lock::acquire(home, PATIENCE).unwrap();
    let mut database = Database::open(home).unwrap();
    let changed = run(&lock, &mut database, &deed(), |graph| {
        edit(graph);
        Ok::<_, Infallible>(())
    });
    changed.map(|((), change)| change)
}

fn journal(home: &Home) -> Vec<JournalEntry> {
    let all = Database::open(home).unwrap().journal(100).unwrap();
    all.into_iter().filter(|entry| entry.thing.kind == ThingKind::Lesson).collect()
}

fn stored(home: &Home) -> String {
    std::fs::read_to_string(home.lessons()).unwrap()
}

#[test]
fn a_change_is_saved_and_stands_in_the_journal_with_what_undoing_needs() {
    let scratch = scratch();
    change(&scratch.home, |graph| graph.put(&lesson("a")).unwrap()).unwrap();
    let changed = change(&scratch.home, |graph| graph.restore([("a", None)])).unwrap();
    assert_eq!(load::lessons(&scratch.home).unwrap().lessons().len(), 0);
    let [removed, added] = journal(&scratch.home).try_into().unwrap();
    assert_eq!((removed.change, removed.state), (changed.unwrap(), State::Done));
    assert_eq!((added.actor.as_str(), added.action.as_str(), added.time), ("person", "add", 1_000));
    assert!(added.before.is_none() && removed.after.is_none());

    let before = removed.lessons()[0].clone().unwrap();
    change(&scratch.home, |graph| graph.restore([("a", Some(before))])).unwrap();
    let back = load::lessons(&scratch.home).unwrap();
    assert_eq!(back.get(&LessonId::new("a").unwrap()), Some(&lesson("a")));
}

#[test]
fn what_changes_nothing_writes_nothing() {
    let scratch = scratch();
    change(&scratch.home, |graph| graph.put(&lesson("a")).unwrap()).unwrap();
    let before = std::fs::metadata(scratch.home.lessons()).unwrap().modified().unwrap();
    let changed = change(&scratch.home, |graph| graph.put(&lesson("a")).unwrap()).unwrap();
    assert_eq!(changed, None);
    assert_eq!(std::fs::metadata(scratch.home.lessons()).unwrap().modified().unwrap(), before);
    assert_eq!(journal(&scratch.home).len(), 1);
}

#[test]
fn a_change_may_not_introduce_an_error() {
    let scratch = scratch();
    change(&scratch.home, |graph| graph.put(&lesson("a")).unwrap()).unwrap();
    let before = stored(&scratch.home);
    let error = change(&scratch.home, |graph| {
        graph.put(&Lesson { rule: String::new(), ..lesson("a") }).unwrap();
    });
    let text = error.unwrap_err().to_string();
    assert!(text.contains("lesson `a`") && text.contains("`rule` is empty"), "{text}");
    let refusal = change(&scratch.home, |graph| {
        graph.put(&Lesson { mode: Mode::Block, ..lesson("b") }).unwrap();
    });
    assert!(refusal.unwrap_err().to_string().contains("REFUSAL_WITHOUT_EXAMPLE"));
    assert_eq!(stored(&scratch.home), before);
    assert_eq!(journal(&scratch.home).len(), 1);
}

#[test]
fn an_error_that_was_there_locks_nobody_out() {
    let scratch = scratch();
    change(&scratch.home, |graph| graph.put(&lesson("a")).unwrap()).unwrap();
    let long = "x".repeat(2_500);
    let broken = stored(&scratch.home).replace("Do it.", &long).replacen(
        "\"lessons\": {",
        "\"lessons\": { \"broken\": 5,",
        1,
    );
    std::fs::write(scratch.home.lessons(), broken).unwrap();
    change(&scratch.home, |graph| graph.put(&lesson("b")).unwrap()).unwrap();
    change(&scratch.home, |graph| {
        graph.put(&Lesson { rule: "x".repeat(2_400), ..lesson("a") }).unwrap();
    })
    .unwrap();
    let graph = load::lessons(&scratch.home).unwrap();
    assert_eq!(graph.lessons().len(), 2);
    assert!(graph.raw("broken").is_some());
}

#[test]
fn a_refusal_of_the_closure_changes_nothing() {
    let scratch = scratch();
    let lock = Lock::acquire(&scratch.home, PATIENCE).unwrap();
    let mut database = Database::open(&scratch.home).unwrap();
    let refused = run(&lock, &mut database, &deed(), |graph| {
        graph.put(&lesson("a")).unwrap();
        Err::<(), _>("no such lesson")
    });
    assert_eq!(refused.unwrap_err().to_string(), "no such lesson");
    assert!(!scratch.home.lessons().exists());
}

#[test]
fn a_store_that_cannot_be_kept_exactly_is_copied_first() {
    let scratch = scratch();
    change(&scratch.home, |graph| graph.put(&lesson("a")).unwrap()).unwrap();
    let twice = stored(&scratch.home).replacen("\"topics\": {", "\"topics\": {}, \"topics\": {", 1);
    std::fs::write(scratch.home.lessons(), &twice).unwrap();
    change(&scratch.home, |graph| graph.put(&lesson("b")).unwrap()).unwrap();
    let copies: Vec<_> = std::fs::read_dir(scratch.home.backups()).unwrap().flatten().collect();
    assert_eq!(copies.len(), 1);
    assert_eq!(std::fs::read_to_string(copies[0].path()).unwrap(), twice);
}

#[test]
fn a_store_that_cannot_be_read_is_left_alone() {
    let scratch = scratch();
    files::ensure_folder(scratch.home.root()).unwrap();
    std::fs::write(scratch.home.lessons(), "{ \"version\": 1, ").unwrap();
    let error = change(&scratch.home, |graph| graph.put(&lesson("a")).unwrap()).unwrap_err().to_string();
    assert!(error.contains("lessons.json: line 1, column"), "{error}");
    assert_eq!(stored(&scratch.home), "{ \"version\": 1, ");
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let scratch = scratch();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let home = &scratch.home;
            scope.spawn(move || {
                for n in 0..5 {
                    let id = format!("l-{writer}-{n}");
                    change(home, |graph| graph.put(&lesson(&id)).unwrap()).unwrap();
                }
            });
        }
    });
    assert_eq!(load::lessons(&scratch.home).unwrap().lessons().len(), 40);
    let journal = journal(&scratch.home);
    assert_eq!(journal.len(), 40);
    assert!(journal.iter().all(|entry| entry.state == State::Done));
    assert_eq!(journal.iter().map(|entry| entry.change).collect::<BTreeSet<_>>().len(), 40);
}
