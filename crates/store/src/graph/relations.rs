//! Problems between the nodes of a graph: dangling names, orphans and supersession.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use foldhash::fast::RandomState;
use lessons_lesson::{Lesson, LessonId, Status};
use serde_json::Value;

use super::{Graph, LISTS};
use crate::graph::problem::{Flaw, Node, NodeKind, Problem, invalid, shown};

/// The problems between the nodes of a graph.
pub(super) fn problems(graph: &Graph) -> Vec<Problem> {
    let mut out = Vec::new();
    let mut tell =
        |kind, id: &str, flaw| out.push(graph.problem(Some(Node { kind, id: id.to_owned() }), flaw));
    for lesson in graph.lessons() {
        for flaw in topics(graph, lesson).chain(supersession(graph, lesson)) {
            tell(NodeKind::Lesson, lesson.id.as_str(), flaw);
        }
    }
    // A lesson that supersedes itself has a problem code of its own.
    let names_itself =
        |id: &&LessonId| graph.get(id).is_some_and(|lesson| lesson.superseded_by.as_ref() == Some(*id));
    for id in in_cycles(graph).into_iter().filter(|id| !names_itself(id)) {
        let (what, hint) =
            ("its chain of `supersededBy` comes back to it", "end the chain at a lesson that is active");
        tell(NodeKind::Lesson, id.as_str(), Flaw::error("SUPERSEDE_CYCLE", what, hint));
    }
    for (id, topic) in graph.parts.nodes(NodeKind::Topic) {
        let summary = topic.get("summary").and_then(|summary| summary.as_str());
        if summary.is_none_or(|text| text.trim().is_empty()) {
            let flaw = invalid("it has no summary", "write it as {\"summary\": \"…\"}");
            tell(NodeKind::Topic, id, flaw);
        }
    }
    for id in orphans(graph) {
        let flaw = Flaw::warning("ORPHAN_TRIGGER", "no lesson names it", "take it out, or name it");
        tell(NodeKind::Trigger, id, flaw);
    }
    out
}

/// The triggers that no lesson names.
fn orphans(graph: &Graph) -> BTreeSet<&str> {
    // A fast set first: nearly every trigger of a large graph is named.
    let mut orphans: HashSet<&str, RandomState> = graph.node_ids(NodeKind::Trigger).collect();
    for raw in graph.parts.nodes(NodeKind::Lesson).values() {
        let lists = LISTS.iter().filter_map(|list| raw.get(list)?.as_array());
        for id in lists.flatten().filter_map(Value::as_str) {
            orphans.remove(id);
        }
    }
    orphans.into_iter().collect()
}

fn topics<'a>(graph: &'a Graph, lesson: &'a Lesson) -> impl Iterator<Item = Flaw> + 'a {
    lesson.topics.iter().filter(|topic| graph.node(NodeKind::Topic, topic.as_str()).is_none()).map(|topic| {
        let what = format!("topic `{topic}` does not exist");
        Flaw::error("DANGLING_TOPIC", what, "add it to `topics`, or name another").about(topic.as_str())
    })
}

fn supersession(graph: &Graph, lesson: &Lesson) -> Option<Flaw> {
    let (code, what, hint) = match (lesson.status, &lesson.superseded_by) {
        (Status::Superseded, None) => (
            "SUPERSEDED_WITHOUT_TARGET",
            "it is superseded, but by nothing".into(),
            "name the lesson in `supersededBy`, or make it deprecated",
        ),
        (Status::Active, Some(by)) => (
            "ACTIVE_WITH_SUPERSEDER",
            format!("it is active and superseded by `{by}`"),
            "set its status to superseded, or drop `supersededBy`",
        ),
        (Status::Superseded, Some(by)) if *by == lesson.id => {
            ("SELF_SUPERSEDED", "it is superseded by itself".into(), "name another lesson in `supersededBy`")
        }
        (Status::Superseded, Some(by)) => match graph.get(by) {
            Some(other) if other.status == Status::Active => return None,
            Some(_) => (
                "INACTIVE_SUPERSEDER",
                format!("`{by}`, which supersedes it, is not active"),
                "name the lesson that is in force now",
            ),
            None => (
                "DANGLING_SUPERSEDER",
                format!("`{}`, which supersedes it, does not exist", shown(by.as_str())),
                "name a lesson that exists in `supersededBy`",
            ),
        },
        _ => return None,
    };
    Some(Flaw::error(code, what, hint))
}

/// The lessons whose chain of `supersededBy` leads back to themselves. Each chain is walked once.
fn in_cycles(graph: &Graph) -> BTreeSet<&LessonId> {
    let next = |lesson: &Lesson| graph.get(lesson.superseded_by.as_ref()?);
    let mut cycles = BTreeSet::new();
    let mut walks: BTreeMap<&LessonId, &LessonId> = BTreeMap::new();
    for start in graph.lessons().filter(|lesson| lesson.superseded_by.is_some()) {
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
