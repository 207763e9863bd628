use lessons_lesson::{Lesson, LessonId, TopicId};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_store::NodeKind;
use serde_json::json;

use super::*;
use crate::journal::entries::snapshot_in;
use lessons_home::Home;

fn scratch() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    lessons_home::files::ensure_folder(home.root()).unwrap();
    (dir, home)
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
fn command(accepted: &mut Accepted, id: &str, before: &Graph, after: &Graph) {
    let thing = Thing::new(ThingKind::Lesson, id);
    let (before, after) = (snapshot_in(before, id), snapshot_in(after, id));
    for _ in 0..2 {
        super::follow(accepted, [(&thing, before.as_deref(), after.as_deref())]);
    }
}

fn accepted_lesson<'a>(accepted: &'a Accepted, id: &str) -> Option<&'a Lesson> {
    accepted.graph.get(&LessonId::new(id).unwrap())
}

#[test]
fn a_command_accepts_what_it_adds_changes_and_removes() {
    let (_dir, home) = scratch();
    let mut accepted = Accepted::none(&home);
    let (none, one) = (graph(&[]), graph(&[lesson("a", "One.", "frob a")]));
    let two = graph(&[lesson("a", "Two.", "frob b")]);
    command(&mut accepted, "a", &none, &one);
    assert_eq!(accepted_lesson(&accepted, "a").unwrap().rule, "One.");
    command(&mut accepted, "a", &one, &two);
    assert_eq!(accepted_lesson(&accepted, "a"), two.get(&LessonId::new("a").unwrap()));
    command(&mut accepted, "a", &two, &none);
    assert_eq!((accepted.graph.ids().count(), accepted.graph.node_ids(NodeKind::Trigger).count()), (0, 0));
}

#[test]
fn a_command_accepts_nothing_that_was_changed_by_other_means_before_it() {
    let (_dir, home) = scratch();
    let mut accepted = Accepted::none(&home);
    let mut mine = lesson("a", "Ask first.", "frob a");
    command(&mut accepted, "a", &graph(&[]), &graph(&[mine.clone()]));
    mine.rule = "Never ask.".into();
    mine.triggers = vec![Trigger::new(TriggerKind::CommandPattern, "nothing")];
    let by_hand = graph(&[mine.clone()]);
    mine.mistake = Some("It breaks.".into());
    mine.triggers.push(Trigger::new(TriggerKind::CommandPattern, "frob b"));
    command(&mut accepted, "a", &by_hand, &graph(&[mine]));
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
    command(&mut accepted, "a", &before, &after);
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
    let mut graph = Graph::empty("decisions.json");
    graph.place(vec![("a".into(), snapshot("frob a")), ("b".into(), snapshot("frob b"))]);
    let patterns: Vec<&str> = graph.lessons().map(|lesson| lesson.triggers[0].pattern.as_str()).collect();
    assert_eq!(patterns, ["frob a", "frob b"]);
    graph.place(vec![("a".into(), None), ("b".into(), snapshot("frob b"))]);
    assert_eq!(graph.node_ids(NodeKind::Trigger).collect::<Vec<_>>(), ["t"]);
}

#[test]
fn settings_follow_only_where_they_decide_what_is_in_force() {
    let (_dir, home) = scratch();
    let mut accepted = Accepted::none(&home);
    for key in ["off.user/a", "budget.bytes", "enabled", "gate.scripts"] {
        let thing = Thing::new(ThingKind::Setting, key);
        super::follow(&mut accepted, [(&thing, None, Some("1"))]);
    }
    assert_eq!(accepted.settings.keys().collect::<Vec<_>>(), ["enabled", "gate.scripts", "off.user/a"]);
    super::follow(&mut accepted, [(&Thing::new(ThingKind::Setting, "enabled"), Some("1"), None)]);
    assert!(!accepted.settings.contains_key("enabled"));
}
