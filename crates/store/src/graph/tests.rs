use super::*;
use lessons_lesson::{Mode, Priority, SampleCall, Status};
use lessons_pattern::TriggerKind;
use proptest::prelude::*;
use serde_json::json;

const GOLDEN: &str = include_str!("../../testdata/lessons.json");

fn id(text: &str) -> LessonId {
    LessonId::new(text).unwrap()
}

fn own(value: &Value) -> Graph {
    read(&value.to_string()).unwrap()
}

fn read(text: &str) -> Result<Graph, UnreadableGraph> {
    Graph::parse("lessons.json", text.as_bytes(), Origin::Own)
}

/// A graph with the lesson `a`, which is `{required fields} + extra`.
fn with(extra: &Value) -> Value {
    let mut lesson = json!({
        "rule": "Use git stash -u.", "topics": ["t"], "triggers": ["t1"], "evidence": [],
        "status": "active", "createdAt": "2026-01-01",
    });
    lesson.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({
        "version": 1, "lessons": { "a": lesson, "b": {
            "rule": "r", "topics": ["t"], "triggers": ["t1"], "evidence": [],
            "status": "active", "createdAt": "2026-01-01" } },
        "topics": { "t": { "summary": "T" } },
        "triggers": { "t1": { "kind": "command_pattern", "pattern": "git stash" } },
    })
}

fn codes(graph: &Graph) -> Vec<(Option<&str>, &str)> {
    graph.problems().iter().map(|problem| (problem.lesson(), problem.flaw.code)).collect()
}

fn lesson(name: &str) -> Lesson {
    let mut lesson = Lesson::new(id(name), "Do it.", TopicId::new("shell").unwrap(), "2026-01-01");
    lesson.triggers.push(Trigger::new(TriggerKind::CommandPattern, "git stash"));
    lesson
}

#[test]
fn the_golden_file_is_read_without_a_word_and_written_back_byte_for_byte() {
    let graph = read(GOLDEN).unwrap();
    assert_eq!(graph.problems(), []);
    assert_eq!(graph.lessons().len(), 2);
    assert_eq!(String::from_utf8(graph.to_bytes()).unwrap(), GOLDEN);
}

#[test]
fn a_graph_of_another_tool_with_only_the_required_fields_is_valid() {
    let graph = own(&with(&json!({})));
    assert_eq!(graph.problems(), []);
    let lesson = graph.get(&id("a")).unwrap();
    assert_eq!(lesson.triggers, [Trigger::new(TriggerKind::CommandPattern, "git stash")]);
    assert_eq!((lesson.mode, lesson.priority.get(), lesson.confidence.get()), (Mode::Advise, 5, 1.0));
}

#[test]
fn no_field_of_a_lesson_is_lost_when_it_is_read() {
    let given = json!({
        "author": "Ada", "confidence": 0.5, "createdAt": "2026-01-02", "detail": "d", "evidence": ["e"],
        "examples": { "fires": [{ "tool": "Bash", "command": "git stash" }] }, "metacognition": "m", "mistake": "w",
        "mode": "bump", "os": ["linux"], "phase": "p", "priority": 7, "quality": "critical", "rationale": "r",
        "rule": "Do it.", "scope": { "agents": ["main"] }, "severity": "high", "shell": ["bash"],
        "state": ["path-missing"], "status": "superseded", "subject": "program", "summary": "s", "supersededBy": "b",
        "tags": ["t"], "tools": ["Bash"], "topics": ["t"], "updatedAt": "2026-01-03", "when": "session",
    });
    let read = serde_json::to_value(own(&with(&given)).get(&id("a")).unwrap()).unwrap();
    for (name, value) in given.as_object().unwrap() {
        assert_eq!(&read[name], value, "{name}");
    }
    assert_eq!(given.as_object().unwrap().len() + ["id", "triggers"].len(), read.as_object().unwrap().len());
}

#[test]
fn the_same_lessons_give_the_same_bytes_in_whatever_order_they_come() {
    let (mut one, mut other) = (Graph::empty("f"), Graph::empty("f"));
    for name in ["a", "b", "c"] {
        one.put(&lesson(name)).unwrap();
    }
    for name in ["c", "a", "b", "a"] {
        other.put(&lesson(name)).unwrap();
    }
    assert_eq!(one.to_bytes(), other.to_bytes());
    assert!(one.to_bytes().ends_with(b"}\n"));
}

#[test]
fn only_what_is_not_default_is_written() {
    let mut graph = Graph::empty("f");
    graph.put(&lesson("a")).unwrap();
    let keys: Vec<&str> = graph.raw("a").unwrap().as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["createdAt", "evidence", "rule", "status", "topics", "triggers"]);
    assert_eq!(graph.topics().collect::<Vec<_>>(), [("shell", "Shell")]);
}

#[test]
fn equal_triggers_of_two_lessons_are_one_node_and_go_with_the_last() {
    let mut graph = Graph::empty("f");
    graph.put(&lesson("a")).unwrap();
    graph.put(&lesson("b")).unwrap();
    assert_eq!(graph.node_ids(NodeKind::Trigger).count(), 1);
    graph.restore([("a", None)]);
    assert_eq!(graph.node_ids(NodeKind::Trigger).count(), 1);
    graph.restore([("b", None)]);
    assert_eq!(graph.node_ids(NodeKind::Trigger).count(), 0);
}

#[test]
fn a_trigger_keeps_the_id_that_another_tool_gave_it() {
    let mut graph = own(&with(&json!({})));
    let mut lesson = graph.get(&id("a")).unwrap().clone();
    lesson.triggers.push(Trigger::new(TriggerKind::Tool, "Bash"));
    graph.put(&lesson).unwrap();
    let tool = Trigger::new(TriggerKind::Tool, "Bash").id(8);
    assert_eq!(graph.raw("a").unwrap()["triggers"], json!(["t1", tool]));
}

#[test]
fn an_id_that_another_pattern_has_is_lengthened_to_12_and_then_to_16_digits() {
    let trigger = Trigger::new(TriggerKind::CommandPattern, "git stash");
    let mut graph = Graph::empty("f");
    for digits in [8, 12] {
        let taken = json!({ "kind": "command_pattern", "pattern": "something else" });
        graph.parts.nodes_mut(NodeKind::Trigger).insert(trigger.id(digits), taken.clone());
        graph.triggers.insert(&trigger.id(digits), None);
        let mut copy = graph.clone();
        copy.put(&lesson("a")).unwrap();
        let longer = if digits == 8 { 12 } else { 16 };
        assert_eq!(copy.raw("a").unwrap()["triggers"], json!([trigger.id(longer)]));
        assert_eq!(copy.parts.nodes(NodeKind::Trigger)[&trigger.id(digits)], taken);
    }
    graph.triggers.insert(&trigger.id(16), None);
    assert_eq!(graph.put(&lesson("a")), Err(PutError::NoFreeId(trigger)));
}

#[test]
fn a_node_whose_id_was_made_from_another_pattern_is_an_error_for_that_trigger_alone() {
    let mut value = with(&json!({ "triggers": ["t-cmd-00000000", "t1"] }));
    value["triggers"]["t-cmd-00000000"] = json!({ "kind": "command_pattern", "pattern": "x" });
    let graph = own(&value);
    assert_eq!(codes(&graph), [(None, "TRIGGER_ID_MISMATCH"), (Some("a"), "BROKEN_TRIGGER")]);
    assert_eq!(graph.get(&id("a")).unwrap().triggers.len(), 1);
}

#[test]
fn a_broken_lesson_is_told_by_name_and_hides_no_other() {
    for (extra, code) in [
        (json!({ "rule": 5 }), "SCHEMA_INVALID"),
        (json!({ "rule": null }), "SCHEMA_INVALID"),
        (json!({ "topics": [] }), "SCHEMA_INVALID"),
        (json!({ "topics": ["../x"] }), "SCHEMA_INVALID"),
        (json!({ "triggers": "t1" }), "SCHEMA_INVALID"),
        (json!({ "evidence": null }), "SCHEMA_INVALID"),
        (json!({ "status": "on" }), "SCHEMA_INVALID"),
        (json!({ "mode": ["block"] }), "SCHEMA_INVALID"),
        (json!({ "priority": 11 }), "SCHEMA_INVALID"),
        (json!({ "priority": 1e9 }), "SCHEMA_INVALID"),
        (json!({ "priority": 5.5 }), "SCHEMA_INVALID"),
        (json!({ "confidence": -1 }), "SCHEMA_INVALID"),
        (json!({ "scope": [] }), "SCHEMA_INVALID"),
        (json!({ "scope": { "projects": "x" } }), "SCHEMA_INVALID"),
        (json!({ "examples": { "fires": [{ "command": "x" }] } }), "SCHEMA_INVALID"),
        (json!({ "also": ["nope"] }), "DANGLING_TRIGGER"),
        (json!({ "unless": ["nope"] }), "DANGLING_TRIGGER"),
    ] {
        let graph = own(&with(&extra));
        assert_eq!(codes(&graph), [(Some("a"), code)], "{extra}");
        assert_eq!(graph.lessons().map(|lesson| lesson.id.as_str()).collect::<Vec<_>>(), ["b"], "{extra}");
    }
}

#[test]
fn a_dangling_trigger_is_told_and_the_others_of_its_lesson_work() {
    let graph = own(&with(&json!({ "triggers": ["nope", "t1"] })));
    assert_eq!(codes(&graph), [(Some("a"), "DANGLING_TRIGGER")]);
    assert_eq!(graph.get(&id("a")).unwrap().triggers.len(), 1);
}

#[test]
fn a_lesson_that_stands_there_twice_is_taken_out_and_the_graph_is_lossy() {
    let text = with(&json!({})).to_string();
    let twice = text.replacen("\"b\":{", "\"a\":{", 1);
    let graph = read(&twice).unwrap();
    assert_eq!(codes(&graph), [(Some("a"), "DUPLICATE_KEY")]);
    assert_eq!(graph.lessons().len(), 0);
    assert!(graph.is_lossy());
}

#[test]
fn numbers_of_a_projects_store_are_brought_into_range() {
    let value = with(&json!({ "priority": 1e9, "confidence": -3 }));
    let graph = Graph::parse("f", value.to_string().as_bytes(), Origin::Project).unwrap();
    let lesson = graph.get(&id("a")).unwrap();
    assert_eq!((lesson.priority.get(), lesson.confidence.get()), (10, 0.0));
    assert_eq!(codes(&graph), [(Some("a"), "NUMBER_CLAMPED"); 2]);
}

#[test]
fn a_projects_lesson_without_topics_and_evidence_works() {
    let value = with(&json!({ "topics": null, "evidence": null }));
    let graph = Graph::parse("f", value.to_string().as_bytes(), Origin::Project).unwrap();
    assert!(graph.get(&id("a")).is_some());
    assert!(graph.problems().iter().all(|problem| problem.lesson() == Some("a")));
}

#[test]
fn what_is_no_graph_is_an_error_that_says_why() {
    for (text, says) in [
        ("[]", "not an object"),
        ("null", "not an object"),
        ("{}", "no `version`"),
        (r#"{"version":2}"#, "version 2"),
        (r#"{"version":"1"}"#, "version \"1\""),
        (r#"{"version":1,"lessons":[]}"#, "`lessons` is not an object"),
        (r#"{"version":1,"triggers":null}"#, "`triggers` is not an object"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn supersession_is_checked_over_the_whole_graph() {
    let lesson = |status: &str, by: Option<&str>| {
        json!({ "rule": "r", "topics": ["t"], "triggers": [], "evidence": [], "status": status,
                "createdAt": "2026-01-01", "supersededBy": by })
    };
    let cases: [(Value, &[(&str, &str)]); 6] = [
        (json!({ "a": lesson("superseded", None) }), &[("a", "SUPERSEDED_WITHOUT_TARGET")]),
        (json!({ "a": lesson("superseded", Some("x")) }), &[("a", "DANGLING_SUPERSEDER")]),
        (
            json!({ "a": lesson("active", Some("b")), "b": lesson("active", None) }),
            &[("a", "ACTIVE_WITH_SUPERSEDER")],
        ),
        (json!({ "a": lesson("superseded", Some("a")) }), &[("a", "SELF_SUPERSEDED")]),
        (
            json!({ "a": lesson("superseded", Some("b")), "b": lesson("superseded", Some("c")),
                    "c": lesson("superseded", Some("b")) }),
            &[
                ("a", "INACTIVE_SUPERSEDER"),
                ("b", "INACTIVE_SUPERSEDER"),
                ("b", "SUPERSEDE_CYCLE"),
                ("c", "INACTIVE_SUPERSEDER"),
                ("c", "SUPERSEDE_CYCLE"),
            ],
        ),
        (json!({ "a": lesson("superseded", Some("b")), "b": lesson("active", None) }), &[]),
    ];
    for (lessons, expected) in cases {
        let graph = own(
            &json!({ "version": 1, "lessons": lessons, "topics": { "t": { "summary": "T" } }, "triggers": {} }),
        );
        let mut found: Vec<_> =
            codes(&graph).into_iter().map(|(id, code)| (id.unwrap_or_default(), code)).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{lessons}");
    }
}

#[test]
fn a_long_chain_of_supersession_is_walked_once() {
    let lessons: Map<String, Value> = (0..30_000)
        .map(|n| {
            let lesson = json!({ "rule": "r", "topics": ["t"], "triggers": [], "evidence": [],
                "status": "superseded", "createdAt": "2026-01-01", "supersededBy": format!("l{}", n + 1) });
            (format!("l{n}"), lesson)
        })
        .collect();
    let graph = own(
        &json!({ "version": 1, "lessons": lessons, "topics": { "t": { "summary": "T" } }, "triggers": {} }),
    );
    assert!(!codes(&graph).iter().any(|(_, code)| *code == "SUPERSEDE_CYCLE"));
}

#[test]
fn missing_topics_empty_topics_and_orphans_are_told_and_keep_nothing_from_working() {
    let mut value = with(&json!({ "topics": ["t", "gone"] }));
    value["topics"]["blank"] = json!({});
    value["triggers"]["t9"] = json!({ "kind": "tool", "pattern": "Bash" });
    let graph = own(&value);
    let mut found: Vec<_> = codes(&graph).into_iter().map(|(_, code)| code).collect();
    found.sort_unstable();
    assert_eq!(found, ["DANGLING_TOPIC", "ORPHAN_TRIGGER", "SCHEMA_INVALID"]);
    assert_eq!(graph.lessons().len(), 2);
}

#[test]
fn putting_a_lesson_back_unchanged_changes_no_byte() {
    let value = with(&json!({ "priority": 5, "mode": "advise", "triggers": ["nope", "t1"], "topics": ["t"],
        "examples": { "fires": [{ "tool": "Bash", "command": "git stash", "why": 1 }] } }));
    let mut graph = own(&value);
    let before = graph.to_bytes();
    graph.put(&graph.get(&id("a")).unwrap().clone()).unwrap();
    assert_eq!(graph.to_bytes(), before);
}

#[test]
fn a_field_set_back_to_its_default_goes() {
    let mut graph = own(&with(&json!({ "priority": 9, "summary": "s" })));
    let mut lesson = graph.get(&id("a")).unwrap().clone();
    (lesson.priority, lesson.summary) = (Priority::default(), None);
    graph.put(&lesson).unwrap();
    assert!(graph.raw("a").unwrap().get("priority").is_none());
    assert!(graph.raw("a").unwrap().get("summary").is_none());
}

#[test]
fn a_file_without_one_of_its_maps_is_read_and_named() {
    let without = own(&json!({ "version": 1, "lessons": {}, "topics": {} }));
    let [problem] = without.problems() else { panic!("{:?}", without.problems()) };
    assert!(problem.flaw.code == "SCHEMA_INVALID" && problem.is_error());
    assert_eq!((problem.flaw.what.as_str(), &problem.node), ("the file has no `triggers`", &None));
}

#[test]
fn a_removed_lesson_can_be_put_back_as_it_was() {
    let mut graph = own(&with(&json!({ "colour": "red" })));
    graph.restore([("b", None)]);
    let before = graph.to_bytes();
    let triggers = graph.raw_triggers_of("a");
    let raw = graph.raw("a").unwrap().clone();
    graph.restore([("a", None)]);
    graph.restore([("a", Some(Snapshot { lesson: raw, triggers }))]);
    assert_eq!(graph.to_bytes(), before);
    assert_eq!(graph.get(&id("a")).unwrap().triggers.len(), 1);
}

/// Any JSON, a few levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// What we do not know survives every change we make, wherever it stands.
    #[test]
    fn unknown_fields_survive_at_every_depth(unknown in any_json()) {
        let mut value = with(&json!({
            "x-unknown": unknown, "scope": { "projects": ["p"], "x-unknown": unknown },
            "examples": {
                "x-unknown": unknown,
                "fires": [{ "tool": "Bash", "command": "git stash", "x-unknown": unknown }],
            },
        }));
        value["x-unknown"] = unknown.clone();
        value["topics"]["t"]["x-unknown"] = unknown.clone();
        value["triggers"]["t1"]["x-unknown"] = unknown.clone();
        let mut graph = own(&value);
        prop_assert_eq!(graph.problems(), &[]);

        let mut lesson = graph.get(&id("a")).unwrap().clone();
        lesson.rule = "Another rule.".into();
        lesson.status = Status::Deprecated;
        lesson.scope.projects.push("q".into());
        lesson.triggers.push(Trigger::new(TriggerKind::Tool, "Bash"));
        let call = SampleCall::bash("ls");
        lesson.examples.fires.insert(0, call);
        graph.put(&lesson).unwrap();

        let bytes = graph.to_bytes();
        let after: Value = serde_json::from_slice(&bytes).unwrap();
        for place in ["", "/topics/t", "/triggers/t1", "/lessons/a", "/lessons/a/scope",
                      "/lessons/a/examples", "/lessons/a/examples/fires/1"] {
            prop_assert_eq!(after.pointer(&format!("{place}/x-unknown")), Some(&unknown), "{}", place);
        }
        let again = Graph::parse("f", &bytes, Origin::Own).unwrap();
        prop_assert_eq!(again.to_bytes(), bytes);
        prop_assert_eq!(again.get(&id("a")), Some(&lesson));
    }

    /// Whatever stands in a file, reading it is no panic, and what was read can be written and read.
    #[test]
    fn no_lesson_makes_the_reader_panic(name in "[a-z-]{0,5}", raw in any_json(), field in any_json()) {
        for key in ["rule", "topics", "triggers", "also", "scope", "examples", "priority", "status"] {
            let mut value = with(&json!({ key: field }));
            value["lessons"][&name] = raw.clone();
            own(&value);
            for origin in [Origin::Own, Origin::Project] {
                let graph = Graph::parse("f", value.to_string().as_bytes(), origin).unwrap();
                let bytes = graph.to_bytes();
                prop_assert_eq!(Graph::parse("f", &bytes, origin).unwrap().to_bytes(), bytes);
            }
        }
    }
}
