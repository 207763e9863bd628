use lessons_core::id::TopicId;
use lessons_core::trigger::{Trigger, TriggerKind};
use serde_json::json;

use super::*;
use crate::journal::{Kind, Thing};
use crate::present::snapshot_in;

/// A whole file of this version. A change that breaks it must raise [`VERSION`].
const GOLDEN: &str = r#"{
  "graph": {
    "lessons": {
      "frob": {
        "createdAt": "2026-01-01",
        "evidence": [],
        "mode": "block",
        "rule": "Never wipe the frob.",
        "status": "active",
        "topics": [
          "general"
        ],
        "triggers": [
          "t-cmd-b525542d"
        ]
      }
    },
    "topics": {
      "general": {
        "summary": "General"
      }
    },
    "triggers": {
      "t-cmd-b525542d": {
        "kind": "command_pattern",
        "pattern": "frob wipe"
      }
    },
    "version": 1
  },
  "settings": {
    "off.user/other": "\"\"",
    "seeds.off": "[\"rm-rf\"]"
  },
  "version": 1
}
"#;

fn scratch() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    files::ensure_folder(home.root()).unwrap();
    (dir, home)
}

fn read(home: &Home, text: &str) -> Result<Option<Accepted>, AcceptedError> {
    durable::replace(&home.accepted(), text.as_bytes()).unwrap();
    Accepted::read(home)
}

fn lesson(id: &str, rule: &str, pattern: &str) -> Lesson {
    let (id, topic) = (LessonId::new(id).unwrap(), TopicId::new("general").unwrap());
    let mut lesson = Lesson::new(id, rule, topic, "2026-01-01");
    lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, pattern)];
    lesson
}

fn graph(lessons: &[Lesson]) -> Graph {
    let mut graph = Graph::empty("lessons.json");
    for lesson in lessons {
        graph.put(lesson).unwrap();
    }
    graph
}

/// What a command that makes `after` of `before` does to `accepted`.
fn follow(accepted: &mut Accepted, id: &str, before: &Graph, after: &Graph) {
    let thing = Thing::new(Kind::Lesson, id);
    let (before, after) = (snapshot_in(before, id), snapshot_in(after, id));
    for _ in 0..2 {
        accepted.follow([(&thing, before.as_deref(), after.as_deref())]);
    }
}

fn accepted_lesson<'a>(accepted: &'a Accepted, id: &str) -> Option<&'a Lesson> {
    accepted.graph().get(&LessonId::new(id).unwrap())
}

#[test]
fn the_golden_file_is_read_and_round_trips() {
    let (_dir, home) = scratch();
    let accepted = read(&home, GOLDEN).unwrap().unwrap();
    assert_eq!(String::from_utf8(accepted.to_bytes()).unwrap(), GOLDEN);
    accepted.write(&home).unwrap();
    assert_eq!(std::fs::read_to_string(home.accepted()).unwrap(), GOLDEN);
    let copies = AcceptedCopies::read(&home).unwrap();
    assert_eq!(copies.lessons.lessons().len(), 1);
    assert_eq!(copies.settings["seeds.off"], "[\"rm-rf\"]");
}

#[test]
fn a_corrupt_file_and_one_of_a_later_version_are_named_with_the_way_out() {
    let (_dir, home) = scratch();
    assert!(Accepted::read(&home).unwrap().is_none());
    for text in [
        "{",
        "",
        &GOLDEN.replace("\n  \"version\": 1", "\n  \"version\": 2"),
        &GOLDEN.replace("graph", "lessons"),
    ] {
        let error = read(&home, text).unwrap_err().to_string();
        assert!(error.contains("accepted.json") && error.contains("`lessons accept`"), "{error}");
        assert!(AcceptedCopies::read(&home).is_err());
    }
}

#[test]
fn a_command_accepts_what_it_adds_changes_and_removes() {
    let (_dir, home) = scratch();
    let mut accepted = Accepted::none(&home);
    let (none, one) = (graph(&[]), graph(&[lesson("a", "One.", "frob a")]));
    let two = graph(&[lesson("a", "Two.", "frob b")]);
    follow(&mut accepted, "a", &none, &one);
    assert_eq!(accepted_lesson(&accepted, "a").unwrap().rule, "One.");
    follow(&mut accepted, "a", &one, &two);
    assert_eq!(accepted_lesson(&accepted, "a"), two.get(&LessonId::new("a").unwrap()));
    follow(&mut accepted, "a", &two, &none);
    assert_eq!((accepted.graph().ids().count(), accepted.graph().all_trigger_ids().count()), (0, 0));
}

#[test]
fn a_command_accepts_nothing_that_was_changed_by_other_means_before_it() {
    let (_dir, home) = scratch();
    let mut accepted = Accepted::none(&home);
    let mut mine = lesson("a", "Ask first.", "frob a");
    follow(&mut accepted, "a", &graph(&[]), &graph(&[mine.clone()]));
    mine.rule = "Never ask.".into();
    mine.triggers = vec![Trigger::new(TriggerKind::CommandPattern, "nothing")];
    let by_hand = graph(&[mine.clone()]);
    mine.mistake = Some("It breaks.".into());
    mine.triggers.push(Trigger::new(TriggerKind::CommandPattern, "frob b"));
    follow(&mut accepted, "a", &by_hand, &graph(&[mine]));
    let copy = accepted_lesson(&accepted, "a").unwrap();
    assert_eq!((copy.rule.as_str(), copy.mistake.as_deref()), ("Ask first.", Some("It breaks.")));
    let patterns: Vec<&str> = copy.triggers.iter().map(|trigger| trigger.pattern.as_str()).collect();
    assert_eq!(patterns, ["frob a", "frob b"]);
}

#[test]
fn a_lesson_that_is_not_accepted_is_not_accepted_by_editing_it() {
    let (_dir, home) = scratch();
    let mut accepted = Accepted::none(&home);
    let (before, after) = (graph(&[lesson("a", "One.", "x y")]), graph(&[lesson("a", "Two.", "x y")]));
    follow(&mut accepted, "a", &before, &after);
    assert_eq!(accepted_lesson(&accepted, "a"), None);
}

#[test]
fn a_trigger_whose_id_stands_for_another_pattern_keeps_its_own() {
    let node = |pattern: &str| json!({ "t": { "kind": "command_pattern", "pattern": pattern } });
    let snapshot = |pattern: &str| {
        let lesson = json!({ "rule": "r", "topics": ["general"], "triggers": ["t"], "evidence": [],
                             "status": "active", "createdAt": "2026-01-01" });
        Some(Snapshot { lesson, triggers: node(pattern).as_object().unwrap().clone() })
    };
    let mut graph = Graph::empty("accepted.json");
    place(&mut graph, vec![("a".into(), snapshot("frob a")), ("b".into(), snapshot("frob b"))]);
    let patterns: Vec<&str> = graph.lessons().map(|lesson| lesson.triggers[0].pattern.as_str()).collect();
    assert_eq!(patterns, ["frob a", "frob b"]);
    place(&mut graph, vec![("a".into(), None), ("b".into(), snapshot("frob b"))]);
    assert_eq!(graph.all_trigger_ids().collect::<Vec<_>>(), ["t"]);
}

#[test]
fn settings_follow_only_where_they_decide_what_is_in_force() {
    let (_dir, home) = scratch();
    let mut accepted = Accepted::none(&home);
    for key in ["off.user/a", "budget.bytes", "enabled", "gate.scripts"] {
        let thing = Thing::new(Kind::Setting, key);
        accepted.follow([(&thing, None, Some("1"))]);
    }
    assert_eq!(accepted.settings().keys().collect::<Vec<_>>(), ["enabled", "gate.scripts", "off.user/a"]);
    accepted.follow([(&Thing::new(Kind::Setting, "enabled"), Some("1"), None)]);
    assert!(!accepted.settings().contains_key("enabled"));
}

#[test]
fn what_differs_is_named_with_how() {
    let before = [lesson("changed", "One.", "a b"), lesson("gone", "r", "c d"), lesson("same", "r", "e f")];
    let after = [lesson("changed", "Two.", "a b"), lesson("new", "r", "g h"), lesson("same", "r", "e f")];
    let settings = |text: &str| SettingTexts::from([("enabled".to_owned(), text.to_owned())]);
    let (on, off) = (settings("true"), settings("false"));
    let unaccepted = Unaccepted::between((&before, &on), (&after, &off));
    let lessons: Vec<_> = unaccepted.lessons.iter().map(|(id, how)| (id.as_str(), how.word())).collect();
    assert_eq!(lessons, [("changed", "changed"), ("gone", "removed"), ("new", "new")]);
    assert_eq!(unaccepted.settings, ["enabled"]);
    assert!(Unaccepted::between((&before, &on), (&before, &on)).is_empty());
}
