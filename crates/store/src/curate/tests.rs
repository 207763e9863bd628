use serde_json::{Value, json};

use super::*;
use crate::graph::Origin;
use crate::validate::Files;

fn graph(lessons: &Value) -> Graph {
    let value = json!({
        "version": 1,
        "lessons": lessons,
        "topics": { "t": { "summary": "T" }, "u": { "summary": "U" } },
        "triggers": { "a": { "kind": "file_glob", "pattern": "a" }, "b": { "kind": "file_glob", "pattern": "b" },
                      "k": { "kind": "keyword", "pattern": "git push" } },
    });
    Graph::parse("lessons.json", value.to_string().as_bytes(), Origin::Own).unwrap()
}

fn lesson(topics: &[&str], triggers: &[&str], more: &Value) -> Value {
    let mut lesson = json!({ "rule": format!("{topics:?} {triggers:?} {more}"), "topics": topics,
        "triggers": triggers, "evidence": [], "status": "active", "createdAt": "2026-01-01" });
    lesson.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    lesson
}

fn id(text: &str) -> LessonId {
    LessonId::new(text).unwrap()
}

#[test]
fn merging_unites_what_both_fire_on_and_come_from() {
    let mut graph = graph(&json!({
        "lose": lesson(&["u", "t"], &["b", "a"], &json!({ "evidence": ["e2"] })),
        "keep": lesson(&["t"], &["a"], &json!({ "evidence": ["e1"] })),
        "old": lesson(&["t"], &[], &json!({ "status": "superseded", "supersededBy": "lose" })),
    }));
    let kept = merge(&mut graph, &id("lose"), &id("keep"), "2026-02-02").unwrap();
    assert_eq!(kept.evidence, ["e1", "e2"]);
    assert_eq!(kept.triggers.len(), 2);
    assert_eq!(kept.topics.len(), 2);
    for gone in ["lose", "old"] {
        assert_eq!(graph.get(&id(gone)).unwrap().superseded_by, Some(id("keep")), "{gone}");
    }
}

#[test]
fn the_triggers_of_a_retired_lesson_stay_dead() {
    let mut graph = graph(&json!({
        "dead": lesson(&["u"], &["b"], &json!({ "status": "deprecated", "evidence": ["e2"], "unless": ["k"] })),
        "keep": lesson(&["t"], &["a"], &json!({})),
    }));
    let kept = merge(&mut graph, &id("dead"), &id("keep"), "2026-02-02").unwrap();
    assert_eq!(kept.triggers.len(), 1, "{:?}", kept.triggers);
    assert_eq!((kept.topics.len(), kept.evidence.len()), (2, 1));
    assert_eq!(graph.get(&id("dead")).unwrap().superseded_by, Some(id("keep")));
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let mut graph = graph(&json!({
        "a": lesson(&["t"], &["a"], &json!({})),
        "b": lesson(&["t"], &["b"], &json!({ "unless": ["k"] })),
        "dead": lesson(&["t"], &["a"], &json!({ "status": "deprecated" })),
    }));
    let before = graph.to_bytes();
    let mut code = |loser: &str, keeper: &str| {
        merge(&mut graph, &id(loser), &id(keeper), "2026-02-02").unwrap_err().code
    };
    assert_eq!(code("a", "a"), "SELF_MERGE");
    assert_eq!(code("a", "nope"), "UNKNOWN_LESSON");
    assert_eq!(code("a", "dead"), "INACTIVE_SUPERSEDER");
    assert_eq!(code("b", "a"), "DIFFERENT_CONDITIONS");
    assert_eq!(untrigger(&mut graph, &id("a"), "a", "now").unwrap_err().code, "LAST_TRIGGER");
    assert_eq!(untrigger(&mut graph, &id("a"), "b", "now").unwrap_err().code, "NOT_REFERENCED");
    assert_eq!(graph.to_bytes(), before);
}

#[test]
fn a_trigger_that_nobody_else_names_goes_with_the_last_who_did() {
    let mut graph = graph(&json!({
        "one": lesson(&["t"], &["a", "b"], &json!({})),
        "two": lesson(&["t"], &["a"], &json!({ "status": "deprecated" })),
    }));
    let gone = untrigger(&mut graph, &id("one"), "glob=b", "2026-02-02").unwrap();
    assert_eq!(gone, Untriggered { trigger: "b".into(), is_gone: true, left: 1 });
    let shared = untrigger(&mut graph, &id("two"), "a", "2026-02-02").unwrap();
    assert_eq!(shared, Untriggered { trigger: "a".into(), is_gone: false, left: 0 });
}

#[test]
fn pruning_never_takes_the_last_trigger() {
    let mut graph = graph(&json!({
        "gone": lesson(&["t"], &["b"], &json!({})),
        "half": lesson(&["t"], &["a", "b"], &json!({})),
        "off": lesson(&["t"], &["k"], &json!({ "status": "deprecated" })),
    }));
    let files = Files(["a".to_owned()].into());
    let pruned = prune(&mut graph, Some(&files), Some(1));
    assert_eq!(pruned.unreachable_lessons, ["gone"]);
    assert_eq!(pruned.removed_dead_globs[0].removed, ["b"]);
    assert_eq!((pruned.removed_trigger_ids, pruned.removed_topic_ids), (vec!["k".into()], vec!["u".into()]));
    assert_eq!(graph.get(&id("gone")).unwrap().triggers.len(), 1);
    assert!(graph.problems().is_empty(), "{:?}", graph.problems());
}
