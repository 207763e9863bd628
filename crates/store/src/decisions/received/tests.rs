use lessons_lesson::TopicId;
use lessons_pattern::{Trigger, TriggerKind};
use lessons_share::{Deletion, EventId};

use super::*;

fn id(text: &str) -> LessonId {
    LessonId::new(text).unwrap()
}

fn lesson(name: &str, agent: Option<&str>) -> Lesson {
    let mut lesson =
        Lesson::new(id(name), "Use `frob push --safe`.", TopicId::new("frob").unwrap(), "2026-01-31");
    lesson.triggers.push(Trigger::new(TriggerKind::Keyword, "frob push"));
    lesson.scope.projects.push("github.com/acme/app".into());
    lesson.scope.agents.extend(agent.map(str::to_owned));
    lesson
}

/// A version with its date; its event is made of both.
fn seen(version: u32, created_at: u64) -> Newest {
    let mut event = [0; 32];
    event[0] = u8::try_from(version).unwrap();
    event[1..9].copy_from_slice(&created_at.to_le_bytes());
    Newest { version, created_at, event: EventId::of(event), declined: false, lesson: None }
}

fn deletion(lessons: &[&str], events: &[&Newest]) -> Deletion {
    Deletion {
        lessons: lessons.iter().map(|name| id(name)).collect(),
        events: events.iter().map(|seen| seen.event).collect(),
    }
}

#[test]
fn an_older_version_never_comes_back() {
    let mut peer = FromPeer::default();
    let a = id("a");
    assert_eq!(peer.freshness(&a, &seen(1, 10)), Freshness::New);
    assert!(peer.remember(&a, seen(2, 20)));
    for (version, date, expected) in [
        (1, 10, Freshness::Stale),
        (1, 99, Freshness::Stale),
        (2, 19, Freshness::Stale),
        (2, 20, Freshness::Same),
        (2, 21, Freshness::New),
        (3, 5, Freshness::New),
    ] {
        assert_eq!(peer.freshness(&a, &seen(version, date)), expected, "{version} {date}");
    }
    assert_eq!(peer.freshness(&id("b"), &seen(1, 1)), Freshness::New, "another lesson");
    let twin = Newest { event: EventId::of([9; 32]), ..seen(2, 20) };
    assert_eq!(peer.freshness(&a, &twin), Freshness::Stale, "the first of two equal ones stays");
}

#[test]
fn what_its_author_deleted_is_stale_also_if_it_arrives_later() {
    let mut peer = FromPeer::default();
    let (a, b) = (id("a"), id("b"));
    let put = Newest { lesson: Some(Box::new(lesson("a", None))), ..seen(1, 10) };
    peer.remember(&a, put.clone());
    peer.delete(&deletion(&["a"], &[&seen(1, 7)]), 20);
    assert_eq!(peer.in_force().next(), None);
    assert_eq!(peer.freshness(&a, &seen(1, 10)), Freshness::Stale);
    assert_eq!(peer.freshness(&a, &seen(3, 20)), Freshness::Stale);
    assert_eq!(peer.freshness(&a, &seen(1, 21)), Freshness::New, "shared anew after the deletion");
    assert_eq!(peer.freshness(&b, &seen(1, 7)), Freshness::Stale, "deleted by its event");
    peer.delete(&deletion(&["a"], &[]), 5);
    assert_eq!(peer.freshness(&a, &seen(1, 10)), Freshness::Stale, "an older deletion takes nothing back");
    let mut later = FromPeer::default();
    later.remember(&a, Newest { created_at: 30, ..put });
    later.delete(&deletion(&["a"], &[]), 20);
    assert!(later.in_force().next().is_some(), "a version that is newer than the deletion stays");
}

#[test]
fn fifty_of_each_agent_are_in_force() {
    let mut peer = FromPeer::default();
    for number in 0..MOST_IN_FORCE {
        let name = format!("l-{number}");
        let lesson = lesson(&name, Some("Explore"));
        assert!(peer.has_room_for(&lesson));
        peer.remember(&id(&name), Newest { lesson: Some(Box::new(lesson)), ..seen(1, 1) });
    }
    assert!(!peer.has_room_for(&lesson("more", Some("Explore"))));
    assert!(peer.has_room_for(&lesson("l-3", Some("Explore"))), "a new version of one that is in force");
    assert!(peer.has_room_for(&lesson("more", None)) && peer.has_room_for(&lesson("more", Some("dba"))));
    let mut both = lesson("both", Some("Explore"));
    both.scope.agents.push("dba".into());
    assert!(!peer.has_room_for(&both));
}

#[test]
fn whatever_the_file_says_a_lesson_advises_ranks_low_and_holds_in_its_project_alone() {
    let mut wild = lesson("a", None);
    (wild.mode, wild.priority) = (Mode::Block, Priority::new(9).unwrap());
    let tame = confined(&wild).unwrap();
    assert_eq!((tame.mode, tame.priority.get()), (Mode::Advise, 5));
    wild.priority = Priority::new(3).unwrap();
    assert_eq!(confined(&wild).unwrap().priority.get(), 3);
    wild.scope.projects.clear();
    assert_eq!(confined(&wild), None);
}

#[test]
fn a_decision_of_a_person_stays_until_the_next_one() {
    let mut peer = FromPeer::default();
    let a = id("a");
    peer.remember(&a, Newest { lesson: Some(Box::new(lesson("a", None))), ..seen(1, 1) });
    peer.decide(&a, None);
    assert!(peer.lessons[&a].declined && peer.lessons[&a].lesson.is_none());
    peer.decide(&a, Some(lesson("a", None)));
    assert!(!peer.lessons[&a].declined && peer.lessons[&a].lesson.is_some());
}

#[test]
fn what_holds_a_text_is_forgotten() {
    let mut peer = FromPeer::default();
    peer.remember(&id("a"), Newest { lesson: Some(Box::new(lesson("a", None))), ..seen(1, 1) });
    peer.remember(&id("b"), seen(1, 1));
    peer.forget(|text| text.contains("rule"));
    // The version is remembered without its text, so that neither it nor an older one comes back.
    assert!(peer.lessons[&id("a")].declined && peer.lessons[&id("a")].lesson.is_none());
    assert_eq!(peer.freshness(&id("a"), &seen(1, 0)), Freshness::Stale);
    assert_eq!(peer.lessons[&id("b")], seen(1, 1));
    let before = peer.clone();
    peer.forget(|text| text.contains("rule"));
    assert_eq!(peer, before);
}
