//! Changes of `lessons.json` and `trust.json` by several processes, and by processes that die.
//!
//! The test program starts itself again: a child runs one test of this file, on the home and with
//! the lesson that its environment names. Run by hand, that test uses a home of its own.
#![allow(clippy::disallowed_methods, reason = "it sets its scene with plain files")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::decisions::{self, Approval};
use lessons_ledger::journal::{Deed, State, ThingKind};
use lessons_ledger::transaction;
use lessons_lesson::id::{LessonId, TopicId};
use lessons_lesson::lesson::Lesson;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_store::decisions::trust::{self, Refusals};
use lessons_store::durable::lock::{Lock, PATIENCE};
use lessons_store::graph::Graph;
use lessons_store::load;

const HOME: &str = "LESSONS_TEST_HOME";
const LESSON: &str = "LESSONS_TEST_LESSON";

fn lesson(id: &str) -> Lesson {
    let topic = TopicId::new("shell").unwrap();
    let mut lesson = Lesson::new(LessonId::new(id).unwrap(), "Do it.", topic, "2026-01-01");
    lesson.triggers.push(Trigger::new(TriggerKind::CommandPattern, "git stash"));
    lesson
}

fn add(home: &Home, id: &str) {
    let lock = Lock::acquire(home, PATIENCE).unwrap();
    let mut database = Database::open(home).unwrap();
    let deed = Deed::new("person", "add", 1);
    transaction::run(&lock, &mut database, &deed, |graph| {
        graph.put(&lesson(id)).unwrap();
        Ok::<_, Infallible>(())
    })
    .unwrap();
}

fn ids(home: &Home) -> Vec<String> {
    load::lessons(home).unwrap().lessons().map(|lesson| lesson.id.to_string()).collect()
}

/// Another process that adds a lesson, and dies at its `crash_at`th crash point.
fn child(home: &Home, id: &str, crash_at: u32) -> Child {
    child_running("a_lesson_that_was_added_is_there", home, id, crash_at)
}

fn child_running(test: &str, home: &Home, id: &str, crash_at: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--test-threads=1"])
        .env(HOME, home.root())
        .env(LESSON, id)
        .env("LESSONS_CRASH_AT", crash_at.to_string())
        // One that dies leaves its own temporary folder behind: in this one, which goes.
        .env("TMPDIR", home.root().with_file_name(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_lesson_that_was_added_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(std::env::var_os(HOME).map_or_else(|| dir.path().join("data"), Into::into));
    let id = std::env::var(LESSON).unwrap_or_else(|_| "alone".into());
    add(&home, &id);
    assert!(ids(&home).contains(&id));
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    let names: Vec<String> = (10..22).map(|n| format!("l-{n}")).collect();
    let children: Vec<Child> = names.iter().map(|id| child(&home, id, 0)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(ids(&home), names);
}

#[test]
fn a_process_that_dies_at_any_write_leaves_the_old_or_the_new_and_the_journal_tells_which() {
    let mut points = 0;
    loop {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        add(&home, "old");
        points += 1;
        let survived = child(&home, "young", points).wait().unwrap().success();

        let after = ids(&home);
        let arrived = after == ["old", "young"];
        assert!(arrived || after == ["old"], "point {points}: {after:?}");

        let lock = Lock::acquire(&home, PATIENCE).unwrap();
        let mut database = Database::open(&home).unwrap();
        transaction::recover(&lock, &mut database).unwrap();
        let entries = database.journal(100).unwrap().into_iter();
        let young =
            entries.filter(|entry| entry.thing.kind == ThingKind::Lesson && entry.thing.name == "young");
        let states: Vec<State> = young.map(|entry| entry.state).collect();
        let expected: &[&[State]] = if arrived { &[&[State::Done]] } else { &[&[], &[State::Undone]] };
        assert!(expected.contains(&states.as_slice()), "point {points}: {states:?}");
        drop((database, lock));

        add(&home, "young");
        assert_eq!(ids(&home), ["old", "young"], "point {points}");
        let left: Vec<_> = std::fs::read_dir(home.root())
            .unwrap()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().contains(".unfinished"))
            .collect();
        assert!(left.is_empty(), "point {points}: {left:?}");
        if survived {
            break;
        }
    }
    // Create, write, sync, rename, the folder, and two commits: before, between and after each.
    assert!(points > 12, "only {points} points were passed");
}

/// The project beside a home, with a store of one lesson.
fn project(home: &Home) -> PathBuf {
    let root = home.root().with_file_name("project");
    let mut graph = Graph::empty("lessons.json");
    graph.put(&lesson("theirs")).unwrap();
    std::fs::create_dir_all(root.join(".lessons")).unwrap();
    std::fs::write(root.join(".lessons/lessons.json"), graph.to_bytes()).unwrap();
    root
}

fn trust_project(home: &Home) {
    let preview = trust::preview(home, &project(home)).unwrap();
    let approval = Approval {
        actor: "person".into(),
        at: "2026-01-01".into(),
        accept: BTreeSet::new(),
        refusals: Refusals::BecomeAdvice,
    };
    let deed = Deed::new("person", "trusted", 1);
    let lock = Lock::acquire(home, PATIENCE).unwrap();
    decisions::approve_store(&lock, &mut Database::open(home).unwrap(), &deed, &preview, &approval).unwrap();
}

/// How many lessons each trusted store gives.
fn trusted_lessons(home: &Home) -> Vec<usize> {
    trust::approved(home).unwrap().iter().map(|approved| approved.lessons.len()).collect()
}

#[test]
fn a_project_that_was_trusted_gives_its_lessons() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(std::env::var_os(HOME).map_or_else(|| dir.path().join("data"), Into::into));
    trust_project(&home);
    assert_eq!(trusted_lessons(&home), [1]);
}

#[test]
fn a_process_that_dies_while_trusting_leaves_all_of_the_trust_or_none() {
    let mut points = 0;
    loop {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        points += 1;
        let mut child = child_running("a_project_that_was_trusted_gives_its_lessons", &home, "", points);
        let survived = child.wait().unwrap().success();
        let found = trusted_lessons(&home);
        assert!(found.is_empty() || found == [1], "point {points}: {found:?}");
        trust_project(&home);
        assert_eq!(trusted_lessons(&home), [1], "point {points}");
        if survived {
            break;
        }
    }
    // Two files: create, write, sync, rename and the folder, before, between and after each.
    assert!(points > 15, "only {points} points were passed");
}
