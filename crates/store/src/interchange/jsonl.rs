//! Lessons as JSON Lines: one lesson a line, for retrieval or to tune a model on, and back.
//!
//! A line is an object with the fields of a lesson as `lessons.json` names them, `id` and triggers in it: `rule`, `mistake`,
//! `summary`, `rationale`, `detail`, `metacognition`, `phase`, `topics`, `tags`, `triggers`, `also`, `unless`, `tools`, `os`,
//! `shell`, `state`, `mode`, `when`, `priority`, `confidence`, `severity`, `quality`, `scope`, `subject`, `examples`,
//! `status`, `supersededBy`, `createdAt`, `updatedAt`; a trigger is `{"kind": …, "pattern": …}`. A field at its default is
//! left out, and so is a field of another tool. A name never changes its meaning. `evidence` is there only if it was asked
//! for, because it names sessions.

use std::collections::BTreeSet;

use lessons_lesson::{Lesson, Level, validate};
use lessons_text::neutral;
use serde_json::Value;

use crate::import::{Import, Imported, NotImported};

/// What stands in the place of a folder of this machine.
const FOLDER: &str = "~";

/// Whether the sources of lessons are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceIn {
    /// They are left out.
    LeftOut,
    /// They are exported.
    Exported,
}

/// Lessons in lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lines {
    /// The lessons, each to be written on a line of its own.
    pub lessons: Vec<Value>,
    /// The ids of lessons in which a folder of this machine was replaced.
    pub replaced: Vec<String>,
}

/// Exports lessons as lines. Each of `folders`, absolute paths of this machine, is replaced wherever it is named.
pub fn lines<'l>(
    lessons: impl Iterator<Item = &'l Lesson>,
    evidence: EvidenceIn,
    folders: &BTreeSet<String>,
) -> Lines {
    let mut lines = Lines::default();
    // The longest first: a project is in the home folder.
    let mut folders: Vec<&str> = folders.iter().map(String::as_str).filter(|it| it.len() > 1).collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
    for lesson in lessons {
        // A lesson is plain data, which cannot fail to become JSON.
        let mut value = serde_json::to_value(lesson).unwrap_or_default();
        if let (Some(fields), EvidenceIn::LeftOut) = (value.as_object_mut(), evidence) {
            fields.remove("evidence");
        }
        if replace(&mut value, &folders) {
            lines.replaced.push(lesson.id.to_string());
        }
        lines.lessons.push(value);
    }
    lines
}

/// Replaces folders in every text of a value. Returns whether there was one.
fn replace(value: &mut Value, folders: &[&str]) -> bool {
    // Each one is looked at, whatever was found before it.
    match value {
        Value::String(text) => folders.iter().fold(false, |any, folder| {
            let is_in = text.contains(folder);
            if is_in {
                *text = text.replace(folder, FOLDER);
            }
            any || is_in
        }),
        Value::Array(values) => {
            values.iter_mut().filter_map(|value| replace(value, folders).then_some(())).count() > 0
        }
        Value::Object(fields) => {
            fields.values_mut().filter_map(|value| replace(value, folders).then_some(())).count() > 0
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Reads lines. A line that is no lesson, or one with an error such as a text over its limit, is named with the reason and
/// left out; nothing is shortened. `created_at` is the time of lessons that do not say when they were recorded.
pub fn read_lines(bytes: &[u8], created_at: &str) -> Import {
    let mut import = Import::default();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1_usize..) {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match lesson(line, created_at) {
            Ok(lesson) => import.lessons.push(Imported { lesson, notes: Vec::new() }),
            Err((id, why)) => {
                let id = id.map_or_else(|| format!("line {number}"), |id| format!("line {number} ({id})"));
                import.left_out.push(NotImported { id, why });
            }
        }
    }
    import
}

/// The lesson of a line; else its id, as far as it has one, and the reason.
fn lesson(line: &[u8], created_at: &str) -> Result<Lesson, (Option<String>, String)> {
    let shown = |text: &str| neutral::shortened(&neutral::line(text), 80);
    let mut value: Value =
        serde_json::from_slice(line).map_err(|error| (None, format!("it is not JSON: {error}")))?;
    let id = value.get("id").and_then(Value::as_str).map(shown);
    let Some(fields) = value.as_object_mut() else {
        return Err((id, "it is not an object".to_owned()));
    };
    fields.entry("createdAt").or_insert_with(|| created_at.into());
    let lesson: Lesson = serde_json::from_value(value)
        .map_err(|error| (id.clone(), format!("it is no lesson: {}", shown(&error.to_string()))))?;
    let flaws = validate::flaws(&lesson);
    match flaws.iter().find(|flaw| flaw.level == Level::Error) {
        Some(error) => Err((id, error.to_string())),
        None => Ok(lesson),
    }
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_pattern::trigger::{Trigger, TriggerKind};

    use super::*;

    fn full() -> Lesson {
        let (id, topic) = (LessonId::new("a").unwrap(), TopicId::new("git").unwrap());
        let mut lesson = Lesson::new(id, "Say why.", topic, "2026-01-31");
        lesson.mistake = Some("In /home/ana/app nobody knew.".into());
        lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, r"git\s+commit")];
        lesson.evidence = vec!["session:5f".into()];
        lesson
    }

    #[test]
    fn a_line_has_neither_sessions_nor_folders_of_this_machine() {
        let folders = BTreeSet::from(["/home/ana".to_owned(), "/home/ana/app".to_owned(), "/".to_owned()]);
        let Lines { lessons, replaced } = lines([&full()].into_iter(), EvidenceIn::LeftOut, &folders);
        let text = lessons[0].to_string();
        assert!(
            !text.contains("session:") && !text.contains("/home") && text.contains("In ~ nobody"),
            "{text}"
        );
        assert_eq!(replaced, ["a"]);
        let kept = lines([&full()].into_iter(), EvidenceIn::Exported, &BTreeSet::new());
        assert_eq!(kept.lessons[0]["evidence"][0], "session:5f");
        assert!(kept.replaced.is_empty());
    }

    #[test]
    fn what_was_exported_can_be_read_again() {
        let exported = lines([&full()].into_iter(), EvidenceIn::Exported, &BTreeSet::new());
        let import = read_lines(format!("\n{}\n", exported.lessons[0]).as_bytes(), "2026-02-01");
        assert_eq!(import.lessons, [Imported { lesson: full(), notes: Vec::new() }]);
    }

    #[test]
    fn a_line_that_cannot_be_taken_is_named_and_nothing_is_shortened() {
        let mut long = full();
        long.rule = "x".repeat(3000);
        let long = serde_json::to_string(&long).unwrap();
        let text = format!("{{\n[]\n{long}\n{{\"id\":\"b\",\"rule\":7}}");
        let import = read_lines(text.as_bytes(), "2026-02-01");
        let ids: Vec<&str> = import.left_out.iter().map(|out| out.id.as_str()).collect();
        assert_eq!(ids, ["line 1", "line 2", "line 3 (a)", "line 4 (b)"]);
        assert!(
            import.lessons.is_empty() && import.left_out[2].why.contains("2000"),
            "{:?}",
            import.left_out
        );
    }
}
