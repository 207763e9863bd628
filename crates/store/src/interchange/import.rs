//! The import of a lessons graph of another tool or of a colleague: the whole graph, or nothing of it.

use std::collections::BTreeMap;

use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Status};

use super::braces;
use crate::capture::{self, Differs};
use crate::graph::{Graph, Origin, PutError, UnreadableGraph};
use crate::problem::{self, Problem};

/// The outcome for the lessons of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Lessons that are new, by their id here.
    pub added: Vec<LessonId>,
    /// Lessons that were merged into one with the same rule.
    pub joined: Vec<LessonId>,
    /// The number of lessons that were known already.
    pub known: usize,
    /// Lessons whose id was taken: the id in the file and the id here.
    pub renamed: Vec<(LessonId, LessonId)>,
    /// Lessons whose extended globs became braces, by their id in the file.
    pub in_braces: Vec<String>,
}

/// An error that keeps the file from being imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is not a lessons graph.
    #[error(transparent)]
    Unreadable(#[from] UnreadableGraph),
    /// The file has errors.
    #[error("nothing was imported, as not all of it can be: {}", problem::listed(.0, 5))]
    Broken(Vec<Problem>),
    /// A lesson contradicts one of the store.
    #[error("nothing was imported: {0}")]
    Differs(#[from] Differs),
    /// A lesson cannot be stored.
    #[error("nothing was imported: {0}")]
    Put(#[from] PutError),
}

/// Reads a graph from `bytes`, the content of `file`, and adds its lessons to `graph`. `prepare` may
/// change a lesson before it is added, or refuse it with a sentence.
///
/// Extended globs become braces where they can. A lesson with the rule of
/// an active lesson here is merged into it; an id that another lesson has gets a number. After an error `graph` must not
/// be used any more.
pub fn import(
    graph: &mut Graph,
    file: &str,
    bytes: &[u8],
    prepare: &mut dyn FnMut(&mut Lesson),
) -> Result<Imported, ImportError> {
    let mut theirs = Graph::parse(file, bytes, Origin::Own)?;
    let in_braces = braces::in_braces(&mut theirs)?;
    let broken: Vec<Problem> =
        crate::validate::findings(&theirs, None).into_iter().filter(Problem::is_error).collect();
    if !broken.is_empty() {
        return Err(ImportError::Broken(broken));
    }
    let mut imported = Imported { in_braces, ..Imported::default() };
    let mut names: BTreeMap<LessonId, LessonId> = BTreeMap::new();
    let mut fresh: Vec<Lesson> = Vec::new();
    let summaries: BTreeMap<&str, &str> = theirs.topics().collect();
    for lesson in theirs.lessons() {
        let mut lesson = lesson.clone();
        let name = lesson.id.clone();
        prepare(&mut lesson);
        if graph.get(&lesson.id) == Some(&lesson) {
            imported.known += 1;
            continue;
        }
        let same = capture::with_rule(graph, &lesson.rule).next().filter(|_| lesson.status == Status::Active);
        if let Some(known) = same.cloned() {
            names.insert(name, known.id.clone());
            let joined = capture::joined(&known, &lesson)?;
            if joined == known {
                imported.known += 1;
            } else {
                graph.put(&joined)?;
                imported.joined.push(joined.id);
            }
            continue;
        }
        if graph.raw(lesson.id.as_str()).is_some() {
            lesson.id = numbered(graph, &fresh, &lesson.id);
            imported.renamed.push((name.clone(), lesson.id.clone()));
        }
        names.insert(name, lesson.id.clone());
        fresh.push(lesson);
    }
    for mut lesson in fresh {
        if let Some(by) = lesson.superseded_by.as_ref().and_then(|by| names.get(by)) {
            lesson.superseded_by = Some(by.clone());
        }
        for topic in &lesson.topics {
            let is_new = graph.topics().all(|(id, _)| id != topic.as_str());
            if let Some(summary) = summaries.get(topic.as_str()).filter(|_| is_new) {
                graph.set_topic(topic, summary);
            }
        }
        graph.put(&lesson)?;
        imported.added.push(lesson.id);
    }
    Ok(imported)
}

fn numbered(graph: &Graph, fresh: &[Lesson], id: &LessonId) -> LessonId {
    let is_free =
        |free: &LessonId| graph.raw(free.as_str()).is_none() && fresh.iter().all(|lesson| lesson.id != *free);
    let numbered = (2..).filter_map(|number| LessonId::new(&format!("{id}-{number}")).ok());
    numbered.take(10_000).find(is_free).unwrap_or_else(|| id.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn file(lessons: &Value) -> Vec<u8> {
        json!({ "version": 1, "lessons": lessons, "topics": { "t": { "summary": "Theirs" } },
                "triggers": { "g": { "kind": "file_glob", "pattern": "*.ts" } } })
        .to_string()
        .into_bytes()
    }

    fn lesson(rule: &str) -> Value {
        json!({ "rule": rule, "topics": ["t"], "triggers": ["g"], "evidence": ["e"], "status": "active",
                "createdAt": "2026-01-01" })
    }

    fn imported(graph: &mut Graph, lessons: &Value) -> Result<Imported, ImportError> {
        import(graph, "x.json", &file(lessons), &mut |_| {})
    }

    #[test]
    fn what_is_new_is_added_and_what_is_known_is_united() {
        let mut graph = Graph::empty("lessons.json");
        let first = imported(&mut graph, &json!({ "a": lesson("One"), "b": lesson("Two") })).unwrap();
        assert_eq!(first.added.len(), 2);
        assert_eq!(graph.topics().next(), Some(("t", "Theirs")));
        let mut other = lesson("one");
        other["evidence"] = json!(["more"]);
        let again =
            imported(&mut graph, &json!({ "a": lesson("Three"), "b": lesson("Two"), "c": other })).unwrap();
        assert_eq!(again.known, 1);
        assert_eq!(again.joined.first().map(LessonId::as_str), Some("a"));
        assert_eq!(again.added.first().map(LessonId::as_str), Some("a-2"));
    }

    #[test]
    fn a_look_ahead_keeps_all_of_them_out_and_the_error_says_what_to_write() {
        let mut theirs: Value = serde_json::from_slice(&file(&json!({ "a": lesson("One") }))).unwrap();
        theirs["triggers"]["g"] = json!({ "kind": "command_pattern", "pattern": "frob(?!.*--dry)" });
        let mut graph = Graph::empty("lessons.json");
        let error = import(&mut graph, "x.json", theirs.to_string().as_bytes(), &mut |_| {}).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("frob(?!.*--dry)") && told.contains("`unless`"), "{told}");
        assert_eq!(graph.lessons().len(), 0);
    }

    #[test]
    fn an_extended_glob_is_said_in_braces_or_keeps_all_of_them_out() {
        let theirs = |glob: &str| {
            let mut graph: Value = serde_json::from_slice(&file(&json!({ "a": lesson("One") }))).unwrap();
            graph["triggers"]["g"]["pattern"] = json!(glob);
            graph.to_string()
        };
        let mut graph = Graph::empty("lessons.json");
        let import = |graph: &mut Graph, glob| import(graph, "x.json", theirs(glob).as_bytes(), &mut |_| {});
        let error = import(&mut graph, "!(a).ts").unwrap_err().to_string();
        assert!(error.contains("!(a).ts") && error.contains("`unless`"), "{error}");
        let imported = import(&mut graph, "*.@(ts|tsx)").unwrap();
        assert_eq!(imported.in_braces, ["a"]);
        let lesson = graph.lessons().next().unwrap();
        assert_eq!(lesson.triggers.first().map(|it| it.pattern.as_str()), Some("*.{ts,tsx}"));
    }

    #[test]
    fn one_broken_lesson_keeps_all_of_them_out() {
        let mut graph = Graph::empty("lessons.json");
        let mut broken = lesson("Two");
        broken["triggers"] = json!(["nowhere"]);
        let error = imported(&mut graph, &json!({ "a": lesson("One"), "b": broken })).unwrap_err();
        assert!(error.to_string().contains("nowhere") && graph.lessons().len() == 0, "{error}");
    }
}
