//! The export of a graph in the form that every tool reads: five fields of a lesson, three kinds of triggers.

use jiff::Timestamp;
use lessons_lesson::{Lesson, LessonId, Status};
use lessons_pattern::{Trigger, TriggerKind};
use serde_json::json;

use crate::graph::Graph;
use crate::graph::problem::NodeKind;

/// The kinds of triggers that other tools know.
const KINDS: [TriggerKind; 3] = [TriggerKind::FileGlob, TriggerKind::CommandPattern, TriggerKind::Keyword];

/// The fields that restrict where a lesson fires and that the format cannot represent.
const CONDITIONS: [&str; 8] = ["also", "unless", "tools", "os", "shell", "state", "scope", "when"];

/// The other fields that the format cannot represent.
const EXTRAS: [&str; 12] = [
    "mistake",
    "summary",
    "detail",
    "tags",
    "mode",
    "priority",
    "confidence",
    "severity",
    "quality",
    "subject",
    "examples",
    "updatedAt",
];

/// A graph for other tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The bytes of the file: keys sorted at every depth, one newline at the end.
    pub bytes: Vec<u8>,
    /// The number of lessons in the file.
    pub lessons: usize,
    /// The losses, by id of lesson.
    pub left_out: Vec<LeftOut>,
}

/// The part of a lesson that the format cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The lesson.
    pub id: String,
    /// Whether the whole lesson is left out: without the fields it would be told where it should not.
    pub whole: bool,
    /// The fields, and triggers as `KIND=PATTERN`.
    pub fields: Vec<String>,
}

/// Exports the part of `graph` that another tool can represent.
pub fn export(graph: &Graph) -> Exported {
    let mut out = Graph::empty(graph.file());
    for (id, summary) in graph.topics().filter(|(_, summary)| !summary.trim().is_empty()) {
        out.set_node(NodeKind::Topic, id, Some(json!({ "summary": summary })));
    }
    let mut left_out = Vec::new();
    for lesson in graph.lessons() {
        let id = lesson.id.to_string();
        let conditions = conditions(lesson);
        if !conditions.is_empty() {
            left_out.push(LeftOut { id, whole: true, fields: conditions });
            continue;
        }
        // A lesson that was read has a topic.
        let Some((mut bare, other)) = bare(lesson) else { continue };
        let mut fields = given(lesson, &EXTRAS);
        fields.extend(other.iter().map(ToString::to_string));
        let is_in_file = |by: &LessonId| graph.get(by).is_some_and(|by| self::conditions(by).is_empty());
        if bare.superseded_by.take_if(|by| !is_in_file(by)).is_some() {
            bare.status = Status::Deprecated;
            fields.push("supersededBy".to_owned());
        }
        // It takes three equal hashes that no id is free for a trigger.
        let whole = out.put(&bare).is_err();
        if whole || !fields.is_empty() {
            left_out.push(LeftOut { id, whole, fields });
        }
    }
    Exported { bytes: out.to_bytes(), lessons: out.lessons().len(), left_out }
}

/// Returns the fields that restrict where a lesson fires and that the format cannot represent.
fn conditions(lesson: &Lesson) -> Vec<String> {
    let mut given = given(lesson, &CONDITIONS);
    given.retain(|name| name != "tools" || !implies_tools(lesson));
    given
}

/// Returns those of `names` that are fields of a lesson with another value than the default.
fn given(lesson: &Lesson, names: &[&str]) -> Vec<String> {
    let fields = serde_json::to_value(lesson).unwrap_or_default();
    names.iter().filter(|name| fields.get(name).is_some()).map(|name| (*name).to_owned()).collect()
}

/// Whether the triggers that other tools know fire at no other tools than those that the lesson names: only Bash has
/// commands.
fn implies_tools(lesson: &Lesson) -> bool {
    let mut known = lesson.triggers.iter().filter(|trigger| KINDS.contains(&trigger.kind)).peekable();
    known.peek().is_some()
        && known.all(|trigger| trigger.kind == TriggerKind::CommandPattern)
        && lesson.tools.iter().any(|tool| tool == "Bash")
}

/// A lesson with the fields alone that the format has, and those of its triggers that it has not.
fn bare(lesson: &Lesson) -> Option<(Lesson, Vec<Trigger>)> {
    let (triggers, other) =
        lesson.triggers.iter().cloned().partition(|trigger: &Trigger| KINDS.contains(&trigger.kind));
    let topic = lesson.topics.first()?.clone();
    let bare = Lesson {
        topics: lesson.topics.clone(),
        triggers,
        evidence: lesson.evidence.iter().filter(|source| !source.is_empty()).cloned().collect(),
        status: lesson.status,
        rationale: lesson.rationale.clone().filter(|text| !text.is_empty()),
        superseded_by: lesson.superseded_by.clone(),
        ..Lesson::new(lesson.id.clone(), &lesson.rule, topic, date(&lesson.created_at))
    };
    Some((bare, other))
}

/// A date in the form that other tools read: a day, or a time without an offset and with at most three digits of a
/// second.
fn date(text: &str) -> String {
    let is_day = text.len() == 10;
    match text.parse::<Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        Err(_) if is_day => text.to_owned(),
        Err(_) => text.chars().take(10).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::graph::Origin;

    fn graph(lessons: &Value) -> Graph {
        let file = json!({
            "version": 1, "lessons": lessons, "topics": { "t": { "summary": "T" } },
            "triggers": { "g": { "kind": "file_glob", "pattern": "*.ts" }, "c": { "kind": "content_pattern", "pattern": "x" } },
        });
        Graph::parse("lessons.json", file.to_string().as_bytes(), Origin::Own).unwrap()
    }

    fn lesson(more: &Value) -> Value {
        let mut lesson = json!({ "rule": "R", "topics": ["t"], "triggers": ["g"], "evidence": [],
            "status": "active", "createdAt": "2026-01-01T10:00:00.1234+02:00" });
        lesson.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        lesson
    }

    #[test]
    fn only_what_the_schema_of_others_names_is_written() {
        let exported = export(&graph(&json!({
            "a": lesson(&json!({ "mistake": "M", "rationale": "Why", "extra": 1, "mode": "bump",
                                 "examples": { "fires": [{ "tool": "Edit", "file": "a.ts" }] } })),
            "b": lesson(&json!({ "triggers": ["g", "c"] })),
            "c": lesson(&json!({ "unless": ["g"] })),
            "d": lesson(&json!({ "status": "superseded", "supersededBy": "c" })),
        })));
        let file: Value = serde_json::from_slice(&exported.bytes).unwrap();
        assert_eq!(
            file["lessons"]["a"],
            json!({ "rule": "R", "rationale": "Why", "topics": ["t"], "triggers": ["t-glob-b4c51146"], "evidence": [],
                    "status": "active", "createdAt": "2026-01-01T08:00:00Z" })
        );
        assert_eq!(file["lessons"]["d"]["status"], "deprecated");
        assert!(file["lessons"].get("c").is_none() && file["version"] == 1);
        let lost: Vec<_> =
            exported.left_out.iter().map(|out| (out.id.as_str(), out.fields.join(","))).collect();
        assert_eq!(
            lost,
            [
                ("a", "mistake,mode,examples".to_owned()),
                ("b", "content=x".to_owned()),
                ("c", "unless".to_owned()),
                ("d", "supersededBy".to_owned())
            ]
        );
        assert!(exported.left_out[2].whole);
    }

    #[test]
    fn bash_is_implied_beside_a_command_trigger_alone() {
        let exported = |triggers: &Value, tools: &Value| {
            let mut file = json!({ "version": 1, "topics": { "t": { "summary": "T" } },
                "lessons": { "a": lesson(&json!({ "triggers": triggers, "tools": tools })) },
                "triggers": { "c": { "kind": "command_pattern", "pattern": "frob" }, "g": { "kind": "file_glob", "pattern": "*" } } });
            file["lessons"]["a"]["createdAt"] = "2026-01-01".into();
            export(&Graph::parse("lessons.json", file.to_string().as_bytes(), Origin::Own).unwrap())
        };
        let kept = exported(&json!(["c"]), &json!(["Bash"]));
        assert_eq!((kept.lessons, kept.left_out), (1, Vec::new()));
        for (triggers, tools) in [
            (json!(["c", "g"]), json!(["Bash"])),
            (json!(["g"]), json!(["Bash"])),
            (json!(["c"]), json!(["Edit"])),
        ] {
            assert_eq!(exported(&triggers, &tools).lessons, 0, "{triggers} {tools}");
        }
    }

    #[test]
    fn what_is_written_is_read_again_without_a_word() {
        let exported = export(&graph(&json!({ "a": lesson(&json!({})) })));
        let again = Graph::parse("x.json", &exported.bytes, Origin::Own).unwrap();
        assert!(again.problems().is_empty() && exported.left_out.is_empty());
        assert_eq!(export(&again).bytes, exported.bytes);
    }
}
