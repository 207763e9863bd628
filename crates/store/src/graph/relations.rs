//! Problems between the nodes of a graph: dangling names, orphans and supersession.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use foldhash::fast::RandomState;
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Status};
use serde_json::{Map, Value};

use super::{Graph, LISTS};
use crate::problem::{Flaw, Node, Problem, shown};

/// The nodes of a graph, as the checks need them.
pub(super) struct Nodes<'a> {
    /// The file that holds the graph.
    pub(super) file: &'a Path,
    /// The usable lessons, ascending by id.
    pub(super) lessons: Vec<&'a Lesson>,
    /// The topics as raw JSON.
    pub(super) topics: &'a Map<String, Value>,
    /// The triggers that no lesson names.
    pub(super) orphans: BTreeSet<&'a str>,
}

impl<'a> Nodes<'a> {
    /// The nodes of a graph.
    pub(super) fn of(graph: &'a Graph) -> Self {
        let mut orphans: HashSet<&str, RandomState> =
            graph.parts.triggers.keys().map(String::as_str).collect();
        let lists = |raw: &'a Value| LISTS.iter().filter_map(|list| raw.get(list)?.as_array());
        for id in graph.parts.lessons.values().flat_map(lists).flatten().filter_map(Value::as_str) {
            orphans.remove(id);
        }
        Self {
            file: &graph.file,
            lessons: graph.lessons().collect(),
            topics: &graph.parts.topics,
            orphans: orphans.into_iter().collect(),
        }
    }

    /// The problems between these nodes.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut out = Vec::new();
        let mut tell = |node: Node, flaw: Flaw| {
            out.push(Problem { file: self.file.to_owned(), node: Some(node), flaw });
        };
        for lesson in &self.lessons {
            for flaw in topics(self, lesson).chain(supersession(self, lesson)) {
                tell(Node::Lesson(lesson.id.as_str().to_owned()), flaw);
            }
        }
        // A lesson that supersedes itself has a problem code of its own.
        let names_itself =
            |id: &&LessonId| self.get(id).is_some_and(|lesson| lesson.superseded_by.as_ref() == Some(*id));
        for id in in_cycles(self).into_iter().filter(|id| !names_itself(id)) {
            tell(
                Node::Lesson(id.as_str().to_owned()),
                Flaw::error(
                    "SUPERSEDE_CYCLE",
                    "its chain of `supersededBy` comes back to it",
                    "end the chain at a lesson that is active",
                ),
            );
        }
        for (id, topic) in self.topics {
            let summary = topic.get("summary").and_then(|summary| summary.as_str());
            if summary.is_none_or(|text| text.trim().is_empty()) {
                tell(
                    Node::Topic(id.clone()),
                    crate::problem::invalid("it has no summary", "write it as {\"summary\": \"…\"}"),
                );
            }
        }
        for id in &self.orphans {
            tell(
                Node::Trigger((*id).to_owned()),
                Flaw::warning("ORPHAN_TRIGGER", "no lesson names it", "take it out, or name it"),
            );
        }
        out
    }

    fn get(&self, id: &LessonId) -> Option<&'a Lesson> {
        let at = self.lessons.binary_search_by(|lesson| lesson.id.cmp(id)).ok()?;
        self.lessons.get(at).copied()
    }
}

fn topics<'a>(nodes: &'a Nodes<'_>, lesson: &'a Lesson) -> impl Iterator<Item = Flaw> + 'a {
    lesson.topics.iter().filter(|topic| !nodes.topics.contains_key(topic.as_str())).map(|topic| {
        Flaw::error(
            "DANGLING_TOPIC",
            format!("topic `{topic}` does not exist"),
            "add it to `topics`, or name another",
        )
        .about(topic.as_str())
    })
}

fn supersession(nodes: &Nodes<'_>, lesson: &Lesson) -> impl Iterator<Item = Flaw> + use<> {
    let flaw = |code, what: String, hint| Flaw::error(code, what, hint);
    let mut out = Vec::new();
    match (lesson.status, &lesson.superseded_by) {
        (Status::Superseded, None) => out.push(flaw(
            "SUPERSEDED_WITHOUT_TARGET",
            "it is superseded, but by nothing".into(),
            "name the lesson in `supersededBy`, or make it deprecated",
        )),
        (Status::Active, Some(by)) => out.push(flaw(
            "ACTIVE_WITH_SUPERSEDER",
            format!("it is active and superseded by `{by}`"),
            "set its status to superseded, or drop `supersededBy`",
        )),
        (Status::Superseded, Some(by)) if *by == lesson.id => out.push(flaw(
            "SELF_SUPERSEDED",
            "it is superseded by itself".into(),
            "name another lesson in `supersededBy`",
        )),
        (Status::Superseded, Some(by)) => match nodes.get(by) {
            Some(other) if other.status == Status::Active => {}
            Some(_) => out.push(flaw(
                "INACTIVE_SUPERSEDER",
                format!("`{by}`, which supersedes it, is not active"),
                "name the lesson that is in force now",
            )),
            None => out.push(flaw(
                "DANGLING_SUPERSEDER",
                format!("`{}`, which supersedes it, does not exist", shown(by.as_str())),
                "name a lesson that exists in `supersededBy`",
            )),
        },
        _ => {}
    }
    out.into_iter()
}

/// The lessons whose chain of `supersededBy` leads back to themselves. Each chain is walked once.
fn in_cycles<'a>(nodes: &Nodes<'a>) -> BTreeSet<&'a LessonId> {
    let next = |lesson: &Lesson| nodes.get(lesson.superseded_by.as_ref()?);
    let mut cycles = BTreeSet::new();
    let mut walks: BTreeMap<&LessonId, &LessonId> = BTreeMap::new();
    for start in nodes.lessons.iter().copied().filter(|lesson| lesson.superseded_by.is_some()) {
        let mut at = Some(start);
        while let Some(lesson) = at {
            match walks.get(&lesson.id) {
                None => {
                    walks.insert(&lesson.id, &start.id);
                    at = next(lesson);
                }
                // The walk has come back to its start; a second round collects the whole cycle.
                Some(walk) if *walk == &start.id && cycles.insert(&lesson.id) => at = next(lesson),
                Some(_) => break,
            }
        }
    }
    cycles
}
