//! Removal of a text from `lessons.json`.
//!
//! The other text of a lesson stays. A pattern with a part removed would mean something else, so its
//! trigger goes and the lesson is retired; so is a lesson of which nothing would be left.

use std::collections::BTreeSet;

use lessons_store::graph::{LISTS, Object};
use lessons_store::{Graph, Origin, UnreadableGraph};
use serde_json::Value;

use super::{IN_ITS_PLACE, Seeker};

/// The fewest characters beside the text that still make a rule.
const FEWEST_LEFT: usize = 15;

/// The lessons that held the text, by the ids that they have now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CleanedLessons {
    /// Lessons from which only the text was removed.
    pub cleaned: BTreeSet<String>,
    /// Lessons that were retired: a trigger held the text, or nothing else was left.
    pub put_away: BTreeSet<String>,
}

/// Takes the text out of a graph, and the evidence that names one of `candidates`: their ids are hashes of it.
pub fn take_out(
    graph: &mut Graph,
    seeker: &Seeker,
    candidates: &[String],
) -> Result<CleanedLessons, UnreadableGraph> {
    let mut changed = CleanedLessons::default();
    let Ok(Value::Object(mut file)) = serde_json::from_slice(&graph.to_bytes()) else { return Ok(changed) };
    let broken = drop_triggers(&mut file, seeker);
    for (id, lesson) in file.get_mut("lessons").and_then(Value::as_object_mut).into_iter().flatten() {
        let Value::Object(lesson) = lesson else { continue };
        // Every list, and not only the first that held one.
        let lost = LISTS.iter().filter(|list| drop_named(lesson, list, &broken)).count() > 0;
        let evidence: BTreeSet<String> = candidates.iter().map(|id| format!("candidate:{id}")).collect();
        let named = drop_named(lesson, "evidence", &evidence);
        let held =
            seeker.is_in(Value::Object(lesson.clone()).to_string().as_bytes()) || seeker.is_in(id.as_bytes());
        let rule = lesson.get("rule").and_then(Value::as_str).unwrap_or_default();
        let left = seeker.take_out_of(rule).map(|rule| rule.replace(IN_ITS_PLACE, "").trim().chars().count());
        let new_id = seeker.take_out_of(id).unwrap_or_else(|| id.clone());
        if lost || left.is_some_and(|left| left < FEWEST_LEFT) {
            lesson.insert("status".into(), "deprecated".into());
            changed.put_away.insert(new_id);
        } else if held || named {
            changed.cleaned.insert(new_id);
        }
    }
    let bytes = serde_json::to_vec(&file).unwrap_or_default();
    let bytes = seeker.take_out(&bytes).unwrap_or(bytes);
    if !(changed == CleanedLessons::default() && broken.is_empty() && !seeker.is_in(&graph.to_bytes())) {
        *graph = Graph::parse(graph.file().to_owned(), &bytes, Origin::Own)?;
    }
    Ok(changed)
}

/// Removes triggers that hold the text. Returns their ids.
fn drop_triggers(file: &mut Object, seeker: &Seeker) -> BTreeSet<String> {
    let mut broken = BTreeSet::new();
    if let Some(triggers) = file.get_mut("triggers").and_then(Value::as_object_mut) {
        let holds = |node: &Value| seeker.is_in(node.to_string().as_bytes());
        broken.extend(triggers.iter().filter(|(_, node)| holds(node)).map(|(id, _)| id.clone()));
        triggers.retain(|id, _| !broken.contains(id));
    }
    broken
}

/// Removes entries from a list. Returns whether it held any of them.
fn drop_named(lesson: &mut Object, list: &str, entries: &BTreeSet<String>) -> bool {
    let Some(Value::Array(named)) = lesson.get_mut(list) else { return false };
    let before = named.len();
    named.retain(|entry| entry.as_str().is_none_or(|entry| !entries.contains(entry)));
    named.len() < before
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_lesson::lesson::{Lesson, Status};
    use lessons_pattern::trigger::{Trigger, TriggerKind};

    use super::*;

    fn lesson(id: &str, rule: &str, pattern: &str) -> Lesson {
        let (id, topic) = (LessonId::new(id).unwrap(), TopicId::new("t").unwrap());
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

    fn ids(ids: &BTreeSet<String>) -> Vec<&str> {
        ids.iter().map(String::as_str).collect()
    }

    #[test]
    fn a_text_goes_and_the_lesson_stays() {
        let mut said = lesson("said", "Never log in as hunter2-admin from a script", r"\bfrob\b");
        said.evidence = vec!["candidate:aa".into(), "commit:1".into()];
        said.rationale = Some("HUNTER2-ADMIN is the only account".into());
        let mut graph = graph(&[said, lesson("other", "Say nothing of it", "x")]);
        let seeker = Seeker::new("hunter2-admin").unwrap();
        let changed = take_out(&mut graph, &seeker, &["aa".into()]).unwrap();
        assert_eq!((ids(&changed.cleaned), ids(&changed.put_away)), (vec!["said"], vec![]));
        let said = graph.get(&LessonId::new("said").unwrap()).unwrap();
        assert_eq!(said.rule, "Never log in as forgotten from a script");
        assert_eq!(said.evidence, ["commit:1"]);
        assert_eq!(said.status, Status::Active);
        assert!(!seeker.is_in(&graph.to_bytes()) && graph.problems().is_empty(), "{:?}", graph.problems());
    }

    #[test]
    fn a_lesson_whose_trigger_held_it_or_of_which_nothing_is_left_is_put_away() {
        let lessons = [
            lesson("pattern", "Do not do this at all, please", r"login\s+hunter2-admin\b"),
            lesson("nothing", "hunter2-admin!", "frob"),
            lesson("use-hunter2-admin-now", "Something else that is long enough", "frub"),
        ];
        let mut graph = graph(&lessons);
        let seeker = Seeker::new("login hunter2-admin").unwrap();
        let changed = take_out(&mut graph, &seeker, &[]).unwrap();
        assert_eq!(ids(&changed.put_away), ["pattern"]);
        let seeker = Seeker::new("hunter2-admin").unwrap();
        let changed = take_out(&mut graph, &seeker, &[]).unwrap();
        assert_eq!(ids(&changed.put_away), ["nothing"]);
        assert_eq!(ids(&changed.cleaned), ["use-forgotten-now"], "an id can hold it as well");
        assert!(!seeker.is_in(&graph.to_bytes()) && graph.lessons().len() == 3);
    }

    #[test]
    fn a_trigger_that_stands_in_several_lists_goes_from_all_of_them() {
        let mut twice = lesson("twice", "Do not do this at all, please", r"login\s+hunter2-admin\b");
        twice.unless.clone_from(&twice.triggers);
        let mut graph = graph(&[twice]);
        let seeker = Seeker::new("hunter2-admin").unwrap();
        take_out(&mut graph, &seeker, &[]).unwrap();
        assert!(!seeker.is_in(&graph.to_bytes()) && graph.problems().is_empty(), "{:?}", graph.problems());
    }

    #[test]
    fn where_it_does_not_stand_nothing_changes() {
        let mut graph = graph(&[lesson("a", "Say it in other words", "x")]);
        let before = graph.to_bytes();
        let changed = take_out(&mut graph, &Seeker::new("hunter2-admin").unwrap(), &[]).unwrap();
        assert_eq!((changed, graph.to_bytes()), (CleanedLessons::default(), before));
    }
}
