//! The import of a lessons graph of another tool or of a colleague. What cannot be taken over is left out by name.
//!
//! Extended globs are rewritten into braces: `@(a|b)` becomes `{a,b}`. Any other stays, and the check of patterns refuses it.

use std::collections::BTreeMap;

use lessons_lesson::{Lesson, LessonId, Status};
use lessons_pattern::glob::extended::rewritten;
use lessons_pattern::{Trigger, TriggerKind};

use crate::capture::{self, first_free};
use crate::graph::problem::{self, Node, NodeKind, Problem};
use crate::graph::{Graph, Origin, PutError, UnreadableGraph};
use crate::validate::normal_rule;

/// Errors of what is there twice.
const SAID_TWICE: [&str; 2] = ["DUPLICATE_RULE", "DUPLICATE_TRIGGER"];

/// What is told of a lesson whose extended globs were said in braces.
const IN_BRACES: &str = "its extended globs are written in braces: `@(a|b)` became `{a,b}`";

/// The outcome for the lessons of a file. Those that were known already are in none of the lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Lessons that are new, by their id here, each with what was changed about it, in sentences.
    pub added: Vec<(LessonId, Vec<String>)>,
    /// The same of lessons that were merged into one with the same rule.
    pub joined: Vec<(LessonId, Vec<String>)>,
    /// Lessons that were left out, by their id in the file, with the reason.
    pub left_out: BTreeMap<String, String>,
}

/// An error that keeps the file from being imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is not a lessons graph.
    #[error(transparent)]
    Unreadable(#[from] UnreadableGraph),
    /// The file as a whole has errors.
    #[error("nothing was imported: {}", problem::listed(.0, 5))]
    Broken(Vec<Problem>),
    /// A lesson cannot be stored.
    #[error("nothing was imported: {0}")]
    Put(#[from] PutError),
}

/// Reads a graph from `bytes`, the content of `file`, and adds its lessons to `graph`. `prepare` may
/// change a lesson before it is added, and says what it changed, or refuse it with a sentence.
///
/// Extended globs become braces where they can. A lesson with the rule of
/// an active lesson is merged into it; an id that another lesson has gets a number. After an error `graph` must not
/// be used any more.
pub fn import(
    graph: &mut Graph,
    file: &str,
    bytes: &[u8],
    prepare: &mut dyn FnMut(&mut Lesson) -> Result<Vec<String>, String>,
) -> Result<Imported, ImportError> {
    let mut theirs = Graph::parse(file, bytes, Origin::Own)?;
    let in_braces = in_braces(&mut theirs)?;
    let mut imported = Imported { left_out: bad_lessons(&theirs)?, ..Imported::default() };
    let mut names: BTreeMap<LessonId, LessonId> = BTreeMap::new();
    let mut fresh: Vec<(Lesson, Vec<String>)> = Vec::new();
    let summaries: BTreeMap<&str, &str> = theirs.topics().collect();
    for lesson in theirs.lessons() {
        let mut lesson = lesson.clone();
        let name = lesson.id.clone();
        if imported.left_out.contains_key(name.as_str()) {
            continue;
        }
        let mut notes = match prepare(&mut lesson) {
            Ok(notes) => notes,
            Err(why) => {
                imported.left_out.insert(name.to_string(), why);
                continue;
            }
        };
        notes.extend(in_braces.contains(&name).then(|| IN_BRACES.to_owned()));
        if graph.get(&lesson.id) == Some(&lesson) {
            names.insert(name.clone(), name);
            continue;
        }
        let is_active = |other: &&Lesson| lesson.status == Status::Active && other.status == Status::Active;
        let says_it = |other: &&Lesson| normal_rule(&other.rule) == normal_rule(&lesson.rule);
        let known = capture::with_rule(graph, &lesson.rule).next().cloned();
        let alike = known.as_ref().or(fresh.iter().map(|(other, _)| other).find(says_it));
        if let Some(known) = alike.filter(is_active).cloned() {
            let joined = match capture::joined(&known, &lesson) {
                Ok(joined) => joined,
                Err(differs) => {
                    imported.left_out.insert(name.to_string(), differs.to_string());
                    continue;
                }
            };
            if let Some((fresh, _)) = fresh.iter_mut().find(|(other, _)| other.id == known.id) {
                *fresh = joined;
            } else if joined != known {
                graph.put(&joined)?;
                notes.push("united with the lesson that says the same".to_owned());
                imported.joined.push((joined.id, notes));
            }
            names.insert(name, known.id);
            continue;
        }
        if graph.raw(lesson.id.as_str()).is_some() {
            lesson.id = numbered(graph, &fresh, &lesson.id);
            notes.push(format!("called {name} there, which is another lesson here"));
        }
        names.insert(name, lesson.id.clone());
        fresh.push((lesson, notes));
    }
    for (mut lesson, notes) in fresh {
        if let Some(by) = &lesson.superseded_by {
            let Some(by) = names.get(by) else {
                let why = format!("`{by}`, which replaced it, is left out too");
                imported.left_out.insert(lesson.id.to_string(), why);
                continue;
            };
            lesson.superseded_by = Some(by.clone());
        }
        for topic in &lesson.topics {
            let is_new = graph.topics().all(|(id, _)| id != topic.as_str());
            if let Some(summary) = summaries.get(topic.as_str()).filter(|_| is_new) {
                graph.set_topic(topic, summary);
            }
        }
        graph.put(&lesson)?;
        imported.added.push((lesson.id, notes));
    }
    Ok(imported)
}

/// The lessons with an error of their own or of one of their triggers, and the error. A file with errors of its own gives
/// none of its lessons. What two lessons or triggers say twice becomes one, and a topic without a summary gets one.
fn bad_lessons(theirs: &Graph) -> Result<BTreeMap<String, String>, ImportError> {
    let (mut bad, mut of_file) = (BTreeMap::new(), Vec::new());
    for problem in crate::validate::findings(theirs, None) {
        let why = problem.flaw.to_string();
        match &problem.node {
            None => of_file.push(problem),
            Some(_) if !problem.is_error() || SAID_TWICE.contains(&problem.flaw.code) => {}
            Some(Node { kind: NodeKind::Topic, .. }) => {}
            Some(Node { kind: NodeKind::Lesson, id }) => drop(bad.entry(id.clone()).or_insert(why)),
            Some(Node { kind: NodeKind::Trigger, id: trigger }) => {
                for id in theirs.ids().filter(|id| theirs.named_by(id).any(|named| named == trigger)) {
                    bad.entry(id.to_owned()).or_insert_with(|| why.clone());
                }
            }
        }
    }
    if of_file.is_empty() { Ok(bad) } else { Err(ImportError::Broken(of_file)) }
}

fn numbered(graph: &Graph, fresh: &[(Lesson, Vec<String>)], id: &LessonId) -> LessonId {
    let is_new = |free: &str| fresh.iter().all(|(lesson, _)| lesson.id.as_str() != free);
    first_free(id.as_str(), |free| graph.raw(free).is_none() && is_new(free)).unwrap_or_else(|_| id.clone())
}

/// Rewrites every lesson of `graph` that can be. Returns the ids of those that were.
fn in_braces(graph: &mut Graph) -> Result<Vec<LessonId>, PutError> {
    let lessons: Vec<Lesson> = graph.lessons().filter_map(lesson_in_braces).collect();
    for lesson in &lessons {
        graph.put(lesson)?;
    }
    Ok(lessons.into_iter().map(|lesson| lesson.id).collect())
}

/// The lesson with its globs in braces; `None` if there is nothing to rewrite.
pub fn lesson_in_braces(lesson: &Lesson) -> Option<Lesson> {
    let lists = [&lesson.triggers, &lesson.also, &lesson.unless];
    lists.into_iter().flatten().find_map(glob)?;
    let mut said = lesson.clone();
    for list in [&mut said.triggers, &mut said.also, &mut said.unless] {
        let globs: Vec<Trigger> = list.drain(..).map(|it| glob(&it).unwrap_or(it)).collect();
        capture::union(list, &globs);
    }
    Some(said)
}

fn glob(trigger: &Trigger) -> Option<Trigger> {
    let is_glob = trigger.kind == TriggerKind::FileGlob;
    let pattern = is_glob.then(|| rewritten(&trigger.pattern))??;
    Some(Trigger::new(TriggerKind::FileGlob, pattern))
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::MAX_ID_BYTES;
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
        import(graph, "x.json", &file(lessons), &mut |_| Ok(Vec::new()))
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
        let told = |told: &[(LessonId, Vec<String>)]| {
            told.iter().map(|(id, notes)| format!("{id}: {}", notes.join("; "))).collect::<Vec<_>>()
        };
        assert_eq!(told(&again.joined), ["a: united with the lesson that says the same"]);
        assert_eq!(told(&again.added), ["a-2: called a there, which is another lesson here"]);
    }

    #[test]
    fn another_lesson_with_the_longest_id_gets_a_number_too() {
        let mut graph = Graph::empty("lessons.json");
        let id = "a".repeat(MAX_ID_BYTES);
        imported(&mut graph, &json!({ id.as_str(): lesson("One") })).unwrap();
        let again = imported(&mut graph, &json!({ id.as_str(): lesson("Two") })).unwrap();
        let (added, _) = &again.added[0];
        assert_eq!(added.as_str(), format!("{}-2", &id[..94]));
        assert_eq!(graph.get(&LessonId::new(&id).unwrap()).map(|lesson| lesson.rule.as_str()), Some("One"));
    }

    #[test]
    fn a_look_ahead_keeps_its_lesson_out_and_the_reason_says_what_to_write() {
        let mut theirs: Value = serde_json::from_slice(&file(&json!({ "a": lesson("One") }))).unwrap();
        theirs["triggers"]["g"] = json!({ "kind": "command_pattern", "pattern": "frob(?!.*--dry)" });
        let mut graph = Graph::empty("lessons.json");
        let imported =
            import(&mut graph, "x.json", theirs.to_string().as_bytes(), &mut |_| Ok(Vec::new())).unwrap();
        let told = &imported.left_out["a"];
        assert!(told.contains("frob(?!.*--dry)") && told.contains("`unless`"), "{told}");
        assert_eq!(graph.lessons().len(), 0);
    }

    #[test]
    fn an_extended_glob_is_said_in_braces_or_keeps_its_lesson_out() {
        let theirs = |glob: &str| {
            let mut graph: Value = serde_json::from_slice(&file(&json!({ "a": lesson("One") }))).unwrap();
            graph["triggers"]["g"]["pattern"] = json!(glob);
            graph.to_string()
        };
        let mut graph = Graph::empty("lessons.json");
        let import = |graph: &mut Graph, glob| {
            import(graph, "x.json", theirs(glob).as_bytes(), &mut |_| Ok(Vec::new())).unwrap()
        };
        let error = &import(&mut graph, "!(a).ts").left_out["a"];
        assert!(error.contains("!(a).ts") && error.contains("`unless`"), "{error}");
        let imported = import(&mut graph, "*.@(ts|tsx)");
        assert_eq!(imported.added[0].1, [IN_BRACES]);
        let lesson = graph.lessons().next().unwrap();
        assert_eq!(lesson.triggers.first().map(|it| it.pattern.as_str()), Some("*.{ts,tsx}"));
    }

    #[test]
    fn one_broken_lesson_is_left_out_with_what_it_replaced_and_the_others_come_in() {
        let mut graph = Graph::empty("lessons.json");
        let (mut broken, mut replaced) = (lesson("Two"), lesson("Three"));
        broken["triggers"] = json!(["nowhere"]);
        replaced["status"] = json!("superseded");
        replaced["supersededBy"] = json!("b");
        let theirs = json!({ "a": lesson("One"), "b": broken, "c": replaced, "d": 5 });
        let left_out = imported(&mut graph, &theirs).unwrap().left_out;
        assert_eq!(left_out.keys().collect::<Vec<_>>(), ["b", "c", "d"]);
        assert!(left_out["b"].contains("nowhere"), "{left_out:?}");
        assert_eq!(graph.lessons().map(|lesson| lesson.id.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn two_lessons_that_say_the_same_become_one() {
        let mut graph = Graph::empty("lessons.json");
        let mut same = lesson("ONE");
        same["evidence"] = json!(["f"]);
        let imported = imported(&mut graph, &json!({ "a": lesson("One"), "b": same })).unwrap();
        assert_eq!((imported.added.len(), imported.left_out.len()), (1, 0));
        assert_eq!(graph.lessons().next().unwrap().evidence, ["e", "f"]);
    }

    #[test]
    fn a_file_without_one_of_its_fields_gives_nothing() {
        for name in ["version", "lessons", "topics", "triggers"] {
            let mut theirs: Value = serde_json::from_slice(&file(&json!({ "a": lesson("One") }))).unwrap();
            theirs.as_object_mut().unwrap().remove(name);
            let mut graph = Graph::empty("lessons.json");
            let error = import(&mut graph, "x.json", theirs.to_string().as_bytes(), &mut |_| Ok(Vec::new()));
            assert!(error.unwrap_err().to_string().contains(name) && graph.lessons().len() == 0);
        }
    }
}

#[cfg(test)]
mod braces_tests {
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    #[test]
    fn every_glob_of_a_lesson_is_said_in_braces_once() {
        let trigger = |kind, patterns: &[&str]| patterns.iter().map(|it| Trigger::new(kind, *it)).collect();
        let globs = |patterns| trigger(TriggerKind::FileGlob, patterns);
        let (id, topic) = (LessonId::new("a").unwrap(), TopicId::new("t").unwrap());
        let mut extended = Lesson::new(id, "Say it.", topic, "2026-01-01");
        extended.triggers = globs(&["*.@(ts|tsx)", "*.{ts,tsx}", "src/!(a)"]);
        extended.also = trigger(TriggerKind::PathPattern, &["@(a|b)"]);
        extended.unless = globs(&["?(x)y"]);
        let mut said = extended.clone();
        said.triggers = globs(&["*.{ts,tsx}", "src/!(a)"]);
        said.unless = globs(&["{,x}y"]);
        assert_eq!(lesson_in_braces(&extended), Some(said.clone()));
        assert_eq!(lesson_in_braces(&said), None);
    }
}
